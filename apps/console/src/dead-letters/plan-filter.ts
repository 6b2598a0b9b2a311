import type { Schemas } from '../http/client';
import type { ListQuery } from '../lists/filters';

export type PlanFilter = Schemas['SearchRedeliveryFilterRequest'];

/**
 * Returns a plan filter that matches the same dead letters as the list, except those resolved in the
 * meantime.
 */
export function toPlanFilter({ http_status: status, ...query }: ListQuery): PlanFilter {
  return { ...query, resolution: 'waiting', ...(status && { http_status: Number(status) }) };
}

/** Returns a plan filter for dead letters by ID, except those resolved in the meantime. */
export const filterByIds = (ids: string[]): PlanFilter => ({ delivery_ids: ids, resolution: 'waiting' });
