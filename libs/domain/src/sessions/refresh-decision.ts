/** How long the immediate predecessor still yields its successor, in ms (contract, section 3). */
export const REFRESH_GRACE_MS = 10_000;

/** What the row of a session says about its line of refresh tokens. */
export interface RefreshTokenChain {
  generation: number;
  rotatedAt: Date | null;
  idleExpiresAt: Date;
  absoluteExpiresAt: Date;
  revokedAt: Date | null;
}

/** What becomes of a refresh token with a valid MAC that could not be rotated. */
export type RefreshDecision = 'same-successor' | 'expired' | 'ended' | 'reused';

/**
 * Judges a genuine refresh token that is not the newest of its line (RFC 9700, section 4.14.2).
 * Within the grace the immediate predecessor gets the same successor again, and only while that successor is
 * unspent, which holds exactly as long as the session stands at the generation right after it.
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
