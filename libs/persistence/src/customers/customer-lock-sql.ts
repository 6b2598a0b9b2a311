// Raw SQL: conditions on the number of a customer's failed attempts.
import { defaultLimits, failureLimits, MAX_PASSWORD_GUESSES, type ProjectLimits } from '@gatehouse/domain';
import { IS_EXPIRED } from '../failed-attempts/login-allowance.js';

/** Returns SQL for a limit of the project `p`. */
const limitSql = (setting: keyof ProjectLimits): string =>
  `coalesce((p.settings -> 'limits' ->> '${setting}')::int, ${defaultLimits[setting]})`;

/** SQL that joins the failed passwords `a` and the failed second factors `f` of a customer `c`. */
export const CUSTOMER_FAILURES = `
  LEFT JOIN login_attempts a ON a.project_id = c.project_id AND a.email_hash = sha256(convert_to(c.email, 'UTF8'))
    AND a.customer_id = c.id
  LEFT JOIN factor_attempts f ON f.customer_id = c.id`;

/** SQL for the condition that the failed passwords `a` lock the customer until the window ends. */
export const IS_PASSWORD_LOCKED = `(a.window_ends_at > now() AND a.tries >= ${limitSql('failedLogin')})`;

/** SQL for the condition that the failed passwords `a` have blocked the password (docs/adr/0035). */
export const IS_PASSWORD_BLOCKED = `(a.guesses >= ${MAX_PASSWORD_GUESSES} AND NOT (${IS_EXPIRED}))`;

/** SQL for the condition that the failed second factors `f` lock the customer until the window ends. */
export const IS_FACTOR_LOCKED = `(f.window_ends_at > now() AND f.tries >= ${limitSql('failedSecondFactor')})`;

/** SQL for the condition that known client IPs have attempts left in their own allowance. */
export const IS_KNOWN_ALLOWED = `a.known_tries < ${limitSql('failedLogin')}`;

/** SQL for the end of the last window that locks the customer `c`. Null if the customer is not locked. */
export const LOCK_END = `(
  SELECT greatest(CASE WHEN ${IS_PASSWORD_LOCKED} OR ${IS_PASSWORD_BLOCKED} THEN a.window_ends_at END,
                  CASE WHEN ${IS_FACTOR_LOCKED} THEN f.window_ends_at END)
  FROM projects p ${CUSTOMER_FAILURES} WHERE p.id = c.project_id)`;

/** An index range of failed attempts `a`. */
interface LockRange {
  table: string;
  condition: string;
}

/**
 * The index ranges that contain all locked customers, each in order of window end. They also contain unlocked
 * customers of projects with higher limits. Each condition matches a partial index, so few other rows are scanned.
 */
export const lockRanges: LockRange[] = [
  {
    table: 'login_attempts',
    condition: `a.customer_id IS NOT NULL AND a.tries >= ${failureLimits['failed-login'].min} AND a.window_ends_at > now()`,
  },
  {
    table: 'login_attempts',
    condition: `a.customer_id IS NOT NULL AND a.guesses >= ${MAX_PASSWORD_GUESSES} AND a.window_ends_at <= now()`,
  },
  {
    table: 'factor_attempts',
    condition: `a.tries >= ${failureLimits['failed-second-factor'].min} AND a.window_ends_at > now()`,
  },
];
