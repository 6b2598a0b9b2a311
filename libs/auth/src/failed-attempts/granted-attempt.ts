import {
  fixedLimits,
  limitSetting,
  type FailureLimit,
  type GatehouseError,
  type LimitName,
  type ProjectContext,
} from '@gatehouse/domain';
import type { AttemptLimit, LoginAllowance } from '@gatehouse/persistence';
import { limitReachedError, type LimitPolicy } from '@gatehouse/platform';

/** Limit on failed password or code attempts. */
type AttemptPolicy = LimitPolicy & AttemptLimit;

/**
 * Returns a policy whose window doubles each time that consecutive failures reach the quota again, up to a day
 * (docs/adr/0035). Known client IPs are counted separately, with the same quota (contract, section 3).
 */
const growingPolicy = (name: LimitName, quota: number, windowSeconds: number): AttemptPolicy => ({
  name,
  quota,
  windowSeconds,
  maxWindowSeconds: 24 * 3600,
});

/** Returns the limit on failed attempts for a project's customers. */
export const failurePolicy = (
  name: FailureLimit,
  { settings: { limits } }: Pick<ProjectContext, 'settings'>,
): AttemptPolicy => growingPolicy(name, limits[limitSetting(name)], limits.failureWindow);

const { quota, window } = fixedLimits['failed-operator-login'];

/** Limit on an operator's failed passwords, codes and passkeys, counted together per email address. */
export const operatorFailurePolicy = growingPolicy('failed-operator-login', quota, window);

/** A counted attempt by a customer or an operator. */
interface CountedAttempt {
  /** Null if the attempt is rejected. */
  granted: LoginAllowance | null;
  secondsLeft: number;
  windowSeconds: number;
}

/** A counted attempt that may proceed to verification, with the allowance that granted it. */
export type GrantedAttempt<T extends CountedAttempt> = T & { granted: LoginAllowance };

/** @throws GatehouseError `too_many_attempts` if the attempt is rejected */
export function assertGranted<T extends CountedAttempt>(
  policy: LimitPolicy,
  attempt: T,
  subject?: { operatorId: string },
): asserts attempt is GrantedAttempt<T> {
  if (attempt.granted === null) throw tooManyAttemptsError(policy, attempt, subject);
}

/**
 * Returns the error for a failed attempt. An attempt within the allowance for known client IPs fails like a rejected
 * one, so that callers cannot observe the allowance.
 */
export const failedAttemptError = (
  policy: LimitPolicy,
  attempt: CountedAttempt,
  error: GatehouseError,
  subject?: { operatorId: string },
): GatehouseError => (attempt.granted === 'open' ? error : tooManyAttemptsError(policy, attempt, subject));

/** Returns a 429 `too_many_attempts`, the same for every email address and client IP (requirement RL-01). */
function tooManyAttemptsError(
  policy: LimitPolicy,
  { secondsLeft, windowSeconds }: CountedAttempt,
  subject?: { operatorId: string },
): GatehouseError {
  return limitReachedError('too_many_attempts', { ...policy, windowSeconds }, Math.max(1, secondsLeft), {
    subject,
  });
}
