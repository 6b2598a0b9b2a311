import { GatehouseError } from '@gatehouse/domain';
import { errorCode, errorMessage, now, sleep } from '@gatehouse/platform';
import type { Database } from '../database.js';
import { MAX_CLOCK_SKEW_MS, minIdAt, NIL_UUID, parseIdTime } from '../uuid-v7.js';
import { pruneInIdOrder } from '../prune.js';
import type { Transactions, Tx } from '../transactions.js';
import {
  attachPartition,
  createAttemptsTable,
  startOfDay,
  isRetained,
  retainedPartitionName,
  listPartitions,
  lockPartitions,
  type AttemptPartition,
} from './attempt-partitions.js';

/** Any number, the same in every process: it names the lock. */
const RETENTION_LOCK = 7_120_916;

/** Deliveries whose attempts one transaction copies: within its time-out with room to spare. */
const MAX_MOVED_DELIVERIES = 10_000;

/** Rows of a partition that is small enough to be copied with them. */
const MAX_MERGED_ROWS = 50_000;

const BATCH_SIZE = 5_000;

/** How long everybody who writes or reads attempts may wait because this waits for one of them. */
const LOCK_TIMEOUT_MS = 500;
const MAX_LOCK_ATTEMPTS = 5;
const LOCK_RETRY_DELAY_MS = 1_000;

/** PostgreSQL's code for a statement that was cancelled after `statement_timeout`. */
const STATEMENT_TIMEOUT = '57014';

/**
 * Removes events, deliveries and attempts whose time is over. A delivery goes when it ended long ago and nobody has to
 * decide about it any more; the attempts and the event stay as long as a delivery needs them.
 */
export class DeliveryRetentionRepository {
  constructor(
    private readonly database: Database,
    private readonly transactions: Transactions,
  ) {}

  /**
   * Day by day (UTC). It begins nothing more once the signal is aborted.
   * @throws Error that names the partitions which could not be changed; with all others it is done
   */
  async prune(retentionMs: number, signal: AbortSignal): Promise<void> {
    const until = startOfDay(now().getTime() - retentionMs);
    const before = minIdAt(until);
    await pruneInIdOrder(
      this.database,
      signal,
      'deliveries',
      `(t.state IN ('succeeded', 'cancelled') OR t.resolution IS NOT NULL) AND t.finished_at < $3`,
      before,
      [new Date(until)],
    );
    await pruneInIdOrder(
      this.database,
      signal,
      'events',
      `t.created_at < $3 AND NOT EXISTS (SELECT FROM deliveries d WHERE d.event_id = t.id)`,
      before,
      [new Date(until)],
    );
    const failed = new Map<string, unknown>();
    const isOver = (each: AttemptPartition): boolean => each.to <= before && !isRetained(each);
    const goesOn = await this.forEachPartition(isOver, failed, (day) => this.dropDay(day, signal));
    if (goesOn) await this.forEachPartition(isRetained, failed, (kept) => this.pruneRetained(kept, signal));
    if (failed.size === 0) return;
    const [[, cause]] = [...failed] as [[string, unknown]];
    throw new Error(`${[...failed.keys()].join(', ')}: ${errorMessage(cause)}`, { cause });
  }

  /** Works on partitions until another worker does. One that fails must not keep the others from their turn. */
  private async forEachPartition(
    isMeant: (partition: AttemptPartition) => boolean,
    failed: Map<string, unknown>,
    work: (partition: AttemptPartition) => Promise<boolean>,
  ): Promise<boolean> {
    for (const partition of (await listPartitions(this.database)).filter(isMeant)) {
      try {
        if (!(await work(partition))) return false;
      } catch (error) {
        // Gone: another worker has seen to it meanwhile, and does the rest.
        const left = await listPartitions(this.database);
        if (!left.some(({ name }) => name === partition.name)) return false;
        failed.set(partition.name, error);
      }
    }
    return true;
  }

