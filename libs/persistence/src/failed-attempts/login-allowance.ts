import { integer, nullable, textOf } from '../sql/statements.js';

/** The allowance that grants an attempt: `open` for all client IPs, or `known` for known client IPs only. */
export type LoginAllowance = 'open' | 'known';

/** Result of a reserved attempt, without the customer or the operator. */
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

/** SQL for a time. A client IP is known if its last successful login was after this time. */
export const KNOWN_ADDRESS_SINCE = `now() - interval '30 days'`;

/** SQL for the condition that the failures in the row `a` are no longer counted. */
export const IS_EXPIRED = `a.failed_at < now() - interval '90 days'`;
