import {
  notFound,
  PLAN_TTL_HOURS,
  type Reach,
  type RedeliveryKind,
  type RedeliveryState,
  type SkipCounts,
} from '@gatehouse/domain';
import { countMatches, COUNT_SCAN_LIMIT, type CappedCount } from '../capped-count.js';
import { Conditions } from '../conditions.js';
import type { Database } from '../database.js';
import { prune } from '../prune.js';
import type { Tx } from '../transactions.js';
import type { RedeliveryPlan } from './redelivery-plans.js';

/** Number of deliveries of a batch by state. */
export type RedeliveryResults = Partial<Record<'pending' | 'succeeded' | 'failed' | 'cancelled', number>>;

/** A bulk redelivery or the recovery of an endpoint, whose deliveries are created gradually. */
export interface RedeliveryBatch {
  id: string;
  /** Null for a batch of an operator, which can cover every organization. */
  organizationId: string | null;
  /** Null for a batch that covers several projects. */
  projectId: string | null;
  kind: RedeliveryKind;
  /** The filter as it was sent. */
  filter: Record<string, unknown>;
  state: RedeliveryState;
  reason: string | null;
  /** The plan: the deliveries found, the number of items, and the ineligible deliveries by reason. */
  total: number;
  eligible: number;
  notEligible: SkipCounts;
  /** Number of waiting items, of items that became a delivery, and of skipped items by reason. */
  waiting: number;
  made: number;
  skipped: SkipCounts;
  results: RedeliveryResults;
  createdBy: string;
  startedBy: string | null;
  cancelledBy: string | null;
  createdAt: Date;
  /** Time until which a plan can be started. */
  expiresAt: Date | null;
  startedAt: Date | null;
  /** Time at which no item was waiting and no delivery pending. */
  finishedAt: Date | null;
}

export type NewRedeliveryBatch = Pick<
  RedeliveryBatch,
  'id' | 'organizationId' | 'projectId' | 'kind' | 'filter' | 'createdBy'
>;

const columns = `
  b.id, b.organization_id AS "organizationId", b.project_id AS "projectId", b.kind, b.filter, b.state, b.reason,
  b.total, b.eligible, b.not_eligible AS "notEligible", b.waiting, b.made, b.skipped,
  coalesce(b.results, (
    SELECT jsonb_object_agg(state, count) FROM (
      SELECT d.state, count(*)::int FROM deliveries d WHERE d.batch_id = b.id GROUP BY d.state
    ) ended
  ), '{}') AS results,
  b.created_by AS "createdBy", b.started_by AS "startedBy", b.cancelled_by AS "cancelledBy",
  b.created_at AS "createdAt",
  CASE WHEN b.state = 'planned' THEN b.created_at + interval '${PLAN_TTL_HOURS} hours' END AS "expiresAt",
  b.started_at AS "startedAt", b.finished_at AS "finishedAt"`;

const within = (reach: Reach): Conditions => new Conditions().addReach('b', 'b.project_id', reach);
const stateConditions = (reach: Reach, state: RedeliveryState | null): Conditions =>
  within(reach).addIf(state, (value) => `b.state = ${value}`);

/** Bulk redeliveries and recoveries for the API and the console. */
export class RedeliveryBatchesRepository {
  constructor(private readonly database: Database) {}

  /**
   * Returns the open transactions that have written events or are about to: each acquires a lock on `events`
   * before it selects the endpoints that receive them, and holds the lock until it ends. Other transactions,
   * such as those of another database, are irrelevant here.
   */
  async listEventWriters(): Promise<string[]> {
    const writers = await this.database.queryPrepared<{ xact: string }>(
      `SELECT l.virtualtransaction AS xact FROM pg_locks l JOIN pg_database d ON d.oid = l.database
       WHERE l.locktype = 'relation' AND l.relation = 'events'::regclass AND d.datname = current_database()
         AND l.mode = 'RowExclusiveLock' AND l.granted`,
    );
    return writers.map(({ xact }) => xact);
  }

  /** Inserts a batch. Its items are planned in the same transaction. */
  async insert(tx: Tx, batch: NewRedeliveryBatch): Promise<void> {
    await tx.queryPrepared(
      `INSERT INTO redelivery_batches (id, organization_id, project_id, kind, filter, created_by)
       VALUES ($1, $2, $3, $4, $5, $6)`,
      [batch.id, batch.organizationId, batch.projectId, batch.kind, batch.filter, batch.createdBy],
    );
  }

