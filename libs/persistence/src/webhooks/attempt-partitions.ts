// Raw SQL: calls to functions that run DDL as the table owner (ADR 0037), a catalog query, and an advisory lock.
import type { Sql } from '../database/database.js';
import type { Tx } from '../database/transactions.js';
import { statement, text } from '../sql/statements.js';
import { minIdAt, parseIdTime, type IdRange } from '../sql/uuid-v7.js';

/** Advisory lock key for changes to partitions. Must be the same in every process. */
export const PARTITION_LOCK = 7_120_915;

export const DAY_MS = 86_400_000;

/** Name prefix for partitions with retained attempts from past days. */
const RETAINED_PREFIX = 'attempts_kept_';

/** An `attempts` partition, which contains the attempts with ids in its range. */
export interface AttemptPartition extends IdRange {
  name: string;
}

/** Returns the start of the day (UTC) that contains `time`, both in ms since 1970. */
export const startOfDay = (time: number): number => Math.floor(time / DAY_MS) * DAY_MS;

const formatDay = (day: number): string => new Date(day).toISOString().slice(0, 10).replaceAll('-', '');

/** Returns the name for a partition with retained attempts that ends where the given partition ends. */
export const retainedPartitionName = ({ to }: AttemptPartition): string =>
  `${RETAINED_PREFIX}${formatDay(parseIdTime(to) - DAY_MS)}`;

/** Returns whether a partition contains only retained attempts. */
export const isRetained = ({ name }: AttemptPartition): boolean => name.startsWith(RETAINED_PREFIX);

const lockAllPartitions = statement({}, `SELECT FROM pg_advisory_xact_lock(${PARTITION_LOCK})`);

const findPartitions = statement(
  { name: text, from: text, to: text },
  `SELECT c.relname::text AS name, bound[1] AS "from", bound[2] AS "to"
   FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid,
     regexp_match(pg_get_expr(c.relpartbound, c.oid), $$FROM \\('(.+)'\\) TO \\('(.+)'\\)$$) AS bound
   WHERE i.inhparent = 'attempts'::regclass ORDER BY bound[1]`,
);

const createTable = statement({}, 'SELECT FROM create_attempts_table($1)');
const attachTable = statement({}, 'SELECT FROM attach_attempts_table($1, $2, $3)');
const renameTable = statement({}, 'SELECT FROM rename_attempts_table($1, $2)');
const dropTable = statement({}, 'SELECT FROM drop_attempts_table($1)');

/** Locks the partitions against changes until the transaction ends. */
export async function lockPartitions(tx: Tx): Promise<void> {
  await tx.execute(lockAllPartitions);
}

/** Returns all partitions, oldest first. */
export const listPartitions = (sql: Sql): Promise<AttemptPartition[]> => sql.execute(findPartitions);

/** Creates an empty table that can be attached as a partition. */
export async function createAttemptsTable(tx: Tx, name: string): Promise<void> {
  await tx.execute(createTable, [name]);
}

/** Attaches a table as a partition. Unlike `CREATE TABLE … PARTITION OF`, this does not block reads and writes. */
export async function attachPartition(tx: Tx, { name, from, to }: AttemptPartition): Promise<void> {
  await tx.execute(attachTable, [name, from, to]);
}

/** Renames a partition to its `retainedPartitionName`. */
export async function renameToRetained(tx: Tx, partition: AttemptPartition): Promise<void> {
  await tx.execute(renameTable, [partition.name, retainedPartitionName(partition)]);
}

/** Drops a partition with its attempts. */
export async function dropPartition(tx: Tx, { name }: AttemptPartition): Promise<void> {
  await tx.execute(dropTable, [name]);
}

/**
 * Creates missing daily `attempts` partitions, from yesterday to `days` days ahead. Yesterday's partition receives
 * attempts that started before midnight.
 */
export function ensureAttemptPartitions(tx: Tx, now: Date, days: number): Promise<void> {
  const today = startOfDay(now.getTime());
  return ensureDailyPartitions(
    tx,
    Array.from({ length: days + 2 }, (_, index) => today + (index - 1) * DAY_MS),
  );
}

/** Creates missing daily partitions for these attempts, whichever days they are from. */
export function ensurePartitionsFor(tx: Tx, attemptIds: string[]): Promise<void> {
  return ensureDailyPartitions(tx, [...new Set(attemptIds.map((id) => startOfDay(parseIdTime(id))))]);
}

async function ensureDailyPartitions(tx: Tx, days: number[]): Promise<void> {
  await lockPartitions(tx);
  const partitions = await listPartitions(tx);
  for (const day of days) {
    const range = { from: minIdAt(day), to: minIdAt(day + DAY_MS) };
    if (partitions.some(({ from, to }) => from < range.to && to > range.from)) continue;
    const name = `attempts_${formatDay(day)}`;
    await createAttemptsTable(tx, name);
    await attachPartition(tx, { name, ...range });
  }
}
