/** Live sessions that a customer may have at once: ending all of them has to stay one short transaction. */
export const MAX_LIVE_SESSIONS = 100;

/** The most that one login ends, for customers who have more sessions than that from before there was a limit. */
const MAX_ENDED_AT_ONCE = 100;

/**
 * How many of a customer's least recently used sessions end for a new one.
 * @param others live sessions beside the new one
 */
export function surplusSessions(others: number): number {
  return Math.min(Math.max(others + 1 - MAX_LIVE_SESSIONS, 0), MAX_ENDED_AT_ONCE);
}
