/** Live sessions that a customer may have at once: ending all of them has to stay one short transaction. */
export const MAX_ACTIVE_SESSIONS = 100;

/** The most that one login ends, for customers who have more sessions than that from before there was a limit. */
const MAX_REVOKED_AT_ONCE = 100;

/**
 * How many of a customer's least recently used sessions end for a new one.
 * @param otherSessions live sessions beside the new one
 */
export function surplusSessionCount(otherSessions: number): number {
  return Math.min(Math.max(otherSessions + 1 - MAX_ACTIVE_SESSIONS, 0), MAX_REVOKED_AT_ONCE);
}
