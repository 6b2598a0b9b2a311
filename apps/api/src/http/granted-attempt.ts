import { GatehouseError } from '@gatehouse/domain';
import type { AttemptLimit, LoginAllowance } from '@gatehouse/persistence';
import { rateLimitHeaders, type RateLimitPolicy } from '@gatehouse/platform';

/** The limit of failed attempts at a password or at codes. */
type AttemptPolicy = RateLimitPolicy & AttemptLimit;

/**
 * Returns the limit that all counts of failed attempts share. Known client addresses have a separate count (contract,
 * section 3). The window is twice as long for every ten consecutive failures (docs/adr/0035).
 */
export const attemptPolicy = (name: string): AttemptPolicy => ({
  name,
  quota: 10,
  windowSeconds: 15 * 60,
  maxWindowSeconds: 24 * 3600,
});

/** A counted attempt of a customer or an operator. */
interface CountedAttempt {
  /** Null if the attempt is rejected. */
  granted: LoginAllowance | null;
  secondsLeft: number;
  windowSeconds: number;
}

/** A counted attempt whose password or code is verified, and the allowance that granted it. */
export type GrantedAttempt<T extends CountedAttempt> = T & { granted: LoginAllowance };

/** @throws GatehouseError `too_many_attempts` if the attempt is rejected */
export function assertGranted<T extends CountedAttempt>(
  policy: RateLimitPolicy,
  attempt: T,
  subject?: { operatorId: string },
): asserts attempt is GrantedAttempt<T> {
  if (attempt.granted === null) throw tooManyAttempts(policy, attempt, subject);
}

/**
 * Returns the error of a failed attempt. One of the allowance for known addresses fails like a rejected one, so that the
 * allowance is not observable.
 */
export const failedAttempt = (
  policy: RateLimitPolicy,
  attempt: CountedAttempt,
  error: GatehouseError,
  subject?: { operatorId: string },
): GatehouseError => (attempt.granted === 'open' ? error : tooManyAttempts(policy, attempt, subject));

/** Returns a 429 `too_many_attempts`, the same for every email and address (requirement RL-01). */
function tooManyAttempts(
  policy: RateLimitPolicy,
  { secondsLeft, windowSeconds }: CountedAttempt,
  subject?: { operatorId: string },
): GatehouseError {
  const headers = rateLimitHeaders({ ...policy, windowSeconds }, Math.max(1, secondsLeft));
  return new GatehouseError('too_many_attempts', { headers, subject });
}
