import { URGENCY, type RedeliverySkipReason } from '@gatehouse/domain';
import { newId } from '@gatehouse/platform';
import type { Database } from '../database.js';
import type { Tx } from '../transactions.js';
import { IN_LOCK_ORDER } from './lock-order.js';
import { itemSkipReasonSql } from './redelivery-skip-reason.js';

/** Of batches, per endpoint: deliveries that wait for their first attempt. What one turn adds is never more. */
const MAX_UNATTEMPTED = 50;

/** Of batches, per endpoint: deliveries that are pending at all. So many failures at a time are retried, not 50,000. */
const MAX_PENDING = 1_000;

/** Items that one turn takes, in all: few enough for the time-out of its transaction. */
const MAX_ITEMS_PER_RUN = 2_000;

/** An item whose turn has come. */
interface Item {
  batchId: string;
  endpointId: string;
  eventId: string;
  deliveryId: string | null;
}

/** What became of an item. */
interface ProcessedItem {
  batchId: string;
  skipped: RedeliverySkipReason | null;
}

const isWaiting = 'i.redelivered_as IS NULL AND i.skipped IS NULL';

/**
 * The worker's side of bulk redeliveries: from time to time some of their items become deliveries. One worker at a
 * time does it for all batches and endpoints, so that the caps hold however many there are of each.
 */
export class RedeliveryProcessingRepository {
  /** @param firstDelayMs delay before the first attempt */
  constructor(
    private readonly database: Database,
    private readonly firstDelayMs: number,
  ) {}

  /** Whether there is something to be done, and the last turn was `everyMs` ago. */
  async isDue(everyMs: number): Promise<boolean> {
    const rows = await this.database.queryPrepared(
      `SELECT 1 FROM redelivery_feed f
       WHERE f.fed_at <= clock_timestamp() - $1 * interval '1 ms' AND EXISTS (
         SELECT FROM redelivery_batches WHERE finished_at IS NULL AND state IN ('running', 'cancelled'))`,
      [everyMs],
    );
    return rows.length > 0;
  }

  /**
   * Takes a turn, unless another worker has just done so: makes deliveries as far as there is room at their endpoints,
   * and ends batches of which nothing is left.
   * @returns how many deliveries were made
   */
  async releaseNext(tx: Tx, everyMs: number): Promise<number> {
    const [turn] = await tx.queryPrepared(
      `SELECT 1 FROM redelivery_feed WHERE fed_at <= clock_timestamp() - $1 * interval '1 ms' FOR UPDATE SKIP LOCKED`,
      [everyMs],
    );
    if (!turn) return 0;
    await tx.queryPrepared('UPDATE redelivery_feed SET fed_at = clock_timestamp()');
    // Held until the end: once a cancel has been answered, nothing more is made.
    const batches = await tx.queryPrepared<{ id: string }>(
      `SELECT id FROM redelivery_batches WHERE finished_at IS NULL AND state = 'running' AND waiting > 0
       ORDER BY id FOR NO KEY UPDATE SKIP LOCKED`,
    );
    const items = batches.length > 0 ? await this.pickItems(tx, batches) : [];
    const settled = items.length > 0 ? await this.redeliverItems(tx, items) : [];
    for (const { id } of batches) await this.updateCounts(tx, id, settled);
    await this.finishBatches(tx);
    return settled.filter(({ skipped }) => skipped === null).length;
  }

  /** The next items of each endpoint, oldest batch and oldest event first, as many as it has room for. */
  private pickItems(tx: Tx, batches: { id: string }[]): Promise<Item[]> {
    return tx.queryPrepared<Item>(
      `WITH line AS (
         SELECT b.id AS batch_id, unnest(b.endpoint_ids) AS endpoint_id FROM redelivery_batches b WHERE b.id = ANY ($1)
       ), room AS (
         -- What goes nowhere is only struck off.
         SELECT w.id, CASE WHEN w.status = 'enabled' THEN least($2 - taken.untried, $3 - taken.pending) ELSE $4 END AS free
         FROM webhook_endpoints w CROSS JOIN LATERAL (
           SELECT count(*)::int AS pending, (count(*) FILTER (WHERE d.attempt = 0))::int AS untried
           FROM deliveries d WHERE d.endpoint_id = w.id AND d.state = 'pending' AND d.batch_id IS NOT NULL
         ) taken
         WHERE w.id IN (SELECT endpoint_id FROM line)
       ), next AS (
         SELECT i.*, row_number() OVER (PARTITION BY room.id ORDER BY i.batch_id, i.event_id) AS nth, room.free
         FROM line JOIN room ON room.id = line.endpoint_id CROSS JOIN LATERAL (
           SELECT * FROM redelivery_items i
           WHERE i.batch_id = line.batch_id AND i.endpoint_id = line.endpoint_id AND ${isWaiting}
           ORDER BY i.event_id LIMIT greatest(room.free, 0)
         ) i
       )
       SELECT batch_id AS "batchId", endpoint_id AS "endpointId", event_id AS "eventId", delivery_id AS "deliveryId"
       FROM next WHERE nth <= free ORDER BY nth LIMIT $4`,
      [batches.map(({ id }) => id), MAX_UNATTEMPTED, MAX_PENDING, MAX_ITEMS_PER_RUN],
    );
  }

