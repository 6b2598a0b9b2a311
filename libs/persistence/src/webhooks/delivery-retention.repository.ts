// Raw SQL: deletion in batches, and changes to partitions.
import { GatehouseError } from '@gatehouse/domain';
import { errorCode, errorMessage, now, sleep } from '@gatehouse/platform';
import type { Database, Sql } from '../database/database.js';
import { orderedPruneStatement, pruneInIdOrder } from '../database/prune.js';
import type { Transactions, Tx } from '../database/transactions.js';
import { arrayOf, boolean, dynamicStatement, nullable, statement, uuid } from '../sql/statements.js';
import { MAX_CLOCK_SKEW_MS, minIdAt, NIL_UUID, parseIdTime } from '../sql/uuid-v7.js';
import {
  attachPartition,
  createAttemptsTable,
  dropPartition,
  startOfDay,
  isRetained,
  renameToRetained,
  retainedPartitionName,
  listPartitions,
  lockPartitions,
  type AttemptPartition,
} from './attempt-partitions.js';

/** Advisory lock key for retention. Must be the same in every process. */
const RETENTION_LOCK = 7_120_916;

/** Maximum number of deliveries whose attempts one transaction copies, so that it stays well within its timeout. */
const MAX_MOVED_DELIVERIES = 10_000;

/** A retained partition with more rows than this is not merged with the next day. */
const MAX_MERGED_ROWS = 50_000;

const BATCH_SIZE = 5_000;

/** Maximum time in ms to wait for a lock on attempts, because all other reads and writes of attempts wait as well. */
const LOCK_TIMEOUT_MS = 500;
const MAX_LOCK_ATTEMPTS = 5;
const LOCK_RETRY_DELAY_MS = 1_000;

/** PostgreSQL error code for a statement that was canceled by `statement_timeout`. */
const STATEMENT_TIMEOUT = '57014';

const pruneDeliveries = orderedPruneStatement(
  'deliveries',
  `(t.state IN ('succeeded', 'cancelled') OR t.resolution IS NOT NULL) AND t.finished_at < $3`,
);

const pruneEvents = orderedPruneStatement(
  'events',
  `t.created_at < $3 AND NOT EXISTS (SELECT FROM deliveries d WHERE d.event_id = t.id)`,
);

const pruneAttempts = orderedPruneStatement(
  'attempts',
  'NOT EXISTS (SELECT FROM deliveries d WHERE d.id = t.delivery_id)',
);

const tryRetentionLock = statement(
  { isAcquired: boolean },
  'SELECT pg_try_advisory_xact_lock($1) AS "isAcquired"',
);

/**
 * Scans the next batch of deliveries for retained ones that have attempts in a partition. Returns the last scanned id
 * if the batch is full.
 */
const findRetainedDeliveries = dynamicStatement(
  { ids: arrayOf(uuid), last: nullable(uuid) },
  (partition: string, after: string, before: string, finishedSince: Date) => ({
    text: `
      WITH scanned AS MATERIALIZED (
        SELECT id, finished_at FROM deliveries WHERE id > $1 AND id < $2 ORDER BY id LIMIT ${BATCH_SIZE}
      )
      SELECT (SELECT id FROM scanned ORDER BY id OFFSET ${BATCH_SIZE - 1}) AS last, ARRAY(
        SELECT id FROM scanned d WHERE coalesce(finished_at >= $3, true)
          AND EXISTS (SELECT FROM ${partition} a WHERE a.delivery_id = d.id)
      ) AS ids`,
    values: [after, before, finishedSince],
  }),
  [['attempts', NIL_UUID, NIL_UUID, new Date(0)]],
);

/** Copies attempts. Reads from the parent table, whose column order matches the new table. */
const copyAttempts = dynamicStatement(
  {},
  ({ from, to }: AttemptPartition, target: string, deliveryIds: string[] | null) => {
    const isCopied = deliveryIds ? 'a.delivery_id = ANY ($3)' : 'true';
    return {
      text: `INSERT INTO ${target} SELECT a.* FROM attempts a WHERE a.id >= $1 AND a.id < $2 AND ${isCopied}`,
      values: [from, to, ...(deliveryIds ? [deliveryIds] : [])],
    };
  },
  [null, [NIL_UUID]].map((ids) => [{ name: '', from: NIL_UUID, to: NIL_UUID }, 'attempts', ids] as const),
);

