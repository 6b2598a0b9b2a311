/**
 * Maximum active sessions per customer. The count is limited so that revoking all of them remains one short
 * transaction.
 */
export const MAX_ACTIVE_SESSIONS = 100;

/** Maximum sessions that one login revokes, for customers with more sessions from before the limit existed. */
const MAX_REVOKED_AT_ONCE = 100;

/**
 * Returns the count of the customer's least recently used sessions to revoke for a new one.
 * @param otherSessions active sessions without the new one
 */
export function surplusSessionCount(otherSessions: number): number {
  return Math.min(Math.max(otherSessions + 1 - MAX_ACTIVE_SESSIONS, 0), MAX_REVOKED_AT_ONCE);
}
