// Raw SQL: reading the database clock.
import { monotonicMs, now } from '@gatehouse/platform';
import type { Sql } from '../database/run-statement.js';
import { statement, timestamptz } from '../sql/statements.js';

/** Minimum difference from PostgreSQL's clock at which a clock counts as wrong, in ms. */
export const CLOCK_SKEW_LIMIT_MS = 2_000;

const readClock = statement({ at: timestamptz }, 'SELECT clock_timestamp() AS at');

/**
 * Returns the minimum time by which this machine's clock is ahead of PostgreSQL's, in ms; negative if it is behind.
 * PostgreSQL reads its clock at some time between the request and the response, most likely in the middle. A
 * difference that the round trip can explain counts as 0, so that a busy process or a slow database does not look
 * like a wrong clock.
 * @throws GatehouseError `unavailable`
 */
export async function measureClockSkew(database: Sql): Promise<number> {
  const sentAt = now().getTime();
  const startedMs = monotonicMs();
  const [row] = await database.execute(readClock);
  const halfRoundTripMs = (monotonicMs() - startedMs) / 2;
  const difference = sentAt + halfRoundTripMs - row!.at.getTime();
  return Math.sign(difference) * Math.max(0, Math.abs(difference) - halfRoundTripMs);
}

/** Describes a skew for operators, such as `2.5 s ahead`. */
export const describeClockSkew = (skewMs: number): string =>
  `${Math.round(Math.abs(skewMs) / 100) / 10} s ${skewMs > 0 ? 'ahead' : 'behind'}`;