const tableStatement = (build: (table: string) => string) =>
  dynamicStatement({}, (table: string) => ({ text: build(table), values: [] }), [['attempts']]);

const findRow = tableStatement((table) => `SELECT FROM ${table} LIMIT 1`);
const findExcessRow = tableStatement((table) => `SELECT FROM ${table} OFFSET ${MAX_MERGED_ROWS} LIMIT 1`);
const lockTable = tableStatement((table) => `LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
const lockTableAgainstWrites = tableStatement((table) => `LOCK TABLE ${table} IN SHARE MODE`);

const limitLockWait = statement({}, `SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
const lockParentTable = statement({}, 'LOCK TABLE ONLY attempts IN ACCESS EXCLUSIVE MODE');

/**
 * Removes events, deliveries and attempts after their retention. A delivery is removed if it finished before the
 * retention period and is not an unresolved dead letter. Attempts and events are kept as long as their deliveries.
 */
export class DeliveryRetentionRepository {
  constructor(
    private readonly database: Database,
    private readonly transactions: Transactions,
  ) {}

  /**
   * Removes expired data by day (UTC). Stops before the next step once the signal is aborted.
   * @throws Error that lists the partitions that could not be changed, after all others have been processed
   */
  async prune(retentionMs: number, signal: AbortSignal): Promise<void> {
    const until = startOfDay(now().getTime() - retentionMs);
    const before = minIdAt(until);
    await pruneInIdOrder(this.database, signal, pruneDeliveries, { before }, [new Date(until)]);
    await pruneInIdOrder(this.database, signal, pruneEvents, { before }, [new Date(until)]);
    const failed = new Map<string, unknown>();
    const isExpired = (each: AttemptPartition): boolean => each.to <= before && !isRetained(each);
    const hasCompleted = await this.forEachPartition(isExpired, failed, (day) => this.dropDay(day, signal));
    if (hasCompleted)
      await this.forEachPartition(isRetained, failed, (partition) => this.pruneRetained(partition, signal));
    if (failed.size === 0) return;
    const [[, cause]] = [...failed] as [[string, unknown]];
    throw new Error(`${[...failed.keys()].join(', ')}: ${errorMessage(cause)}`, { cause });
  }

  /**
   * Processes partitions until another worker takes over. A failure in one partition does not affect the others.
   * @returns false if another worker has taken over or the signal is aborted
   */
  private async forEachPartition(
    isSelected: (partition: AttemptPartition) => boolean,
    failed: Map<string, unknown>,
    work: (partition: AttemptPartition) => Promise<boolean>,
  ): Promise<boolean> {
    for (const partition of (await listPartitions(this.database)).filter(isSelected)) {
      try {
        if (!(await work(partition))) return false;
      } catch (error) {
        // If the partition no longer exists, another worker has processed it in the meantime and continues.
        const left = await listPartitions(this.database);
        if (!left.some(({ name }) => name === partition.name)) return false;
        failed.set(partition.name, error);
      }
    }
    return true;
  }

  /**
   * Drops a day's partition. Attempts that must be retained move to a partition for retained attempts. If there are
   * too many, the day's partition itself is kept as a retained partition.
   */
  private async dropDay(day: AttemptPartition, signal: AbortSignal): Promise<boolean> {
    const deliveryIds = await this.findRetainedDeliveries(day, signal);
    const retainDay = () =>
      this.changePartition(day, signal, async (tx) => {
        await tx.execute(limitLockWait);
        await tx.execute(lockTable(day.name));
        await renameToRetained(tx, day);
      });
    if (deliveryIds.length > MAX_MOVED_DELIVERIES) return retainDay();
    try {
      return await this.changePartition(day, signal, async (tx, partitions) => {
        if (deliveryIds.length > 0)
          return moveRetainedAttempts(
            tx,
            day,
            deliveryIds,
            await findMergeablePartition(tx, day, partitions),
          );
        await lockAttempts(tx);
        await dropPartition(tx, day);
      });
    } catch (error) {
      // A retry would time out as well.
      if (isStatementTimeout(error)) return retainDay();
      throw error;
    }
  }

  /**
   * Returns the ids of remaining deliveries with attempts on a day. Stops once there are more than
   * `MAX_MOVED_DELIVERIES`.
   */
  private async findRetainedDeliveries(day: AttemptPartition, signal: AbortSignal): Promise<string[]> {
    const found: string[] = [];
    const before = minIdAt(parseIdTime(day.to) + MAX_CLOCK_SKEW_MS);
    const finishedSince = new Date(parseIdTime(day.from) - MAX_CLOCK_SKEW_MS);
    let last: string | null = NIL_UUID;
    while (last !== null && found.length <= MAX_MOVED_DELIVERIES && !signal.aborted) {
      const after: string = last;
      const batch = findRetainedDeliveries(day.name, after, before, finishedSince);
      const [row] = await this.database.execute(batch);
      found.push(...row!.ids);
      last = row!.last;
    }
    return found;
  }

  /** Removes retained attempts whose deliveries have been removed, and drops the partition once it is empty. */
  private async pruneRetained(partition: AttemptPartition, signal: AbortSignal): Promise<boolean> {
    const range = { partition: partition.name, before: partition.to };
    await pruneInIdOrder(this.database, signal, pruneAttempts, range);
    if (!(await isEmpty(this.database, partition))) return !signal.aborted;
    return this.changePartition(partition, signal, async (tx) => {
      await lockAttempts(tx);
      if (await isEmpty(tx, partition)) await dropPartition(tx, partition);
    });
  }

  /**
   * Changes a partition if it still exists. Retries the transaction if it waited too long for a lock.
   * @returns false if the run must end, because another worker has taken over or the signal is aborted
   */
  private async changePartition(
    { name }: AttemptPartition,
    signal: AbortSignal,
    work: (tx: Tx, partitions: AttemptPartition[]) => Promise<void>,
  ): Promise<boolean> {
    for (let attempt = 1; !signal.aborted; attempt += 1) {
      try {
        return await this.transactions.run(async (tx) => {
          const [lock] = await tx.execute(tryRetentionLock, [RETENTION_LOCK]);
          if (!lock!.isAcquired) return false;
          const partitions = await listPartitions(tx);
          if (partitions.some((each) => each.name === name)) await work(tx, partitions);
          return true;
        });
      } catch (error) {
        const isBusy =
          error instanceof GatehouseError && error.code === 'unavailable' && !isStatementTimeout(error);
        if (!isBusy || attempt === MAX_LOCK_ATTEMPTS) throw error;
        await sleep(LOCK_RETRY_DELAY_MS);
      }
    }
    return false;
  }
}

/** Returns whether a statement exceeded its time limit. Lock waits do not count, because their limit is shorter. */
const isStatementTimeout = (error: unknown): boolean =>
  error instanceof GatehouseError && errorCode(error.cause) === STATEMENT_TIMEOUT;

/** Returns the partition to merge with a day: the previous one, if it is small and contains only retained attempts. */
async function findMergeablePartition(
  tx: Tx,
  day: AttemptPartition,
  partitions: AttemptPartition[],
): Promise<AttemptPartition | null> {
  const last = partitions.findLast((each) => each.to <= day.from);
  return last && isRetained(last) && (await isSmall(tx, last)) ? last : null;
}

/**
 * Replaces a day's partition and `merged` with one that contains the day's retained attempts and all attempts from
 * `merged`.
 */
async function moveRetainedAttempts(
  tx: Tx,
  day: AttemptPartition,
  deliveryIds: string[],
  merged: AttemptPartition | null,
): Promise<void> {
  const old = [day, ...(merged ? [merged] : [])];
  const retained: AttemptPartition = {
    name: retainedPartitionName(day),
    from: (merged ?? day).from,
    to: day.to,
  };
  // Blocks erasures, but not reads: an erasure would miss the attempts that are already copied.
  for (const { name } of old) await tx.execute(lockTableAgainstWrites(name));
  await createAttemptsTable(tx, retained.name);
  await tx.execute(copyAttempts(day, retained.name, deliveryIds));
  if (merged) await tx.execute(copyAttempts(merged, retained.name, null));
  await lockAttempts(tx);
  for (const partition of old) await dropPartition(tx, partition);
  await attachPartition(tx, retained);
}

/** Locks attempts against all reads and writes until the transaction ends. Subsequent statements must be short. */
async function lockAttempts(tx: Tx): Promise<void> {
  await lockPartitions(tx);
  await tx.execute(limitLockWait);
  await tx.execute(lockParentTable);
}

const isEmpty = async (sql: Sql, { name }: AttemptPartition): Promise<boolean> =>
  (await sql.execute(findRow(name))).length === 0;

const isSmall = async (tx: Tx, { name }: AttemptPartition): Promise<boolean> =>
  (await tx.execute(findExcessRow(name))).length === 0;
