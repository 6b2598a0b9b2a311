// Raw SQL: statements that scan deliveries or events and insert the matches as items.
import {
  ALL_CUSTOM_EVENTS,
  MAX_BATCH_SIZE,
  type AccessScope,
  type SkipCounts,
  type WebhookEndpoint,
} from '@gatehouse/domain';
import type { Tx } from '../database/transactions.js';
import { eventTypeCondition } from '../events/event-type-condition.js';
import { Conditions, sampleAccessScopes } from '../sql/conditions.js';
import {
  arrayOf,
  dynamicStatement,
  integer,
  jsonb,
  uuid,
  type Query,
  type RowOf,
} from '../sql/statements.js';
import { MAX_CREATED_AT_SKEW_MS, minIdAt, NIL_UUID } from '../sql/uuid-v7.js';
import { deliveriesWithin } from './deliveries.repository.js';
import {
  addDeliveryConditions,
  deliveryScanSql,
  isDeadLetter,
  sampleDeliveryFilters,
  type DeliveryFilter,
} from './delivery-filter.js';
import { detectLowVolumeCustomers } from './low-volume-customers.js';
import { skipReason, skipReasonSql } from './redelivery-skip-reason.js';

/** The planning result. The items are in the table. */
export interface RedeliveryPlan {
  total: number;
  eligible: number;
  notEligible: SkipCounts;
  endpointIds: string[];
  /** True if the plan may be incomplete, because there are more deliveries than a batch can scan or contain. */
  isTooLarge: boolean;
}

/** The events that an endpoint may have missed. */
export interface MissedEvents {
  /** Event types that the endpoint receives. `app.*` matches all custom types. */
  types: string[];
  since: Date;
  until: Date;
  /** Endpoint id as it appears in the bodies of events about the endpoint. */
  publicEndpointId: string;
}

/** Maximum number of rows that planning scans, so that its single statement stays within the timeout. */
const PLAN_SCAN_LIMIT = 2 * MAX_BATCH_SIZE;

const planRow = {
  /** Number of scanned rows. */
  scanned: integer,
  /** Number of inserted items: eligible ones, and those whose endpoint is disabled. */
  eligible: integer,
  disabled: integer,
  /** Number of matches by skip reason. The key "" contains eligible ones. */
  matches: jsonb<Record<string, number>>(),
  endpointIds: arrayOf(uuid),
};

const insertMatchingDeliveries = dynamicStatement(
  planRow,
  (batchId: string, accessScope: AccessScope, filter: DeliveryFilter, base: string) => {
    const where = addDeliveryConditions(deliveriesWithin(accessScope), filter);
    const scan = deliveryScanSql(where, accessScope, filter, {
      base,
      before: null,
      limit: PLAN_SCAN_LIMIT + 1,
      isOrdered: false,
    });
    const matched = `
      SELECT d.endpoint_id, d.event_id, d.id AS delivery_id, ${skipReasonSql(`'redelivery'`)} AS skip_reason
      FROM scanned d JOIN webhook_endpoints w ON w.id = d.endpoint_id JOIN events e ON e.id = d.event_id
      WHERE ${where.sql}`;
    return insertItemsQuery(batchId, where, scan, matched);
  },
  sampleAccessScopes.flatMap((accessScope) =>
    sampleDeliveryFilters.flatMap((filter) =>
      [isDeadLetter, 'true'].map((base) => [NIL_UUID, accessScope, filter, base] as const),
    ),
  ),
);

type EventReceiver = Pick<WebhookEndpoint, 'id' | 'organizationId' | 'projectId'>;
const sampleReceiver: EventReceiver = { id: NIL_UUID, organizationId: NIL_UUID, projectId: null };
const sampleEvents: MissedEvents = {
  types: [],
  since: new Date(0),
  until: new Date(0),
  publicEndpointId: '',
};

