import type { Sql } from '../database.js';
import { minIdAt, parseIdTime, type IdRange } from '../uuid-v7.js';
import type { Tx } from '../transactions.js';

/** Any number, the same in every process: it names the lock. */
const PARTITION_LOCK = 7_120_915;

export const DAY_MS = 86_400_000;

/** What is kept of days that are over, after their names. */
const RETAINED_PREFIX = 'attempts_kept_';

/** A partition of `attempts`: those whose ids are in its range. */
export interface AttemptPartition extends IdRange {
  name: string;
}

/** Midnight (UTC) before a moment, in ms since 1970. */
export const startOfDay = (time: number): number => Math.floor(time / DAY_MS) * DAY_MS;

const formatDay = (day: number): string => new Date(day).toISOString().slice(0, 10).replaceAll('-', '');

/** The name of what is kept up to the end of a partition. */
export const retainedPartitionName = ({ to }: AttemptPartition): string =>
  `${RETAINED_PREFIX}${formatDay(parseIdTime(to) - DAY_MS)}`;

/** Whether nothing but what must stay is left in a partition. */
export const isRetained = ({ name }: AttemptPartition): boolean => name.startsWith(RETAINED_PREFIX);

/** Nobody else changes the partitions until the transaction ends. */
export async function lockPartitions(tx: Tx): Promise<void> {
  await tx.query('SELECT pg_advisory_xact_lock($1)', [PARTITION_LOCK]);
}

/** All of them, oldest first. */
export function listPartitions(sql: Sql): Promise<AttemptPartition[]> {
  return sql.query<AttemptPartition>(
    `SELECT c.relname AS name, bound[1] AS "from", bound[2] AS "to"
     FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid,
       regexp_match(pg_get_expr(c.relpartbound, c.oid), $$FROM \\('(.+)'\\) TO \\('(.+)'\\)$$) AS bound
     WHERE i.inhparent = 'attempts'::regclass ORDER BY bound[1]`,
  );
}

/** Makes an empty table that can become a partition. */
export async function createAttemptsTable(tx: Tx, name: string): Promise<void> {
  await tx.query(`CREATE TABLE ${name} (LIKE attempts INCLUDING ALL)`);
}

/** Makes it one. Nobody who reads or writes waits for it, as they would for `CREATE TABLE … PARTITION OF`. */
export async function attachPartition(tx: Tx, { name, from, to }: AttemptPartition): Promise<void> {
  await tx.query(`ALTER TABLE attempts ATTACH PARTITION ${name} FOR VALUES FROM ('${from}') TO ('${to}')`);
}

/**
 * Makes the daily partitions of `attempts` from yesterday to `days` ahead; those that exist stay.
 * Yesterday's is for attempts that began before midnight.
 */
export function ensureAttemptPartitions(tx: Tx, now: Date, days: number): Promise<void> {
  const today = startOfDay(now.getTime());
  return ensureDailyPartitions(
    tx,
    Array.from({ length: days + 2 }, (_, index) => today + (index - 1) * DAY_MS),
  );
}

/** Makes the partitions in which these attempts have their place, of whatever day they are. */
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
