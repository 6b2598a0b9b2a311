/** Maximum active sessions per customer. The limit ensures that one short transaction can revoke all of them. */
export const MAX_ACTIVE_SESSIONS = 100;

/** Maximum sessions that one sign-in revokes. Some customers have more, from before the limit existed. */
const MAX_REVOKED_AT_ONCE = 100;

/**
 * Returns how many of a customer's least recently used sessions must be revoked for a new one.
 * @param otherSessions number of active sessions without the new one
 */
export function surplusSessionCount(otherSessions: number): number {
  return Math.min(Math.max(otherSessions + 1 - MAX_ACTIVE_SESSIONS, 0), MAX_REVOKED_AT_ONCE);
}