const insertMissedEvents = dynamicStatement(
  planRow,
  (batchId: string, endpoint: EventReceiver, { types, since, until, publicEndpointId }: MissedEvents) => {
    const where = new Conditions();
    const [from, to] = [where.bind(since), where.bind(until)];
    const first = where.bind(minIdAt(since.getTime() - MAX_CREATED_AT_SKEW_MS));
    const last = where.bind(minIdAt(until.getTime() + MAX_CREATED_AT_SKEW_MS));
    const limit = where.bind(PLAN_SCAN_LIMIT + 1);
    // Reads and searches the body only for these event types.
    const isAboutEndpoint = `e.type LIKE 'webhook.%' AND strpos(e.body, ${where.bind(publicEndpointId)}) > 0`;
    const rows = (condition: string): string => `(
      SELECT e.id, e.type, e.customer_id, ${isAboutEndpoint} AS is_about_endpoint FROM events e
      WHERE ${condition} AND e.id BETWEEN ${first} AND ${last} AND e.created_at BETWEEN ${from} AND ${to}
      ORDER BY e.id LIMIT ${limit})`;
    const owner = where.bind(endpoint.projectId ?? endpoint.organizationId);
    const scan = endpoint.projectId
      ? rows(`e.project_id = ${owner}`)
      : `SELECT e.* FROM projects p CROSS JOIN LATERAL ${rows('e.project_id = p.id')} e WHERE p.organization_id = ${owner}
         UNION ALL ${rows(`e.project_id IS NULL AND e.organization_id = ${owner}`)}
         LIMIT ${limit}`;
    const matched = `
      SELECT w.id AS endpoint_id, e.id AS event_id, d.id AS delivery_id, ${skipReasonSql(`'recovery'`)} AS skip_reason
      FROM scanned e JOIN webhook_endpoints w ON w.id = ${where.bind(endpoint.id)}
        LEFT JOIN LATERAL (
          SELECT d.* FROM deliveries d
          WHERE d.event_id = e.id AND d.endpoint_id = w.id AND d.redelivered_as IS NULL ORDER BY d.id DESC LIMIT 1
        ) d ON true
      WHERE ${eventTypeCondition(where, 'e.type', types)} AND NOT e.is_about_endpoint`;
    return insertItemsQuery(batchId, where, scan, matched);
  },
  [
    [NIL_UUID, sampleReceiver, sampleEvents],
    [NIL_UUID, { ...sampleReceiver, projectId: NIL_UUID }, { ...sampleEvents, types: [ALL_CUSTOM_EVENTS] }],
  ],
);

/**
 * Returns a statement that inserts a batch's items.
 * @param matched SELECT from `scanned` that returns (endpoint_id, event_id, delivery_id, skip_reason)
 */
function insertItemsQuery(batchId: string, where: Conditions, scan: string, matched: string): Query {
  const sql = `
    WITH scanned AS MATERIALIZED (${scan}),
      -- Checks no rows if the scan found too many.
      matched AS MATERIALIZED (${matched} AND (SELECT count(*) FROM scanned) <= ${PLAN_SCAN_LIMIT}),
      inserted AS (
        -- Includes deliveries to disabled endpoints, because starting the batch can enable them.
        INSERT INTO redelivery_items (batch_id, endpoint_id, event_id, delivery_id, skipped)
        SELECT ${where.bind(batchId)}::uuid, endpoint_id, event_id, delivery_id, skip_reason FROM matched
        WHERE skip_reason IS NULL OR skip_reason = ${skipReason('endpoint_disabled')}
        LIMIT ${MAX_BATCH_SIZE + 1}
        ON CONFLICT DO NOTHING RETURNING endpoint_id, skipped
      )
    SELECT (SELECT count(*)::int FROM scanned) AS scanned,
      (SELECT count(*)::int FROM inserted WHERE skipped IS NULL) AS eligible,
      (SELECT count(*)::int FROM inserted WHERE skipped IS NOT NULL) AS disabled,
      (SELECT coalesce(jsonb_object_agg(coalesce(skip_reason, ''), count), '{}') FROM (
         SELECT skip_reason, count(*)::int FROM matched GROUP BY skip_reason
       ) counts) AS matches,
      ARRAY(SELECT DISTINCT endpoint_id FROM inserted WHERE skipped IS NULL) AS "endpointIds"`;
  return { text: sql, values: where.values };
}

/** Stores the deliveries that a filter matches as a batch's items. @param base as in `deliveryScanSql` */
export async function planRedelivery(
  tx: Tx,
  batchId: string,
  accessScope: AccessScope,
  requestedFilter: DeliveryFilter,
  base: string,
): Promise<RedeliveryPlan> {
  const filter = await detectLowVolumeCustomers(tx, requestedFilter);
  const [row] = await tx.execute(insertMatchingDeliveries(batchId, accessScope, filter, base));
  return toPlan(row!);
}

/**
 * Stores the events that an endpoint would have received as a batch's items: events with its types in its project or
 * organization, except those about the endpoint itself.
 */
export async function planRecovery(
  tx: Tx,
  batchId: string,
  endpoint: WebhookEndpoint,
  missed: MissedEvents,
): Promise<RedeliveryPlan> {
  const [row] = await tx.execute(insertMissedEvents(batchId, endpoint, missed));
  return toPlan(row!);
}

function toPlan(row: RowOf<typeof planRow>): RedeliveryPlan {
  const { scanned, matches, eligible, disabled, endpointIds } = row;
  const { '': accepted = 0, endpoint_disabled: matchingDisabled = 0, ...others } = matches;
  const total = Object.values(matches).reduce((sum, count) => sum + count, 0);
  const notEligible: SkipCounts = { ...others, ...(disabled > 0 && { endpoint_disabled: disabled }) };
  // If an event has several deliveries to the same endpoint, only one is redelivered.
  const duplicates = accepted + matchingDisabled - eligible - disabled;
  if (duplicates > 0) notEligible.delivery_pending = (notEligible.delivery_pending ?? 0) + duplicates;
  const isTooLarge = scanned > PLAN_SCAN_LIMIT || accepted + matchingDisabled > MAX_BATCH_SIZE;
  return { total, eligible, notEligible, endpointIds, isTooLarge };
}
