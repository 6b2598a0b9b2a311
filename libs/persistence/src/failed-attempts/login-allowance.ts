import { integer, nullable, textOf } from '../sql/statements.js';

/** The allowance that grants an attempt: the one for every address, or the one for known addresses. */
export type LoginAllowance = 'open' | 'known';

/** The result of a reserved attempt, without the customer or the operator. */
export const attemptResultRow = {
  /** Null if the attempt is rejected. */
  granted: nullable(textOf<LoginAllowance>()),
  /** Number of attempts of the open allowance that are used. */
  attempts: integer,
  /** Seconds until the window ends. */
  secondsLeft: integer,
  /** Length of the window in seconds. */
  windowSeconds: integer,
};

/**
 * SQL for the time after which the last login from an address must have succeeded for the address to count as
 * known.
 */
export const KNOWN_ADDRESS_SINCE = `now() - interval '30 days'`;

/** SQL for whether the failures of the row `a` are no longer counted. */
export const IS_EXPIRED = `a.failed_at < now() - interval '90 days'`;
