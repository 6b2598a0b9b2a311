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

/** How deliveries of a batch have ended so far. */
export type RedeliveryResults = Partial<Record<'pending' | 'succeeded' | 'failed' | 'cancelled', number>>;

/** Many deliveries that are brought again, little by little. */
export interface RedeliveryBatch {
  id: string;
  /** Null for one of an operator's, which can reach every organization. */
  organizationId: string | null;
  /** Null for what reaches further than one project. */
  projectId: string | null;
  kind: RedeliveryKind;
  /** As it was sent. */
  filter: Record<string, unknown>;
  state: RedeliveryState;
  reason: string | null;
  /** As planned: what was found, of it the items, and what is not eligible. */
  total: number;
  eligible: number;
  notEligible: SkipCounts;
  /** Items whose turn has not come, those that became a delivery, and those that were left out. */
  waiting: number;
  made: number;
  skipped: SkipCounts;
  results: RedeliveryResults;
  createdBy: string;
  startedBy: string | null;
  cancelledBy: string | null;
  createdAt: Date;
  /** Until when a plan can be started. */
  expiresAt: Date | null;
  startedAt: Date | null;
  /** When nothing was left to be made and nothing pending. */
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

/** The makers' side of bulk redeliveries and recoveries. */
export class RedeliveryBatchesRepository {
  constructor(private readonly database: Database) {}

  /**
   * The transactions under way that have written events, or are about to: each holds this lock before it looks for the
   * endpoints that hear them, until it ends. Others, such as those of another database, do not matter here.
   */
  async listEventWriters(): Promise<string[]> {
    const writers = await this.database.queryPrepared<{ xact: string }>(
      `SELECT l.virtualtransaction AS xact FROM pg_locks l JOIN pg_database d ON d.oid = l.database
       WHERE l.locktype = 'relation' AND l.relation = 'events'::regclass AND d.datname = current_database()
         AND l.mode = 'RowExclusiveLock' AND l.granted`,
    );
    return writers.map(({ xact }) => xact);
  }

  /** Begins a batch, whose items are planned in the same transaction. */
  async insert(tx: Tx, batch: NewRedeliveryBatch): Promise<void> {
    await tx.queryPrepared(
      `INSERT INTO redelivery_batches (id, organization_id, project_id, kind, filter, created_by)
       VALUES ($1, $2, $3, $4, $5, $6)`,
      [batch.id, batch.organizationId, batch.projectId, batch.kind, batch.filter, batch.createdBy],
    );
  }

  /** Notes what planning has found. */
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

  /** Newest first. @param state as it is kept: a plan that is too old stays `planned` until housekeeping ends it */
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

  /** How many batches of the same list there are, as far as a bounded look finds out. */
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

  /** Lets a plan run. Of any number of parallel calls one succeeds. @returns false unless it was a plan that still held */
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

  /** Makes no more deliveries of a batch; those that are pending go on. @returns false unless it was planned or running */
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

  /** Ends plans that nobody has started in time, and forgets batches that ended more than `days` ago. */
  async prune(days: number, signal: AbortSignal): Promise<void> {
    await this.database.queryPrepared(
      `UPDATE redelivery_batches SET state = 'expired', finished_at = now()
       WHERE state = 'planned' AND finished_at IS NULL AND created_at < now() - interval '${PLAN_TTL_HOURS} hours'`,
    );
    const isOld = `finished_at < now() - $1 * interval '1 day'`;
    const ofOld = `batch_id IN (SELECT id FROM redelivery_batches WHERE ${isOld})`;
    await prune(this.database, signal, 'redelivery_items', ofOld, [days]);
    const isEmpty = `NOT EXISTS (SELECT FROM redelivery_items i WHERE i.batch_id = redelivery_batches.id)`;
    await prune(this.database, signal, 'redelivery_batches', `${isOld} AND ${isEmpty}`, [days]);
  }
}
