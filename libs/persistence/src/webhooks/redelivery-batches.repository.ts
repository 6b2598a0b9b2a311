// Raw SQL: access scope conditions, a bounded count, deletion in batches, and the pg_locks view.
import {
  notFound,
  PLAN_TTL_HOURS,
  type DeliveryState,
  type AccessScope,
  type RedeliveryKind,
  type RedeliveryState,
  type SkipCounts,
} from '@gatehouse/domain';
import type { Database } from '../database/database.js';
import { pruneStatement, pruneInBatches } from '../database/prune.js';
import type { Tx } from '../database/transactions.js';
import { cappedCount, COUNT_SCAN_LIMIT, type CappedCount } from '../lists/capped-count.js';
import { Conditions, sampleAccessScopes } from '../sql/conditions.js';
import {
  arrayOf,
  dynamicStatement,
  integer,
  jsonb,
  nullable,
  statement,
  text,
  textOf,
  timestamptz,
  uuid,
  type RowOf,
} from '../sql/statements.js';
import { NIL_UUID } from '../sql/uuid-v7.js';
import { RedeliveryBatchEntity } from './redelivery-batch.entity.js';
import type { RedeliveryPlan } from './redelivery-plans.js';
import { skipReason } from './redelivery-skip-reason.js';

const batchRow = {
  id: uuid,
  /** Null for an operator's batch, which can cover several organizations. */
  organizationId: nullable(uuid),
  /** Organizations that the operator who planned the batch was limited to; null for no limit. */
  organizationIds: nullable(arrayOf(uuid)),
  /** Null for a batch that covers several projects. */
  projectId: nullable(uuid),
  kind: textOf<RedeliveryKind>(),
  /** Filter as sent in the request. */
  filter: jsonb<Record<string, unknown>>(),
  state: textOf<RedeliveryState>(),
  reason: nullable(text),
  /** Planning result: counts of matching deliveries, items, and ineligible deliveries by reason. */
  total: integer,
  eligible: integer,
  notEligible: jsonb<SkipCounts>(),
  /** Progress: counts of waiting items, created deliveries, and skipped items by reason. */
  waiting: integer,
  created: integer,
  skipped: jsonb<SkipCounts>(),
  /** Number of the batch's deliveries by state. */
  results: jsonb<Partial<Record<DeliveryState, number>>>(),
  createdBy: text,
  startedBy: nullable(text),
  cancelledBy: nullable(text),
  createdAt: timestamptz,
  /** Time until which a plan can be started. */
  expiresAt: nullable(timestamptz),
  startedAt: nullable(timestamptz),
  /** Time at which no items were waiting and no deliveries pending anymore. */
  finishedAt: nullable(timestamptz),
};

/** A bulk redelivery or an endpoint recovery. Its deliveries are created gradually. */
export type RedeliveryBatch = RowOf<typeof batchRow>;

export type NewRedeliveryBatch = Pick<
  RedeliveryBatch,
  'id' | 'organizationId' | 'projectId' | 'kind' | 'filter' | 'createdBy'
> &
  Partial<Pick<RedeliveryBatchEntity, 'organizationIds'>>;

const batchColumns = `
  b.id, b.organization_id AS "organizationId", b.organization_ids AS "organizationIds", b.project_id AS "projectId", b.kind, b.filter, b.state, b.reason,
  b.total, b.eligible, b.not_eligible AS "notEligible", b.waiting, b.made AS created, b.skipped,
  coalesce(b.results, (
    SELECT jsonb_object_agg(state, count) FROM (
      SELECT d.state, count(*)::int FROM deliveries d WHERE d.batch_id = b.id GROUP BY d.state
    ) counts
  ), '{}') AS results,
  b.created_by AS "createdBy", b.started_by AS "startedBy", b.cancelled_by AS "cancelledBy",
  b.created_at AS "createdAt",
  CASE WHEN b.state = 'planned' THEN b.created_at + interval '${PLAN_TTL_HOURS} hours' END AS "expiresAt",
  b.started_at AS "startedAt", b.finished_at AS "finishedAt"`;

/**
 * Returns the condition that a batch is within an access scope. A recovery concerns a single endpoint, and is visible
 * wherever the endpoint is. A bulk redelivery for several projects also covers organizations that were created by its
 * creator's organizations. The access scope must therefore list the creator's organizations themselves, because it
 * extends only one level below the organizations that it lists.
 */
