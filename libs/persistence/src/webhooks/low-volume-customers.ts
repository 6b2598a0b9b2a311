// Raw SQL: bounded counts and scans per customer.
import type { Sql } from '../database/database.js';
import { ownerRangeCondition } from '../lists/owner-range-condition.js';
import { arrayOf, boolean, dynamicStatement, nullable, uuid } from '../sql/statements.js';
import { MAX_UUID, NIL_UUID } from '../sql/uuid-v7.js';

/** Maximum number of events about customers that are read one at a time. Most customers have a few dozen. */
const MAX_CUSTOMER_EVENTS = 5_000;

/** Maximum number of deliveries that are read one at a time. An event can have several per endpoint. */
export const MAX_LISTED_DELIVERIES = 20_000;

/** Filter fields for customers. */
interface CustomerConditions {
  projectId: string | null;
  customerIds?: string[] | null;
  areLowVolume?: boolean;
}

/** Returns SQL for the newest events `e` about each customer. */
const newestEventsSql = (customers: string, limit: number): string => `
  SELECT e.* FROM unnest(${customers}::uuid[]) c (id) CROSS JOIN LATERAL (
    SELECT e.id, e.project_id FROM events e
    WHERE ${ownerRangeCondition('e', 'customer_id', 'c.id', { first: `'${NIL_UUID}'`, past: `'${MAX_UUID}'` })}
    ORDER BY e.customer_id DESC, e.id DESC LIMIT ${limit}
  ) e`;

const customerEventsSql = (customers: string): string =>
  `${newestEventsSql(customers, MAX_CUSTOMER_EVENTS + 1)} LIMIT ${MAX_CUSTOMER_EVENTS + 1}`;

/**
 * Returns SQL for the deliveries `d` for events about low-volume customers. Conditions can be appended. The inner scan
 * of an event's deliveries does not apply them, because PostgreSQL would then read all dead letters for each event
 * during an outage.
 */
export const customerDeliveriesSql = (customers: string): string => `
  SELECT d.* FROM (${customerEventsSql(customers)}) e
    CROSS JOIN LATERAL (SELECT d.* FROM deliveries d WHERE d.event_id = e.id OFFSET 0) d`;

/** The statement is not prepared, because the plan depends on the number of customers. */
const measureVolume = dynamicStatement(
  { areLowVolume: boolean, projectIds: arrayOf(nullable(uuid)) },
  (customerIds: string[]) => ({
    text: `
      SELECT (SELECT count(*) FROM (${customerEventsSql('$1')}) e) <= ${MAX_CUSTOMER_EVENTS}
          AND (SELECT count(*) FROM (${customerDeliveriesSql('$1')} LIMIT ${MAX_LISTED_DELIVERIES + 1}) d) <= ${MAX_LISTED_DELIVERIES}
          AS "areLowVolume",
        ARRAY(SELECT DISTINCT e.project_id FROM (${newestEventsSql('$1', 1)}) e) AS "projectIds"`,
    values: [customerIds],
  }),
  [[[NIL_UUID]]],
);

/**
 * Determines whether the customers in a filter are low-volume, in which case their events are read one at a time.
 * Otherwise, the usual scan applies, narrowed to the customers' project if they have only one.
 */
export async function detectLowVolumeCustomers<Filter extends CustomerConditions>(
  sql: Sql,
  filter: Filter,
): Promise<Filter> {
  if (!filter.customerIds) return filter;
  const [row] = await sql.execute(measureVolume(filter.customerIds));
  const { areLowVolume, projectIds } = row!;
  if (areLowVolume) return { ...filter, areLowVolume };
  if (projectIds.length !== 1) return filter;
  return { ...filter, projectId: filter.projectId ?? projectIds[0] ?? null };
}
