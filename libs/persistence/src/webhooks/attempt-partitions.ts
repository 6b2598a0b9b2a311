import { lowestId } from '../id-times.js';
import type { Tx } from '../transactions.js';

/** Any number, the same in every process: it names the lock. */
const PARTITION_LOCK = 7_120_915;

const DAY_MS = 86_400_000;

/**
 * Makes the daily partitions of `attempts` from yesterday to `days` ahead; those that exist stay.
 * Yesterday's is for attempts that began before midnight.
 */
export async function ensureAttemptPartitions(tx: Tx, now: Date, days: number): Promise<void> {
  // IF NOT EXISTS alone lets two processes collide.
  await tx.query('SELECT pg_advisory_xact_lock($1)', [PARTITION_LOCK]);
  const today = Math.floor(now.getTime() / DAY_MS) * DAY_MS;
  for (let day = today - DAY_MS; day <= today + days * DAY_MS; day += DAY_MS) {
    const name = `attempts_${new Date(day).toISOString().slice(0, 10).replaceAll('-', '')}`;
    await tx.query(
      `CREATE TABLE IF NOT EXISTS ${name} PARTITION OF attempts
       FOR VALUES FROM ('${lowestId(day)}') TO ('${lowestId(day + DAY_MS)}')`,
    );
  }
}
