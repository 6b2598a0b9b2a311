import { integer, nullable, textOf } from '../sql/statements.js';

/** The allowance that grants an attempt: the one for every client IP, or the one for known client IPs. */
export type LoginAllowance = 'open' | 'known';

/** A reserved attempt's result, without the customer or the operator. */
export const attemptResultRow = {
  /** Null if the attempt is rejected. */
  granted: nullable(textOf<LoginAllowance>()),
  /** Number of attempts that used the open allowance. */
  attempts: integer,
  /** Seconds until the window ends. */
  secondsLeft: integer,
  /** Window length in seconds. */
  windowSeconds: integer,
};

/** SQL for the time after which the last login from a client IP must have succeeded for it to count as known. */
export const KNOWN_ADDRESS_SINCE = `now() - interval '30 days'`;

/** SQL for the condition that the failures in the row `a` are no longer counted. */
export const IS_EXPIRED = `a.failed_at < now() - interval '90 days'`;
