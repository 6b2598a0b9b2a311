/** Through which allowance a try may pass: the one for everybody, or the one for addresses used before. */
export type LoginAllowance = 'open' | 'known';

/** SQL: since when somebody must have been let in from an address for it to count as their own. */
export const KNOWN_ADDRESS_SINCE = `now() - interval '30 days'`;

/**
 * What a try makes of the row `a` of those before it, in `ON CONFLICT DO UPDATE`: the row is held, so parallel tries
 * never get more than the quota of each allowance. The one for everybody is used up first.
 * @param quota,isKnownAddress,granted SQL from code; `granted` is the column for the `LoginAllowance`, null for a refusal
 */
export function consumeAllowanceSql(quota: string, isKnownAddress: string, granted: string): string {
  const isOver = 'a.window_ends_at <= now()';
  const isOpen = `(${isOver} OR a.tries < ${quota})`;
  const isKnown = `(a.known_tries < ${quota} AND ${isKnownAddress})`;
  return `
    tries = CASE WHEN ${isOver} THEN 1 WHEN ${isOpen} THEN a.tries + 1 ELSE a.tries END,
    known_tries = CASE WHEN ${isOver} THEN 0 WHEN ${isOpen} THEN a.known_tries
                       WHEN ${isKnown} THEN a.known_tries + 1 ELSE a.known_tries END,
    ${granted} = CASE WHEN ${isOpen} THEN 'open' WHEN ${isKnown} THEN 'known' END,
    window_ends_at = CASE WHEN ${isOver} THEN excluded.window_ends_at ELSE a.window_ends_at END`;
}

/** The column that counts the tries of an allowance. */
export const attemptsColumn = (granted: LoginAllowance): string =>
  granted === 'open' ? 'tries' : 'known_tries';
