import type { StatusRanges } from '@gatehouse/domain';
import type { Conditions } from '../sql/conditions.js';

/** Filter fields for HTTP statuses. */
export interface HttpStatusFilter {
  httpStatus: number | null;
  /** Statuses in a class. The class `none` matches attempts without a response. */
  httpStatusRanges: StatusRanges | null;
}

/** Adds a filter's conditions on an HTTP status column. */
export function addHttpStatus(
  where: Conditions,
  column: string,
  { httpStatus, httpStatusRanges }: HttpStatusFilter,
): Conditions {
  where.addIf(httpStatus, (value) => `${column} = ${value}`);
  if (!httpStatusRanges) return where;
  const ranges = httpStatusRanges.map(
    ([first, last]) => `${column} BETWEEN ${where.bind(first)} AND ${where.bind(last)}`,
  );
  return where.add(`(${ranges.join(' OR ')})`);
}

const isSuccess = (status: number): boolean => status >= 200 && status <= 299;

/** Returns whether a filter can match successful attempts, which have a 2xx status. */
export const canMatchSuccess = ({ httpStatus, httpStatusRanges }: HttpStatusFilter): boolean =>
  (httpStatus === null || isSuccess(httpStatus)) &&
  (httpStatusRanges === null || httpStatusRanges.some(([first]) => isSuccess(first)));
