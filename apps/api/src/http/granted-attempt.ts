import { GatehouseError } from '@gatehouse/domain';
import type { LoginAllowance } from '@gatehouse/persistence';
import { rateLimitHeaders, type RateLimitPolicy } from '@gatehouse/platform';

/** A counted attempt of a customer or an operator. */
interface CountedAttempt {
  /** Null if the attempt is rejected. */
  granted: LoginAllowance | null;
  secondsLeft: number;
  windowSeconds: number;
}

/** A counted attempt whose password or code is verified, and the allowance that granted it. */
export type GrantedAttempt<T extends CountedAttempt> = T & { granted: LoginAllowance };

export const isGranted = <T extends CountedAttempt>(attempt: T): attempt is GrantedAttempt<T> =>
  attempt.granted !== null;

/** Returns a 429 `too_many_attempts`, the same for every email and address (requirement RL-01). */
export function tooManyAttempts(
  policy: RateLimitPolicy,
  { secondsLeft, windowSeconds }: CountedAttempt,
  subject?: { operatorId: string },
): GatehouseError {
  const headers = rateLimitHeaders({ ...policy, windowSeconds }, Math.max(1, secondsLeft));
  return new GatehouseError('too_many_attempts', { headers, subject });
}
