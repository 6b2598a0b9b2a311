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

/** SQL for the condition of rows to prune. A window ends within a day after its last failure. */
export const PRUNED_ATTEMPTS = `window_ends_at < now() - interval '89 days' AND failed_at < now() - interval '90 days'`;

/**
 * Returns SQL for the columns of `attemptResultRow` that an upsert of a row returns. A transaction that began
 * before the one that opened the window has an earlier `now()`, so the seconds left are capped at the window.
 * @param granted column for the `LoginAllowance`
 */
export function attemptResultSql(granted: string, parameters: WindowParameters): string {
  const windowSeconds = windowSecondsSql('greatest(failures - tries, 0)', parameters);
  return `
    ${granted} AS granted, tries AS attempts, ${windowSeconds} AS "windowSeconds",
    least(ceil(extract(epoch FROM window_ends_at - now())), ${windowSeconds})::int AS "secondsLeft"`;
}

/** The parameters of an upsert, as SQL. */
export interface WindowParameters {
  /** Maximum number of attempts per window and allowance. */
  quota: string;
  /** Length of the first window. */
  windowSeconds: string;
  maxWindowSeconds: string;
}

/** Returns SQL for the length of the window that begins after a number of failures: doubled for each quota. */
const windowSecondsSql = (failures: string, { quota, windowSeconds, maxWindowSeconds }: WindowParameters) =>
  `least(${windowSeconds} * power(2, least((${failures}) / ${quota}, 20)), ${maxWindowSeconds})::int`;

/**
 * Returns SQL for the update of the row `a` of earlier attempts, in `ON CONFLICT DO UPDATE`. The row is
 * locked, so parallel attempts never exceed the quota of an allowance. The open allowance is used up first.
 * Only the open allowance determines the windows, so that they are the same for every address.
 * @param isKnownAddress SQL from code
 * @param granted column for the `LoginAllowance`, null for a rejection
 * @param counted a column that counts the attempts of both allowances, and SQL for its value before
 */
export function consumeAllowanceSql(
  parameters: WindowParameters,
  isKnownAddress: string,
  granted: string,
  counted: { column: string; before: string } | null = null,
): string {
  const { quota } = parameters;
  const isWindowOver = 'a.window_ends_at <= now()';
  const isOpen = `(${isWindowOver} OR a.tries < ${quota})`;
  const isKnown = `(a.known_tries < ${quota} AND ${isKnownAddress})`;
  const failures = `(CASE WHEN ${IS_EXPIRED} THEN 0 ELSE a.failures END)`;
  const window = `${windowSecondsSql(failures, parameters)} * interval '1 second'`;
  const countSql = counted ? `${counted.column} = ${counted.before} + (${isOpen} OR ${isKnown})::int,` : '';
  return `
    tries = CASE WHEN ${isWindowOver} THEN 1 WHEN ${isOpen} THEN a.tries + 1 ELSE a.tries END,
    known_tries = CASE WHEN ${isWindowOver} THEN 0 WHEN ${isOpen} THEN a.known_tries
                       WHEN ${isKnown} THEN a.known_tries + 1 ELSE a.known_tries END,
    failures = ${failures} + ${isOpen}::int, ${countSql}
    failed_at = CASE WHEN ${isOpen} OR ${isKnown} THEN now() ELSE a.failed_at END,
    ${granted} = CASE WHEN ${isOpen} THEN 'open' WHEN ${isKnown} THEN 'known' END,
    window_ends_at = CASE WHEN ${isWindowOver} THEN now() + ${window} ELSE a.window_ends_at END`;
}

/** Returns SQL for the columns without an attempt of an allowance. */
export const releaseSql = (granted: LoginAllowance): string =>
  granted === 'open'
    ? 'tries = tries - 1, failures = greatest(failures - 1, 0)'
    : 'known_tries = known_tries - 1';

/** Returns the column that counts the attempts of an allowance in the window. */
export const attemptsColumn = (granted: LoginAllowance): string =>
  granted === 'open' ? 'tries' : 'known_tries';
