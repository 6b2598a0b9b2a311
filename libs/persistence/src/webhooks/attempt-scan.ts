import type { Reach } from '@gatehouse/domain';
import { Conditions } from '../conditions.js';
import { minIdAt, parseIdTime } from '../uuid-v7.js';
import { ownerRangeCondition } from '../owner-range-condition.js';
import { urlPrefixCondition } from '../search/lookups.repository.js';
import { DAY_MS, startOfDay } from './attempt-partitions.js';
import type { AttemptFilter, AttemptScope } from './attempt-scope.js';

/** What makes an attempt of the scope a match. @param delivery SQL for a column of its delivery */
export function attemptConditions(
  { column }: Pick<AttemptScope, 'column'>,
  reach: Reach,
  filter: AttemptFilter,
  delivery = (name: 'state' | 'batch_id'): string => `d.${name}`,
): Conditions {
  const where = new Conditions()
    .add('true')
    .addIf(filter.projectId, (value) => `a.project_id = ${value}`)
    .addIf(filter.endpointId, (value) => `a.endpoint_id = ${value}`)
    .addIf(filter.eventType, (value) => `a.event_type = ${value}`)
    .addIf(filter.deliveryState, (value) => `${delivery('state')} = ${value}`)
    .addIf(filter.batchId, (value) => `${delivery('batch_id')} = ${value}`)
    .addIf(filter.error, (value) => `a.error = ${value}`)
    .addIf(filter.success, (value) => `a.success = ${value}`)
    .addIf(filter.httpStatus, (value) => `a.http_status = ${value}`)
    .addIf(filter.httpStatusRange?.[0], (value) => `a.http_status >= ${value}`)
    .addIf(filter.httpStatusRange?.[1], (value) => `a.http_status <= ${value}`)
    .addIf(filter.createdAfter, (value) => `a.started_at > ${value}`)
    .addIf(filter.createdBefore, (value) => `a.started_at < ${value}`)
    .addIf(filter.attempt, (value) => `a.attempt = ${value}`)
    .addIf(filter.attemptId, (value) => `a.id = ${value}`)
    .addIf(filter.endpointIds, (value) => `a.endpoint_id = ANY (${value}::uuid[])`)
    .addIf(
      filter.customerIds,
      (value) => `(SELECT e.customer_id FROM events e WHERE e.id = a.event_id) = ANY (${value}::uuid[])`,
    );
  const { endpointUrl } = filter;
  if (endpointUrl) {
    const isAtIt = urlPrefixCondition(where, endpointUrl);
    where.add(`(SELECT ${isAtIt} FROM webhook_endpoints w WHERE w.id = a.endpoint_id)`);
  }
  if (column !== 'project_id') return where;
  // A project key sees what went to its project's own endpoints, not what an organization endpoint heard of it.
  return where.addIf(
    reach.projectId,
    (value) => `(SELECT w.project_id FROM webhook_endpoints w WHERE w.id = a.endpoint_id) = ${value}`,
  );
}

/** Whether only failed attempts can match: a success is 2xx, and the last of its delivery. */
export function matchesOnlyFailed(filter: AttemptFilter): boolean {
  const { success, error, httpStatus, httpStatusRange, deliveryState } = filter;
  const status = httpStatus ?? httpStatusRange?.[0] ?? 200;
  const isUndelivered = deliveryState !== null && deliveryState !== 'succeeded';
  return success === false || Boolean(error) || status < 200 || status > 299 || isUndelivered;
}

/**
 * SQL for the newest attempts of a scope, newest first and no more than `limit`. Whatever PostgreSQL believes to know of
 * how the rows are spread, it must walk the index of the scope: ids are compared with what it does not see when it plans.
 * It sees the days, which are the partitions.
 * @param isOrdered false: any `limit` of the scope, in no order
 */
export function attemptScanSql(
  where: Conditions,
  { column, ids, from, to }: AttemptScope,
  onlyFailed: boolean,
  limit: number,
  isOrdered = true,
): string {
  const firstDay = where.bind(minIdAt(startOfDay(parseIdTime(from))));
  const lastDay = where.bind(minIdAt(startOfDay(parseIdTime(to) - 1) + DAY_MS));
  const days = `a.id >= ${firstDay} AND a.id < ${lastDay} ${onlyFailed ? 'AND NOT a.success' : ''}`;
  const most = where.bind(limit);
  if (column === null) {
    const range = `a.id >= ${where.bind(from)} AND a.id < ${where.bind(to)}`;
    return `SELECT a.* FROM attempts a WHERE ${range} AND ${days} ORDER BY a.id DESC LIMIT ${most}`;
  }
  const bounds = [ids, ids.map(() => from), ids.map(() => to)].map((each) => `${where.bind(each)}::uuid[]`);
  return `SELECT a.* FROM unnest(${bounds.join(', ')}) s (id, first, past) CROSS JOIN LATERAL (
      SELECT a.* FROM attempts a
      WHERE ${ownerRangeCondition('a', column, 's.id', { first: 's.first', past: 's.past' })} AND ${days}
      ORDER BY a.${column} DESC, a.id DESC LIMIT ${most}
    ) a ${isOrdered ? 'ORDER BY a.id DESC' : ''} LIMIT ${most}`;
}
