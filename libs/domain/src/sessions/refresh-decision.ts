/**
 * How long the immediate predecessor of a refresh token still returns the same successor (sign-in contract, section
 * 1): until the successor is used, or a number of seconds.
 */
export type RefreshGrace = 'until_used' | number;

/** The longest grace period, in seconds. */
export const MAX_REFRESH_GRACE_SECONDS = 300;

/** A session's refresh token chain, as stored in its row. */
export interface RefreshTokenChain {
  generation: number;
  rotatedAt: Date | null;
  idleExpiresAt: Date;
  absoluteExpiresAt: Date;
  revokedAt: Date | null;
}

/** The decision on an authentic refresh token that is not the newest in its chain. */
export type RefreshDecision = 'same-successor' | 'expired' | 'ended' | 'reused';

/**
 * Decides on an authentic refresh token that is not the newest in its chain (RFC 9700, section 4.14.2). The immediate
 * predecessor returns the same successor again, so that a lost response does not end the session. This applies only
 * until the successor is used, that is, while its generation is the current one.
 */
export function decideRefresh(
  chain: RefreshTokenChain,
  presentedGeneration: number,
  grace: RefreshGrace,
  now: Date,
): RefreshDecision {
  if (chain.revokedAt) return 'ended';
  if (chain.idleExpiresAt <= now || chain.absoluteExpiresAt <= now) return 'expired';
  if (chain.rotatedAt === null || presentedGeneration !== chain.generation - 1) return 'reused';
  const graceMs = grace === 'until_used' ? Infinity : grace * 1_000;
  return now.getTime() - chain.rotatedAt.getTime() <= graceMs ? 'same-successor' : 'reused';
}