export function batchWithin(where: Conditions, table: string, accessScope: AccessScope): string {
  const isOwned = where.accessScopeCondition(table, `${table}.project_id`, accessScope);
  if (accessScope.projectId || !accessScope.organizationIds) return isOwned;
  const creators = `coalesce(${table}.organization_ids, ARRAY[${table}.organization_id])`;
  return `(${isOwned} AND (${table}.project_id IS NOT NULL OR ${table}.kind = 'recovery')
    OR ${creators} <@ ${where.bind(accessScope.organizationIds)}::uuid[])`;
}

function batchesWithin(accessScope: AccessScope): Conditions {
  const where = new Conditions();
  return where.add(batchWithin(where, 'b', accessScope));
}

const matchConditions = (accessScope: AccessScope, state: RedeliveryState | null): Conditions =>
  batchesWithin(accessScope).addIf(state, (value) => `b.state = ${value}`);

const sampleCalls = sampleAccessScopes.flatMap((accessScope) => [
  [accessScope, null] as const,
  [accessScope, 'planned'] as const,
]);

const listEventWriters = statement(
  { transactions: arrayOf(text) },
  `SELECT ARRAY(
     SELECT l.virtualtransaction FROM pg_locks l JOIN pg_database d ON d.oid = l.database
     WHERE l.locktype = 'relation' AND l.relation = 'events'::regclass AND d.datname = current_database()
       AND l.mode = 'RowExclusiveLock' AND l.granted
   ) AS transactions`,
);

const listBatches = dynamicStatement(
  batchRow,
  (accessScope: AccessScope, state: RedeliveryState | null, before: string | null, limit: number) => {
    const where = matchConditions(accessScope, state).addIf(before, (value) => `b.id < ${value}`);
    const sql = `
      SELECT ${batchColumns} FROM redelivery_batches b
      WHERE ${where.sql} ORDER BY b.id DESC LIMIT ${where.bind(limit)}`;
    return { text: sql, values: where.values };
  },
  sampleCalls.map((call) => [...call, NIL_UUID, 1] as const),
);

const countBatches = cappedCount(
  COUNT_SCAN_LIMIT,
  (accessScope: AccessScope, state: RedeliveryState | null) => ({
    where: matchConditions(accessScope, state),
    rows: `(SELECT b.* FROM redelivery_batches b ORDER BY b.id DESC LIMIT ${COUNT_SCAN_LIMIT}) b`,
  }),
  sampleCalls,
);

const findBatch = dynamicStatement(
  batchRow,
  (accessScope: AccessScope, id: string) => {
    const where = batchesWithin(accessScope);
    const sql = `
      SELECT ${batchColumns} FROM redelivery_batches b WHERE ${where.sql} AND b.id = ${where.bind(id)}`;
    return { text: sql, values: where.values };
  },
  sampleAccessScopes.map((accessScope) => [accessScope, NIL_UUID] as const),
);

const startBatch = dynamicStatement(
  { id: uuid },
  (accessScope: AccessScope, id: string, { reason, by }: { reason: string | null; by: string }) => {
    const where = batchesWithin(accessScope).add(`b.state = 'planned'`);
    where.add(`b.created_at > now() - interval '${PLAN_TTL_HOURS} hours'`);
    const sql = `
      UPDATE redelivery_batches b SET state = 'running', reason = ${where.bind(reason)},
        started_by = ${where.bind(by)}, started_at = now()
      WHERE ${where.sql} AND b.id = ${where.bind(id)} RETURNING b.id`;
    return { text: sql, values: where.values };
  },
  sampleAccessScopes.map((accessScope) => [accessScope, NIL_UUID, { reason: null, by: '' }] as const),
);

/** Changes the items for disabled endpoints from skipped to waiting. */
const admitDisabledItems = statement(
  { endpointIds: arrayOf(uuid) },
  `WITH admitted AS (
     UPDATE redelivery_items SET skipped = NULL WHERE batch_id = $1 AND skipped = ${skipReason('endpoint_disabled')}
     RETURNING endpoint_id
   )
   UPDATE redelivery_batches b SET eligible = b.eligible + added.count, waiting = b.waiting + added.count,
     not_eligible = CASE WHEN added.count > 0 THEN b.not_eligible - ${skipReason('endpoint_disabled')} ELSE b.not_eligible END,
     endpoint_ids = ARRAY(SELECT unnest(b.endpoint_ids) UNION SELECT unnest(added.endpoint_ids))
   FROM (SELECT count(*)::int AS count, array_agg(DISTINCT endpoint_id) AS endpoint_ids FROM admitted) added
   WHERE b.id = $1 RETURNING b.endpoint_ids AS "endpointIds"`,
);

