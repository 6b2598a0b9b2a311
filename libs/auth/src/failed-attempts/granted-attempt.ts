import {
  fixedLimits,
  limitSetting,
  type FailureLimit,
  type GatehouseError,
  type LimitName,
  type ProjectContext,
} from '@gatehouse/domain';
import type { AttemptLimit, LoginAllowance } from '@gatehouse/persistence';
import { limitReached, type LimitPolicy } from '@gatehouse/platform';

/** The limit on failed attempts at a password or at codes. */
type AttemptPolicy = LimitPolicy & AttemptLimit;

/**
 * Known client IPs have a separate count with the same quota (contract, section 3). The window doubles whenever
 * consecutive failures reach the quota again (docs/adr/0035).
 */
const growingPolicy = (name: LimitName, quota: number, windowSeconds: number): AttemptPolicy => ({
  name,
  quota,
  windowSeconds,
  maxWindowSeconds: 24 * 3600,
});

/** Returns the limit on failed attempts by a project's customers. */
export const failurePolicy = (
  name: FailureLimit,
  { settings: { limits } }: Pick<ProjectContext, 'settings'>,
): AttemptPolicy => growingPolicy(name, limits[limitSetting(name)], limits.failureWindow);

const { quota, window } = fixedLimits['failed-operator-login'];

/** The limit on operators' failed passwords, codes and passkeys, which count together per email address. */
export const operatorFailurePolicy = growingPolicy('failed-operator-login', quota, window);

/** A counted attempt by a customer or an operator. */
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
  policy: LimitPolicy,
  attempt: T,
  subject?: { operatorId: string },
): asserts attempt is GrantedAttempt<T> {
  if (attempt.granted === null) throw tooManyAttempts(policy, attempt, subject);
}

/**
 * Returns the error for a failed attempt. An attempt within the allowance for known client IPs fails like a rejected
 * one, so that callers cannot observe the allowance.
 */
export const failedAttempt = (
  policy: LimitPolicy,
  attempt: CountedAttempt,
  error: GatehouseError,
  subject?: { operatorId: string },
): GatehouseError => (attempt.granted === 'open' ? error : tooManyAttempts(policy, attempt, subject));

/** Returns a 429 `too_many_attempts`, the same for every email address and client IP (requirement RL-01). */
function tooManyAttempts(
  policy: LimitPolicy,
  { secondsLeft, windowSeconds }: CountedAttempt,
  subject?: { operatorId: string },
): GatehouseError {
  return limitReached('too_many_attempts', { ...policy, windowSeconds }, Math.max(1, secondsLeft), {
    subject,
  });
}