  /** Makes deliveries of items, or notes why not. What they are judged by is locked before. */
  private async redeliverItems(tx: Tx, items: Item[]): Promise<ProcessedItem[]> {
    // The customers first, as their deletion does: until this transaction ends they cannot go.
    await tx.queryPrepared(
      `SELECT 1 FROM customers c JOIN events e ON e.customer_id = c.id WHERE e.id = ANY ($1)
       ORDER BY c.id FOR KEY SHARE OF c`,
      [items.map(({ eventId }) => eventId)],
    );
    await tx.queryPrepared(`SELECT 1 FROM deliveries d WHERE d.id = ANY ($1) ${IN_LOCK_ORDER}`, [
      items.map(({ deliveryId }) => deliveryId).filter(Boolean),
    ]);
    return tx.queryPrepared<ProcessedItem>(
      `WITH judged AS (
         SELECT i.batch_id, i.endpoint_id, i.event_id, i.delivery_id, turn."newId" AS new_id, b.reason, b.started_by,
           e.organization_id, e.project_id, e.type, w.url, ${itemSkipReasonSql} AS refusal
         FROM json_to_recordset($1::json) AS turn ("batchId" uuid, "endpointId" uuid, "eventId" uuid, "newId" uuid)
           JOIN redelivery_items i ON i.batch_id = turn."batchId" AND i.endpoint_id = turn."endpointId"
             AND i.event_id = turn."eventId" AND ${isWaiting}
           JOIN redelivery_batches b ON b.id = i.batch_id
           JOIN webhook_endpoints w ON w.id = i.endpoint_id
           LEFT JOIN events e ON e.id = i.event_id
           LEFT JOIN deliveries d ON d.id = i.delivery_id
       ), made AS (
         INSERT INTO deliveries (id, organization_id, project_id, event_id, event_type, endpoint_id, target_url,
           next_attempt_at, redelivery_of, batch_id, urgency)
         SELECT new_id, organization_id, project_id, event_id, type, endpoint_id, url, now() + $2 * interval '1 ms',
           delivery_id, batch_id, ${URGENCY.batch}
         FROM judged WHERE refusal IS NULL
         ON CONFLICT (endpoint_id, event_id) WHERE state = 'pending' DO NOTHING
         RETURNING id
       ), resolved AS (
         UPDATE deliveries d SET redelivered_as = j.new_id, reason = j.reason, resolved_by = j.started_by,
           resolution = CASE WHEN d.state = 'failed' THEN 'redelivered' END
         FROM judged j JOIN made ON made.id = j.new_id WHERE d.id = j.delivery_id
       )
       UPDATE redelivery_items i SET redelivered_as = made.id,
         skipped = CASE WHEN made.id IS NULL THEN coalesce(j.refusal, 'delivery_pending') END
       FROM judged j LEFT JOIN made ON made.id = j.new_id
       WHERE i.batch_id = j.batch_id AND i.endpoint_id = j.endpoint_id AND i.event_id = j.event_id
       RETURNING i.batch_id AS "batchId", i.skipped`,
      [JSON.stringify(items.map((item) => ({ ...item, newId: newId() }))), this.firstDelayMs],
    );
  }

  private async updateCounts(tx: Tx, batchId: string, settled: ProcessedItem[]): Promise<void> {
    const own = settled.filter((item) => item.batchId === batchId);
    if (own.length === 0) return;
    const skipped = own.flatMap((item) => item.skipped ?? []);
    await tx.queryPrepared(
      `UPDATE redelivery_batches b SET waiting = waiting - $2, made = made + $3,
         skipped = (
           SELECT coalesce(jsonb_object_agg(reason, sum), '{}') FROM (
             SELECT reason, sum(count) FROM (
               SELECT key AS reason, value::int AS count FROM jsonb_each_text(b.skipped)
               UNION ALL SELECT reason, 1 FROM unnest($4::text[]) AS reason
             ) each GROUP BY reason
           ) sums
         )
       WHERE id = $1`,
      [batchId, own.length, own.length - skipped.length, skipped],
    );
  }

  /** A cancelled batch stays cancelled; it has ended when nothing of it is pending. */
  private async finishBatches(tx: Tx): Promise<void> {
    await tx.queryPrepared(
      `UPDATE redelivery_batches b SET finished_at = clock_timestamp(),
         state = CASE WHEN b.state = 'running' THEN 'completed' ELSE b.state END,
         results = (
           SELECT coalesce(jsonb_object_agg(state, count), '{}') FROM (
             SELECT d.state, count(*) FROM deliveries d WHERE d.batch_id = b.id GROUP BY d.state
           ) ended
         )
       WHERE b.finished_at IS NULL AND (b.state = 'cancelled' OR b.state = 'running' AND b.waiting = 0)
         AND NOT EXISTS (SELECT FROM deliveries d WHERE d.batch_id = b.id AND d.state = 'pending')`,
    );
  }
}