const cancelBatch = dynamicStatement(
  { id: uuid },
  (accessScope: AccessScope, id: string, by: string) => {
    const where = batchesWithin(accessScope).add(`b.state IN ('planned', 'running')`);
    const sql = `
      UPDATE redelivery_batches b SET state = 'cancelled', cancelled_by = ${where.bind(by)},
        finished_at = CASE WHEN b.state = 'planned' THEN now() END
      WHERE ${where.sql} AND b.id = ${where.bind(id)} RETURNING b.id`;
    return { text: sql, values: where.values };
  },
  sampleAccessScopes.map((accessScope) => [accessScope, NIL_UUID, ''] as const),
);

const expirePlans = statement(
  {},
  `UPDATE redelivery_batches SET state = 'expired', finished_at = now()
   WHERE state = 'planned' AND finished_at IS NULL AND created_at < now() - interval '${PLAN_TTL_HOURS} hours'`,
);

const isOld = `finished_at < now() - $1 * interval '1 day'`;
const pruneItems = pruneStatement(
  'redelivery_items',
  `batch_id IN (SELECT id FROM redelivery_batches WHERE ${isOld})`,
);
const pruneBatches = pruneStatement(
  'redelivery_batches',
  `${isOld} AND NOT EXISTS (SELECT FROM redelivery_items i WHERE i.batch_id = redelivery_batches.id)`,
);

/** Bulk redelivery and recovery operations for the API and the console. */
export class RedeliveryBatchesRepository {
  constructor(private readonly database: Database) {}

  /**
   * Returns the open transactions that have written events or are about to write them. Each of them locks `events`
   * before it selects the receiving endpoints, and holds the lock until it ends. Excludes other transactions, such
   * as those in another database.
   */
  async listEventWriters(): Promise<string[]> {
    const [row] = await this.database.execute(listEventWriters);
    return row!.transactions;
  }

  /** Inserts a batch. Its items must be planned in the same transaction. */
  async insert(tx: Tx, batch: NewRedeliveryBatch): Promise<void> {
    await tx.manager.insert(RedeliveryBatchEntity, batch);
  }

  /** Saves the planning result. */
  async savePlan(
    tx: Tx,
    id: string,
    { total, eligible, notEligible, endpointIds }: RedeliveryPlan,
  ): Promise<void> {
    const plan = { total, eligible, waiting: eligible, notEligible, endpointIds };
    await tx.manager.update(RedeliveryBatchEntity, { id }, plan);
  }

  /**
   * Returns batches, newest first.
   * @param state stored state; an expired plan stays `planned` until `prune` changes it
   */
  list(
    accessScope: AccessScope,
    state: RedeliveryState | null,
    before: string | null,
    limit: number,
  ): Promise<RedeliveryBatch[]> {
    return this.database.execute(listBatches(accessScope, state, before, limit));
  }

  /** Counts the batches with this state in a bounded scan. */
  count(accessScope: AccessScope, state: RedeliveryState | null): Promise<CappedCount> {
    return countBatches(this.database, accessScope, state);
  }

  /** @throws GatehouseError `not_found` */
  async get(accessScope: AccessScope, id: string): Promise<RedeliveryBatch> {
    const [row] = await this.database.execute(findBatch(accessScope, id));
    if (!row) throw notFound();
    return row;
  }

  /**
   * Starts a plan. If calls run in parallel, exactly one returns true.
   * @returns false if the batch is not a plan or has expired
   */
  async start(
    tx: Tx,
    accessScope: AccessScope,
    id: string,
    start: { reason: string | null; by: string },
  ): Promise<boolean> {
    const rows = await tx.execute(startBatch(accessScope, id, start));
    return rows.length > 0;
  }

  /**
   * Adds deliveries whose endpoint was disabled at planning time to a batch that this transaction has started.
   * @returns all endpoint ids in the batch
   */
  async admitDisabled(tx: Tx, id: string): Promise<string[]> {
    const [batch] = await tx.execute(admitDisabledItems, [id]);
    return batch!.endpointIds;
  }

  /**
   * Stops creating a batch's deliveries. Pending ones continue.
   * @returns false if the batch is neither planned nor running
   */
  async cancel(tx: Tx, accessScope: AccessScope, id: string, by: string): Promise<boolean> {
    const rows = await tx.execute(cancelBatch(accessScope, id, by));
    return rows.length > 0;
  }

  /** Expires plans that were not started in time, and removes batches that finished more than `days` ago. */
  async prune(days: number, signal: AbortSignal): Promise<void> {
    await this.database.execute(expirePlans);
    await pruneInBatches(this.database, signal, pruneItems, [days]);
    await pruneInBatches(this.database, signal, pruneBatches, [days]);
  }
}
