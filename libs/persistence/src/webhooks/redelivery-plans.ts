import { MAX_BATCH_SIZE, type Reach, type SkipCounts, type WebhookEndpoint } from '@gatehouse/domain';
import { Conditions } from '../conditions.js';
import { MAX_CREATED_AT_SKEW_MS, minIdAt } from '../uuid-v7.js';
import type { Tx } from '../transactions.js';
import { deliveriesWithin } from './deliveries.repository.js';
import { addDeliveryConditions, deliveryScanSql, type DeliveryFilter } from './delivery-filter.js';
import { detectLowVolumeCustomers } from './low-volume-customers.js';
import { skipReasonSql } from './redelivery-skip-reason.js';

/** The result of planning. The items are in the table. */
export interface RedeliveryPlan {
  total: number;
  eligible: number;
  notEligible: SkipCounts;
  endpointIds: string[];
  /** True if the plan may be incomplete: more deliveries match than one batch can scan or contain. */
  isTooLarge: boolean;
}

type PlanRow = Pick<RedeliveryPlan, 'eligible' | 'endpointIds'> & {
  looked: number;
  /** Number of deliveries by skip reason; eligible ones under "". */
  judged: Record<string, number>;
};

/** The events that one endpoint may have missed. */
export interface MissedEvents {
  /** Event types that the endpoint receives. */
  types: string[];
  since: Date;
  until: Date;
  /** The endpoint's id in the bodies of events about it. */
  publicEndpointId: string;
}

/** Maximum number of rows that planning scans, to stay within the timeout of its one statement. */
const PLAN_SCAN_LIMIT = 2 * MAX_BATCH_SIZE;

/** Stores the deliveries that a filter finds as the items of a batch. @param base as in `deliveryScanSql` */
export async function planRedelivery(
  tx: Tx,
  batchId: string,
  reach: Reach,
  requestedFilter: DeliveryFilter,
  base: string,
): Promise<RedeliveryPlan> {
  const filter = await detectLowVolumeCustomers(tx, requestedFilter);
  const where = addDeliveryConditions(deliveriesWithin(reach), filter);
  const scan = deliveryScanSql(where, reach, filter, {
    base,
    before: null,
    limit: PLAN_SCAN_LIMIT + 1,
    isOrdered: false,
  });
  const matched = `
    SELECT d.endpoint_id, d.event_id, d.id AS delivery_id, ${skipReasonSql(`'redelivery'`)} AS refusal
    FROM scanned d JOIN webhook_endpoints w ON w.id = d.endpoint_id JOIN events e ON e.id = d.event_id
    WHERE ${where.sql}`;
  return insertPlannedItems(tx, batchId, where, scan, matched);
}

/**
 * Stores the events that an endpoint would have received as the items of a batch: those of its project or
 * organization and of its types, except those about the endpoint itself.
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
  // Determined from the body, which is not read for other event types.
  const isAboutItself = `e.type LIKE 'webhook.%' AND strpos(e.body, ${where.bind(publicEndpointId)}) > 0`;
  const rows = (condition: string): string => `(
    SELECT e.id, e.type, e.customer_id, ${isAboutItself} AS is_about_itself FROM events e
    WHERE ${condition} AND e.id BETWEEN ${first} AND ${last} AND e.created_at BETWEEN ${from} AND ${to}
    ORDER BY e.id LIMIT ${limit})`;
  const owner = where.bind(endpoint.projectId ?? endpoint.organizationId);
  const scan = endpoint.projectId
    ? rows(`e.project_id = ${owner}`)
    : `SELECT e.* FROM projects p CROSS JOIN LATERAL ${rows('e.project_id = p.id')} e WHERE p.organization_id = ${owner}
       UNION ALL ${rows(`e.project_id IS NULL AND e.organization_id = ${owner}`)}
       LIMIT ${limit}`;
  const matched = `
    SELECT w.id AS endpoint_id, e.id AS event_id, d.id AS delivery_id, ${skipReasonSql(`'recovery'`)} AS refusal
    FROM scanned e JOIN webhook_endpoints w ON w.id = ${where.bind(endpoint.id)}
      LEFT JOIN LATERAL (
        SELECT d.* FROM deliveries d
        WHERE d.event_id = e.id AND d.endpoint_id = w.id AND d.redelivered_as IS NULL ORDER BY d.id DESC LIMIT 1
      ) d ON true
    WHERE e.type = ANY (${where.bind(types)}) AND NOT e.is_about_itself`;
  return insertPlannedItems(tx, batchId, where, scan, matched);
}

/**
 * Inserts the items of a batch.
 * @param matched SELECT from `scanned` that returns (endpoint_id, event_id, delivery_id, refusal)
 */
async function insertPlannedItems(
  tx: Tx,
  batchId: string,
  where: Conditions,
  scan: string,
  matched: string,
): Promise<RedeliveryPlan> {
  const [row] = await tx.query<PlanRow>(
    `WITH scanned AS MATERIALIZED (${scan}),
       -- If there are too many, none is checked.
       matched AS MATERIALIZED (${matched} AND (SELECT count(*) FROM scanned) <= ${PLAN_SCAN_LIMIT}),
       inserted AS (
         INSERT INTO redelivery_items (batch_id, endpoint_id, event_id, delivery_id)
         SELECT ${where.bind(batchId)}::uuid, endpoint_id, event_id, delivery_id FROM matched WHERE refusal IS NULL
         LIMIT ${MAX_BATCH_SIZE + 1}
         ON CONFLICT DO NOTHING RETURNING endpoint_id
       )
     SELECT (SELECT count(*)::int FROM scanned) AS looked, (SELECT count(*)::int FROM inserted) AS eligible,
       (SELECT coalesce(jsonb_object_agg(coalesce(refusal, ''), count), '{}') FROM (
          SELECT refusal, count(*)::int FROM matched GROUP BY refusal
        ) judged) AS judged,
       ARRAY(SELECT DISTINCT endpoint_id FROM inserted) AS "endpointIds"`,
    where.values,
  );
  const { looked, judged, eligible, endpointIds } = row!;
  const { '': accepted = 0, ...notEligible } = judged;
  const total = Object.values(judged).reduce((sum, count) => sum + count, 0);
  // Of several deliveries of one event to one endpoint, one is redelivered.
  const duplicates = accepted - eligible;
  if (duplicates > 0) notEligible['delivery_pending'] = (notEligible['delivery_pending'] ?? 0) + duplicates;
  const isTooLarge = looked > PLAN_SCAN_LIMIT || accepted > MAX_BATCH_SIZE;
  return { total, eligible, notEligible, endpointIds, isTooLarge };
}
