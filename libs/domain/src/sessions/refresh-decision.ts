/**
 * Time for which the immediate predecessor of a refresh token still returns the same successor, in ms
 * (contract, section 3).
 */
export const REFRESH_GRACE_MS = 10_000;

/** The state of a session's chain of refresh tokens, as stored in its row. */
export interface RefreshTokenChain {
  generation: number;
  rotatedAt: Date | null;
  idleExpiresAt: Date;
  absoluteExpiresAt: Date;
  revokedAt: Date | null;
}

/** The decision on a refresh token with a valid MAC that could not be rotated. */
export type RefreshDecision = 'same-successor' | 'expired' | 'ended' | 'reused';

/**
 * Decides on an authentic refresh token that is not the newest of its chain (RFC 9700, section 4.14.2).
 * Within the grace period, the immediate predecessor gets the same successor again, but only while that
 * successor is unused: while its generation is the current one of the session.
 */
export function decideRefresh(
  chain: RefreshTokenChain,
  presentedGeneration: number,
  now: Date,
): RefreshDecision {
  if (chain.revokedAt) return 'ended';
  if (chain.idleExpiresAt <= now || chain.absoluteExpiresAt <= now) return 'expired';
  const isPredecessor = presentedGeneration === chain.generation - 1;
  const sinceRotation = chain.rotatedAt ? now.getTime() - chain.rotatedAt.getTime() : Infinity;
  return isPredecessor && sinceRotation <= REFRESH_GRACE_MS ? 'same-successor' : 'reused';
}
