import type { Schemas } from '../http/client';
import type { ListQuery } from '../lists/filters';

export type PlanFilter = Schemas['SearchRedeliveryFilterRequest'];

/** What a plan is asked for so that it finds what the list finds, and nothing that was resolved meanwhile. */
export function toPlanFilter({ http_status: status, ...query }: ListQuery): PlanFilter {
  return { ...query, resolution: 'waiting', ...(status && { http_status: Number(status) }) };
}

/** Dead letters by their ids; not what has meanwhile become something else. */
export const filterByIds = (ids: string[]): PlanFilter => ({ delivery_ids: ids, resolution: 'waiting' });
