// Raw SQL: locks, limits per endpoint, and bulk updates.
import { URGENCY, type RedeliverySkipReason } from '@gatehouse/domain';
import { newId } from '@gatehouse/platform';
import type { Tx } from '../database/transactions.js';
import { nullable, statement, textOf, uuid, type RowOf } from '../sql/statements.js';
import { IN_LOCK_ORDER } from './lock-order.js';
import { itemSkipReasonSql } from './redelivery-skip-reason.js';

/**
 * Maximum number of batch deliveries per endpoint that wait for their first attempt. A run therefore creates at most
 * this many for an endpoint.
 */
const MAX_UNATTEMPTED = 50;

/**
 * Maximum number of pending batch deliveries per endpoint. It limits concurrent retries, so that 50,000 failures are
 * not retried at once.
 */
const MAX_PENDING = 1_000;

/** Maximum total number of items per run, so that it stays within its transaction's timeout. */
const MAX_ITEMS_PER_RUN = 2_000;

const isWaiting = 'i.redelivered_as IS NULL AND i.skipped IS NULL';

/** Condition that a batch has deliveries to create or to wait for. */
export const isUnfinishedBatch = `finished_at IS NULL AND state IN ('running', 'cancelled')`;

const lockDueRun = statement(
  {},
  `SELECT FROM redelivery_feed WHERE fed_at <= clock_timestamp() - $1 * interval '1 ms' FOR UPDATE SKIP LOCKED`,
);

const recordRun = statement({}, 'UPDATE redelivery_feed SET fed_at = clock_timestamp()');

const lockRunningBatches = statement(
  { id: uuid },
  `SELECT id FROM redelivery_batches WHERE finished_at IS NULL AND state = 'running' AND waiting > 0
   ORDER BY id FOR NO KEY UPDATE SKIP LOCKED`,
);

/** Row map for items to process. */
const itemRow = { batchId: uuid, endpointId: uuid, eventId: uuid, deliveryId: nullable(uuid) };
type Item = RowOf<typeof itemRow>;

const findNextItems = statement(
  itemRow,
  `WITH queue AS (
     SELECT b.id AS batch_id, unnest(b.endpoint_ids) AS endpoint_id FROM redelivery_batches b WHERE b.id = ANY ($1)
   ), capacity AS (
     -- Items of endpoints that are not enabled are only skipped, so the limits do not apply.
     SELECT w.id, CASE WHEN w.status = 'enabled' THEN least($2 - used.unattempted, $3 - used.pending) ELSE $4 END AS free
     FROM webhook_endpoints w CROSS JOIN LATERAL (
       SELECT count(*)::int AS pending, (count(*) FILTER (WHERE d.attempt = 0))::int AS unattempted
       FROM deliveries d WHERE d.endpoint_id = w.id AND d.state = 'pending' AND d.batch_id IS NOT NULL
     ) used
     WHERE w.id IN (SELECT endpoint_id FROM queue)
   ), next AS (
     SELECT i.*, row_number() OVER (PARTITION BY capacity.id ORDER BY i.batch_id, i.event_id) AS rank, capacity.free
     FROM queue JOIN capacity ON capacity.id = queue.endpoint_id CROSS JOIN LATERAL (
       SELECT * FROM redelivery_items i
       WHERE i.batch_id = queue.batch_id AND i.endpoint_id = queue.endpoint_id AND ${isWaiting}
       ORDER BY i.event_id LIMIT greatest(capacity.free, 0)
     ) i
   )
   SELECT batch_id AS "batchId", endpoint_id AS "endpointId", event_id AS "eventId", delivery_id AS "deliveryId"
   FROM next WHERE rank <= free ORDER BY rank LIMIT $4`,
);

const lockCustomers = statement(
  {},
  `SELECT FROM customers c JOIN events e ON e.customer_id = c.id WHERE e.id = ANY ($1)
   ORDER BY c.id FOR KEY SHARE OF c`,
);

const lockDeliveries = statement({}, `SELECT FROM deliveries d WHERE d.id = ANY ($1) ${IN_LOCK_ORDER}`);

/** Row map for processed items. An item became a delivery if `skipped` is null. */
const processedRow = { batchId: uuid, skipped: nullable(textOf<RedeliverySkipReason>()) };
type ProcessedItem = RowOf<typeof processedRow>;

