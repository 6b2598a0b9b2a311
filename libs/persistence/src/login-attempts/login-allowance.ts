import { integer, nullable, textOf } from '../statements.js';

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
};

/**
 * SQL for the time after which the last login from an address must have succeeded for the address to count as
 * known.
 */
export const KNOWN_ADDRESS_SINCE = `now() - interval '30 days'`;

/**
 * Returns SQL for the update of the row `a` of earlier attempts, in `ON CONFLICT DO UPDATE`. The row is
 * locked, so parallel attempts never exceed the quota of an allowance. The open allowance is used up first.
 * @param quota,isKnownAddress,granted SQL from code; `granted` is the column for the `LoginAllowance`, null
 *   for a rejection
 */
export function consumeAllowanceSql(quota: string, isKnownAddress: string, granted: string): string {
  const isWindowOver = 'a.window_ends_at <= now()';
  const isOpen = `(${isWindowOver} OR a.tries < ${quota})`;
  const isKnown = `(a.known_tries < ${quota} AND ${isKnownAddress})`;
  return `
    tries = CASE WHEN ${isWindowOver} THEN 1 WHEN ${isOpen} THEN a.tries + 1 ELSE a.tries END,
    known_tries = CASE WHEN ${isWindowOver} THEN 0 WHEN ${isOpen} THEN a.known_tries
                       WHEN ${isKnown} THEN a.known_tries + 1 ELSE a.known_tries END,
    ${granted} = CASE WHEN ${isOpen} THEN 'open' WHEN ${isKnown} THEN 'known' END,
    window_ends_at = CASE WHEN ${isWindowOver} THEN excluded.window_ends_at ELSE a.window_ends_at END`;
}

/** Returns the column that counts the attempts of an allowance. */
export const attemptsColumn = (granted: LoginAllowance): string =>
  granted === 'open' ? 'tries' : 'known_tries';
