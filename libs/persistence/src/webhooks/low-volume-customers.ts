import type { Sql } from '../database.js';
import { MAX_UUID, NIL_UUID } from '../uuid-v7.js';
import { ownerRangeCondition } from '../owner-range-condition.js';

/** Events about customers that are looked at one by one; most customers have some dozens. */
const MAX_CUSTOMER_EVENTS = 5_000;

/** Deliveries that are: an event has some for each endpoint that heard of it. */
export const MAX_LISTED_DELIVERIES = 20_000;

/** What of a filter is about customers. */
interface CustomerConditions {
  projectId: string | null;
  customerIds?: string[] | null;
  areLowVolume?: boolean;
}

/** SQL for the newest events, `e`, about each customer. */
const newestEventsSql = (customers: string, limit: number): string => `
  SELECT e.* FROM unnest(${customers}::uuid[]) c (id) CROSS JOIN LATERAL (
    SELECT e.id, e.project_id FROM events e
    WHERE ${ownerRangeCondition('e', 'customer_id', 'c.id', { first: `'${NIL_UUID}'`, past: `'${MAX_UUID}'` })}
    ORDER BY e.customer_id DESC, e.id DESC LIMIT ${limit}
  ) e`;

const customerEventsSql = (customers: string): string =>
  `${newestEventsSql(customers, MAX_CUSTOMER_EVENTS + 1)} LIMIT ${MAX_CUSTOMER_EVENTS + 1}`;

/**
 * SQL for the deliveries, `d`, of the events about quiet customers, to which conditions can be added. They do not get to
 * where the deliveries of an event are looked for: in times of an outage PostgreSQL would read all dead letters for each.
 */
export const customerDeliveriesSql = (customers: string): string => `
  SELECT d.* FROM (${customerEventsSql(customers)}) e
    CROSS JOIN LATERAL (SELECT d.* FROM deliveries d WHERE d.event_id = e.id OFFSET 0) d`;

/**
 * Finds out whether the filter's customers are quiet: what is about them is then looked at event by event. That of busy
 * ones is looked for as anything else is, in their project if they are of one.
 */
export async function detectLowVolumeCustomers<Filter extends CustomerConditions>(
  sql: Sql,
  filter: Filter,
): Promise<Filter> {
  if (!filter.customerIds) return filter;
  const [about] = await sql.query<{ isQuiet: boolean; projectIds: string[] }>(
    `SELECT (SELECT count(*) FROM (${customerEventsSql('$1')}) e) <= ${MAX_CUSTOMER_EVENTS}
         AND (SELECT count(*) FROM (${customerDeliveriesSql('$1')} LIMIT ${MAX_LISTED_DELIVERIES + 1}) d) <= ${MAX_LISTED_DELIVERIES}
         AS "isQuiet",
       ARRAY(SELECT DISTINCT e.project_id FROM (${newestEventsSql('$1', 1)}) e) AS "projectIds"`,
    [filter.customerIds],
  );
  const { isQuiet, projectIds } = about!;
  if (isQuiet) return { ...filter, areLowVolume: true };
  return projectIds.length === 1 ? { ...filter, projectId: filter.projectId ?? projectIds[0]! } : filter;
}