  /** Drops a day. What must stay of it moves to a partition of what is kept, or the day becomes one. */
  private async dropDay(day: AttemptPartition, signal: AbortSignal): Promise<boolean> {
    const deliveryIds = await this.findRetainedDeliveries(day, signal);
    const keepWhole = () =>
      this.changePartition(day, signal, async (tx) => {
        await runWithLockTimeout(tx, `LOCK TABLE ${day.name} IN ACCESS EXCLUSIVE MODE`);
        await tx.query(`ALTER TABLE ${day.name} RENAME TO ${retainedPartitionName(day)}`);
      });
    if (deliveryIds.length > MAX_MOVED_DELIVERIES) return keepWhole();
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
        await tx.query(`DROP TABLE ${day.name}`);
      });
    } catch (error) {
      // It would be too slow the next time as well.
      if (isStatementTimeout(error)) return keepWhole();
      throw error;
    }
  }

  /** The deliveries that have attempts on a day and are still there; of very many, some. */
  private async findRetainedDeliveries(day: AttemptPartition, signal: AbortSignal): Promise<string[]> {
    const found: string[] = [];
    let last: string | null = NIL_UUID;
    while (last !== null && found.length <= MAX_MOVED_DELIVERIES && !signal.aborted) {
      const [row]: { ids: string[]; last: string | null }[] = await this.database.query(
        `WITH looked AS MATERIALIZED (
           SELECT id, finished_at FROM deliveries WHERE id > $1 AND id < $2 ORDER BY id LIMIT ${BATCH_SIZE}
         )
         SELECT (SELECT id FROM looked ORDER BY id OFFSET ${BATCH_SIZE - 1}) AS last, ARRAY(
           SELECT id FROM looked d WHERE coalesce(finished_at >= $3, true)
             AND EXISTS (SELECT FROM ${day.name} a WHERE a.delivery_id = d.id)
         ) AS ids`,
        [
          last,
          minIdAt(parseIdTime(day.to) + MAX_CLOCK_SKEW_MS),
          new Date(parseIdTime(day.from) - MAX_CLOCK_SKEW_MS),
        ],
      );
      found.push(...row!.ids);
      last = row!.last;
    }
    return found;
  }

  /** Removes what is kept of deliveries that are gone, and the partition when nothing is left in it. */
  private async pruneRetained(kept: AttemptPartition, signal: AbortSignal): Promise<boolean> {
    const isGone = 'NOT EXISTS (SELECT FROM deliveries d WHERE d.id = t.delivery_id)';
    await pruneInIdOrder(this.database, signal, kept.name, isGone, kept.to);
    if (!(await isEmpty(this.database, kept))) return !signal.aborted;
    return this.changePartition(kept, signal, async (tx) => {
      await lockAttempts(tx);
      if (await isEmpty(tx, kept)) await tx.query(`DROP TABLE ${kept.name}`);
    });
  }

  /**
   * Changes a partition that is still there, in a transaction that is tried anew when it has waited too long.
   * @returns false when the round is over: another worker is at it and does the rest, or the signal is aborted
   */
  private async changePartition(
    { name }: AttemptPartition,
    signal: AbortSignal,
    work: (tx: Tx, partitions: AttemptPartition[]) => Promise<void>,
  ): Promise<boolean> {
    for (let tries = 1; !signal.aborted; tries += 1) {
      try {
        return await this.transactions.run(async (tx) => {
          const [row] = await tx.query<{ isMine: boolean }>(
            'SELECT pg_try_advisory_xact_lock($1) AS "isMine"',
            [RETENTION_LOCK],
          );
          if (!row!.isMine) return false;
          const partitions = await listPartitions(tx);
          if (partitions.some((each) => each.name === name)) await work(tx, partitions);
          return true;
        });
      } catch (error) {
        const isBusy =
          error instanceof GatehouseError && error.code === 'unavailable' && !isStatementTimeout(error);
        if (!isBusy || tries === MAX_LOCK_ATTEMPTS) throw error;
        await sleep(LOCK_RETRY_DELAY_MS);
      }
    }
    return false;
  }
}

/** Whether a statement took longer than it may, not counting what it waited for a lock: that has a shorter limit. */
const isStatementTimeout = (error: unknown): boolean =>
  error instanceof GatehouseError && errorCode(error.cause) === STATEMENT_TIMEOUT;

/** The partition that is written anew together with a day: the one just before it, if that is a small one of what is kept. */
async function findMergeablePartition(
  tx: Tx,
  day: AttemptPartition,
  partitions: AttemptPartition[],
): Promise<AttemptPartition | null> {
  const last = partitions.findLast((each) => each.to <= day.from);
  return last && isRetained(last) && (await isSmall(tx, last)) ? last : null;
}

/** Puts what must stay of a day, and the whole of `merged`, into one partition in their place. */
async function moveRetainedAttempts(
  tx: Tx,
  day: AttemptPartition,
  deliveryIds: string[],
  merged: AttemptPartition | null,
): Promise<void> {
  const old = [day, ...(merged ? [merged] : [])];
  const kept: AttemptPartition = { name: retainedPartitionName(day), from: (merged ?? day).from, to: day.to };
  // Who reads goes on; nothing is erased in them that has been copied before.
  for (const { name } of old) await tx.query(`LOCK TABLE ${name} IN SHARE MODE`);
  await createAttemptsTable(tx, kept.name);
  await copyAttempts(tx, day, kept, 'a.delivery_id = ANY ($3)', [deliveryIds]);
  if (merged) await copyAttempts(tx, merged, kept, 'true');
  await lockAttempts(tx);
  for (const { name } of old) await tx.query(`DROP TABLE ${name}`);
  await attachPartition(tx, kept);
}

/** Read from the table of all, whose columns are in the order of the new one's. */
const copyAttempts = (
  tx: Tx,
  { from, to }: AttemptPartition,
  target: AttemptPartition,
  condition: string,
  values: unknown[] = [],
): Promise<unknown> =>
  tx.query(
    `INSERT INTO ${target.name} SELECT a.* FROM attempts a WHERE a.id >= $1 AND a.id < $2 AND ${condition}`,
    [from, to, ...values],
  );

/** Keeps everybody from the attempts until the transaction ends: what follows must be short. */
async function lockAttempts(tx: Tx): Promise<void> {
  await lockPartitions(tx);
  await runWithLockTimeout(tx, 'LOCK TABLE ONLY attempts IN ACCESS EXCLUSIVE MODE');
}

async function runWithLockTimeout(tx: Tx, sql: string): Promise<void> {
  await tx.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
  await tx.query(sql);
}

const isEmpty = async (sql: Database | Tx, { name }: AttemptPartition): Promise<boolean> =>
  (await sql.query(`SELECT FROM ${name} LIMIT 1`)).length === 0;

async function isSmall(tx: Tx, { name }: AttemptPartition): Promise<boolean> {
  const rows = await tx.query(`SELECT FROM ${name} OFFSET ${MAX_MERGED_ROWS} LIMIT 1`);
  return rows.length === 0;
}