  /** Saves the result of planning. */
  async savePlan(
    tx: Tx,
    id: string,
    { total, eligible, notEligible, endpointIds }: RedeliveryPlan,
  ): Promise<void> {
    await tx.queryPrepared(
      `UPDATE redelivery_batches SET total = $2, eligible = $3, waiting = $3, not_eligible = $4, endpoint_ids = $5 WHERE id = $1`,
      [id, total, eligible, notEligible, endpointIds],
    );
  }

  /**
   * Returns batches, newest first.
   * @param state as stored: a plan that has expired stays `planned` until `prune` ends it
   */
  async list(
    reach: Reach,
    state: RedeliveryState | null,
    before: string | null,
    limit: number,
  ): Promise<RedeliveryBatch[]> {
    const where = stateConditions(reach, state).addIf(before, (value) => `b.id < ${value}`);
    return this.database.query<RedeliveryBatch>(
      `SELECT ${columns} FROM redelivery_batches b WHERE ${where.sql} ORDER BY b.id DESC LIMIT ${where.bind(limit)}`,
      where.values,
    );
  }

  /** Counts the batches of the same list in a bounded scan. */
  count(reach: Reach, state: RedeliveryState | null): Promise<CappedCount> {
    const { sql: isMatch, values } = stateConditions(reach, state);
    const rows = `(SELECT b.* FROM redelivery_batches b ORDER BY b.id DESC LIMIT ${COUNT_SCAN_LIMIT}) b`;
    return countMatches(this.database, { rows, isMatch, values }, COUNT_SCAN_LIMIT);
  }

  /** @throws GatehouseError `not_found` */
  async get(reach: Reach, id: string): Promise<RedeliveryBatch> {
    const where = within(reach);
    const [row] = await this.database.query<RedeliveryBatch>(
      `SELECT ${columns} FROM redelivery_batches b WHERE ${where.sql} AND b.id = ${where.bind(id)}`,
      where.values,
    );
    if (!row) throw notFound();
    return row;
  }

  /**
   * Starts a plan. Of several parallel calls one succeeds.
   * @returns false unless it was a plan that had not expired
   */
  async start(
    tx: Tx,
    reach: Reach,
    id: string,
    { reason, by }: { reason: string | null; by: string },
  ): Promise<boolean> {
    const where = within(reach).add(`b.state = 'planned'`);
    where.add(`b.created_at > now() - interval '${PLAN_TTL_HOURS} hours'`);
    const rows = await tx.query(
      `UPDATE redelivery_batches b SET state = 'running', reason = ${where.bind(reason)},
         started_by = ${where.bind(by)}, started_at = now()
       WHERE ${where.sql} AND b.id = ${where.bind(id)} RETURNING b.id`,
      where.values,
    );
    return rows.length > 0;
  }

  /**
   * Stops creating deliveries of a batch; pending ones continue.
   * @returns false unless it was planned or running
   */
  async cancel(tx: Tx, reach: Reach, id: string, by: string): Promise<boolean> {
    const where = within(reach).add(`b.state IN ('planned', 'running')`);
    const rows = await tx.query(
      `UPDATE redelivery_batches b SET state = 'cancelled', cancelled_by = ${where.bind(by)},
         finished_at = CASE WHEN b.state = 'planned' THEN now() END
       WHERE ${where.sql} AND b.id = ${where.bind(id)} RETURNING b.id`,
      where.values,
    );
    return rows.length > 0;
  }

  /** Ends plans that were not started in time, and removes batches that ended more than `days` ago. */
  async prune(days: number, signal: AbortSignal): Promise<void> {
    await this.database.queryPrepared(
      `UPDATE redelivery_batches SET state = 'expired', finished_at = now()
       WHERE state = 'planned' AND finished_at IS NULL AND created_at < now() - interval '${PLAN_TTL_HOURS} hours'`,
    );
    const isOld = `finished_at < now() - $1 * interval '1 day'`;
    const isOfOldBatch = `batch_id IN (SELECT id FROM redelivery_batches WHERE ${isOld})`;
    await prune(this.database, signal, 'redelivery_items', isOfOldBatch, [days]);
    const isEmpty = `NOT EXISTS (SELECT FROM redelivery_items i WHERE i.batch_id = redelivery_batches.id)`;
    await prune(this.database, signal, 'redelivery_batches', `${isOld} AND ${isEmpty}`, [days]);
  }
}