const createDeliveries = statement(
  processedRow,
  `WITH checked AS (
     SELECT i.batch_id, i.endpoint_id, i.event_id, i.delivery_id, input."newId" AS new_id, b.reason, b.started_by,
       e.organization_id, e.project_id, e.type, w.url, ${itemSkipReasonSql} AS skip_reason
     FROM json_to_recordset($1::json) AS input ("batchId" uuid, "endpointId" uuid, "eventId" uuid, "newId" uuid)
       JOIN redelivery_items i ON i.batch_id = input."batchId" AND i.endpoint_id = input."endpointId"
         AND i.event_id = input."eventId" AND ${isWaiting}
       JOIN redelivery_batches b ON b.id = i.batch_id
       JOIN webhook_endpoints w ON w.id = i.endpoint_id
       LEFT JOIN events e ON e.id = i.event_id
       LEFT JOIN deliveries d ON d.id = i.delivery_id
   ), created AS (
     INSERT INTO deliveries (id, organization_id, project_id, event_id, event_type, endpoint_id, target_url,
       next_attempt_at, redelivery_of, batch_id, urgency)
     SELECT new_id, organization_id, project_id, event_id, type, endpoint_id, url, now() + $2 * interval '1 ms',
       delivery_id, batch_id, ${URGENCY.batch}
     FROM checked WHERE skip_reason IS NULL
     ON CONFLICT (endpoint_id, event_id) WHERE state = 'pending' DO NOTHING
     RETURNING id
   ), resolved AS (
     UPDATE deliveries d SET redelivered_as = checked.new_id, reason = checked.reason,
       resolved_by = checked.started_by,
       resolution = CASE WHEN d.state = 'failed' THEN 'redelivered' END
     FROM checked JOIN created ON created.id = checked.new_id WHERE d.id = checked.delivery_id
   )
   UPDATE redelivery_items i SET redelivered_as = created.id,
     skipped = CASE WHEN created.id IS NULL THEN coalesce(checked.skip_reason, 'delivery_pending') END
   FROM checked LEFT JOIN created ON created.id = checked.new_id
   WHERE i.batch_id = checked.batch_id AND i.endpoint_id = checked.endpoint_id
     AND i.event_id = checked.event_id
   RETURNING i.batch_id AS "batchId", i.skipped`,
);

const addToCounts = statement(
  {},
  `UPDATE redelivery_batches b SET waiting = waiting - $2, made = made + $3,
     skipped = (
       SELECT coalesce(jsonb_object_agg(reason, sum), '{}') FROM (
         SELECT reason, sum(count) FROM (
           SELECT key AS reason, value::int AS count FROM jsonb_each_text(b.skipped)
           UNION ALL SELECT reason, 1 FROM unnest($4::text[]) AS reason
         ) counts GROUP BY reason
       ) sums
     )
   WHERE id = $1`,
);

/** Finishes batches without remaining work. A running batch becomes completed, and a cancelled one stays cancelled. */
const finishBatches = statement(
  {},
  `UPDATE redelivery_batches b SET finished_at = clock_timestamp(),
     state = CASE WHEN b.state = 'running' THEN 'completed' ELSE b.state END,
     results = (
       SELECT coalesce(jsonb_object_agg(state, count), '{}') FROM (
         SELECT d.state, count(*) FROM deliveries d WHERE d.batch_id = b.id GROUP BY d.state
       ) counts
     )
   WHERE b.finished_at IS NULL AND (b.state = 'cancelled' OR b.state = 'running' AND b.waiting = 0)
     AND NOT EXISTS (SELECT FROM deliveries d WHERE d.batch_id = b.id AND d.state = 'pending')`,
);

/**
 * Bulk redelivery operations for the worker, which periodically turns some of the items into deliveries. One worker
 * at a time does this for all batches and endpoints, so that the limits hold for any number of workers and batches.
 */
export class RedeliveryProcessingRepository {
  /** Creates the repository. @param firstDelayMs delay before the first attempt in ms */
  constructor(private readonly firstDelayMs: number) {}

  /**
   * Performs a run unless a worker has done so within the last `everyMs` ms: creates deliveries up to each endpoint's capacity, and
   * finishes completed batches.
   * @returns the number of created deliveries
   */
  async releaseNext(tx: Tx, everyMs: number): Promise<number> {
    const [run] = await tx.execute(lockDueRun, [everyMs]);
    if (!run) return 0;
    await tx.execute(recordRun);
    // Locks the batches until the end of the run, so that no more deliveries are created after the response to a
    // cancellation.
    const batches = await tx.execute(lockRunningBatches);
    const items = batches.length > 0 ? await this.findItems(tx, batches) : [];
    const processed = items.length > 0 ? await this.redeliverItems(tx, items) : [];
    for (const { id } of batches) await this.updateCounts(tx, id, processed);
    await tx.execute(finishBatches);
    return processed.filter(({ skipped }) => skipped === null).length;
  }

  /** Returns each endpoint's next items up to its capacity, oldest batch and oldest event first. */
  private findItems(tx: Tx, batches: { id: string }[]): Promise<Item[]> {
    const ids = batches.map(({ id }) => id);
    return tx.execute(findNextItems, [ids, MAX_UNATTEMPTED, MAX_PENDING, MAX_ITEMS_PER_RUN]);
  }

  /** Creates the items' deliveries, or records why they are skipped. First locks the rows that this depends on. */
  private async redeliverItems(tx: Tx, items: Item[]): Promise<ProcessedItem[]> {
    // Prevents deletion of the customers until this transaction ends. Locks customers before deliveries, in the same
    // order as a deletion.
    await tx.execute(lockCustomers, [items.map(({ eventId }) => eventId)]);
    await tx.execute(lockDeliveries, [items.flatMap(({ deliveryId }) => deliveryId ?? [])]);
    const input = JSON.stringify(items.map((item) => ({ ...item, newId: newId() })));
    return tx.execute(createDeliveries, [input, this.firstDelayMs]);
  }

  private async updateCounts(tx: Tx, batchId: string, processed: ProcessedItem[]): Promise<void> {
    const own = processed.filter((item) => item.batchId === batchId);
    if (own.length === 0) return;
    const skipped = own.flatMap((item) => item.skipped ?? []);
    await tx.execute(addToCounts, [batchId, own.length, own.length - skipped.length, skipped]);
  }
}
