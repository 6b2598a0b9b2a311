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

/** The limit of failed attempts at a password or at codes. */
type AttemptPolicy = LimitPolicy & AttemptLimit;

/**
 * Known client addresses have a separate count with the same quota (contract, section 3). The window doubles with each
 * further quota of consecutive failures (docs/adr/0035).
 */
const growingPolicy = (name: LimitName, quota: number, windowSeconds: number): AttemptPolicy => ({
  name,
  quota,
  windowSeconds,
  maxWindowSeconds: 24 * 3600,
});

/** Returns the limit of failed attempts of customers of a project. */
export const failurePolicy = (
  name: FailureLimit,
  { settings: { limits } }: Pick<ProjectContext, 'settings'>,
): AttemptPolicy => growingPolicy(name, limits[limitSetting(name)], limits.failureWindow);

const { quota, window } = fixedLimits['failed-operator-login'];

/** The limit of failed passwords, codes and passkeys of operators, together per email address. */
export const operatorFailurePolicy = growingPolicy('failed-operator-login', quota, window);

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
  policy: LimitPolicy,
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
  policy: LimitPolicy,
  attempt: CountedAttempt,
  error: GatehouseError,
  subject?: { operatorId: string },
): GatehouseError => (attempt.granted === 'open' ? error : tooManyAttempts(policy, attempt, subject));

/** Returns a 429 `too_many_attempts`, the same for every email and address (requirement RL-01). */
function tooManyAttempts(
  policy: LimitPolicy,
  { secondsLeft, windowSeconds }: CountedAttempt,
  subject?: { operatorId: string },
): GatehouseError {
  return limitReached('too_many_attempts', { ...policy, windowSeconds }, Math.max(1, secondsLeft), {
    subject,
  });
}
