import { MAX_BATCH_SIZE, type Reach, type SkipCounts, type WebhookEndpoint } from '@gatehouse/domain';
import { Conditions } from '../conditions.js';
import { MAX_CREATED_AT_SKEW_MS, minIdAt } from '../uuid-v7.js';
import type { Tx } from '../transactions.js';
import { deliveriesWithin } from './deliveries.repository.js';
import { addDeliveryConditions, deliveryScanSql, type DeliveryFilter } from './delivery-filter.js';
import { detectLowVolumeCustomers } from './low-volume-customers.js';
import { skipReasonSql } from './redelivery-skip-reason.js';

/** What planning has found; the items are in the table. */
export interface RedeliveryPlan {
  total: number;
  eligible: number;
  notEligible: SkipCounts;
  endpointIds: string[];
  /** Something may be missing: more were to be looked at, or more are eligible, than one batch takes. */
  isTooLarge: boolean;
}

type PlanRow = Pick<RedeliveryPlan, 'eligible' | 'endpointIds'> & {
  looked: number;
  /** How many were refused for what; those that were not, under "". */
  judged: Record<string, number>;
};

/** The events of one endpoint that may have been missed. */
export interface MissedEvents {
  /** Types that the endpoint hears. */
  types: string[];
  since: Date;
  until: Date;
  /** As it stands in events about the endpoint. */
  publicEndpointId: string;
}

/** Rows that planning looks at: few enough for the time-out of its one statement. */
const PLAN_SCAN_LIMIT = 2 * MAX_BATCH_SIZE;

/** Freezes the deliveries that a filter finds as the items of a batch. @param base as in `deliveryScanSql` */
export async function planRedelivery(
  tx: Tx,
  batchId: string,
  reach: Reach,
  asked: DeliveryFilter,
  base: string,
): Promise<RedeliveryPlan> {
  const filter = await detectLowVolumeCustomers(tx, asked);
  const where = addDeliveryConditions(deliveriesWithin(reach), filter);
  const walk = deliveryScanSql(where, reach, filter, {
    base,
    before: null,
    limit: PLAN_SCAN_LIMIT + 1,
    isOrdered: false,
  });
  const matched = `
    SELECT d.endpoint_id, d.event_id, d.id AS delivery_id, ${skipReasonSql(`'redelivery'`)} AS refusal
    FROM walked d JOIN webhook_endpoints w ON w.id = d.endpoint_id JOIN events e ON e.id = d.event_id
    WHERE ${where.sql}`;
  return insertPlannedItems(tx, batchId, where, walk, matched);
}

/**
 * Freezes the events that an endpoint would have been told of: those that happened in its project or organization
 * and are of its types, but for those about itself.
 */
export function planRecovery(
  tx: Tx,
  batchId: string,
  endpoint: WebhookEndpoint,
  { types, since, until, publicEndpointId }: MissedEvents,
): Promise<RedeliveryPlan> {
  const where = new Conditions();
  const [from, to] = [where.bind(since), where.bind(until)];
  const first = where.bind(minIdAt(since.getTime() - MAX_CREATED_AT_SKEW_MS));
  const last = where.bind(minIdAt(until.getTime() + MAX_CREATED_AT_SKEW_MS));
  const limit = where.bind(PLAN_SCAN_LIMIT + 1);
  // Told from its bytes, which are not read for any other type.
  const isAboutItself = `e.type LIKE 'webhook.%' AND strpos(e.body, ${where.bind(publicEndpointId)}) > 0`;
  const rows = (condition: string): string => `(
    SELECT e.id, e.type, e.customer_id, ${isAboutItself} AS is_about_itself FROM events e
    WHERE ${condition} AND e.id BETWEEN ${first} AND ${last} AND e.created_at BETWEEN ${from} AND ${to}
    ORDER BY e.id LIMIT ${limit})`;
  const owner = where.bind(endpoint.projectId ?? endpoint.organizationId);
  const walk = endpoint.projectId
    ? rows(`e.project_id = ${owner}`)
    : `SELECT e.* FROM projects p CROSS JOIN LATERAL ${rows('e.project_id = p.id')} e WHERE p.organization_id = ${owner}
       UNION ALL ${rows(`e.project_id IS NULL AND e.organization_id = ${owner}`)}
       LIMIT ${limit}`;
  const matched = `
    SELECT w.id AS endpoint_id, e.id AS event_id, d.id AS delivery_id, ${skipReasonSql(`'recovery'`)} AS refusal
    FROM walked e JOIN webhook_endpoints w ON w.id = ${where.bind(endpoint.id)}
      LEFT JOIN LATERAL (
        SELECT d.* FROM deliveries d
        WHERE d.event_id = e.id AND d.endpoint_id = w.id AND d.redelivered_as IS NULL ORDER BY d.id DESC LIMIT 1
      ) d ON true
    WHERE e.type = ANY (${where.bind(types)}) AND NOT e.is_about_itself`;
  return insertPlannedItems(tx, batchId, where, walk, matched);
}

/** @param matched SELECT from `walked` that gives (endpoint_id, event_id, delivery_id, refusal) */
async function insertPlannedItems(
  tx: Tx,
  batchId: string,
  where: Conditions,
  walk: string,
  matched: string,
): Promise<RedeliveryPlan> {
  const [row] = await tx.query<PlanRow>(
    `WITH walked AS MATERIALIZED (${walk}),
       -- Of too many none is judged.
       matched AS MATERIALIZED (${matched} AND (SELECT count(*) FROM walked) <= ${PLAN_SCAN_LIMIT}),
       kept AS (
         INSERT INTO redelivery_items (batch_id, endpoint_id, event_id, delivery_id)
         SELECT ${where.bind(batchId)}::uuid, endpoint_id, event_id, delivery_id FROM matched WHERE refusal IS NULL
         LIMIT ${MAX_BATCH_SIZE + 1}
         ON CONFLICT DO NOTHING RETURNING endpoint_id
       )
     SELECT (SELECT count(*)::int FROM walked) AS looked, (SELECT count(*)::int FROM kept) AS eligible,
       (SELECT coalesce(jsonb_object_agg(coalesce(refusal, ''), count), '{}') FROM (
          SELECT refusal, count(*)::int FROM matched GROUP BY refusal
        ) judged) AS judged,
       ARRAY(SELECT DISTINCT endpoint_id FROM kept) AS "endpointIds"`,
    where.values,
  );
  const { looked, judged, eligible, endpointIds } = row!;
  const { '': accepted = 0, ...notEligible } = judged;
  const total = Object.values(judged).reduce((sum, count) => sum + count, 0);
  // Of several deliveries of one event to one endpoint one is brought again.
  const doubles = accepted - eligible;
  if (doubles > 0) notEligible['delivery_pending'] = (notEligible['delivery_pending'] ?? 0) + doubles;
  const isTooLarge = looked > PLAN_SCAN_LIMIT || accepted > MAX_BATCH_SIZE;
  return { total, eligible, notEligible, endpointIds, isTooLarge };
}
