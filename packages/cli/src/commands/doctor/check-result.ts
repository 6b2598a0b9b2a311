/** The result of one check. */
export interface CheckResult {
  /** The name of the check, such as `clock`. */
  check: string;
  /** `skipped`: the check requires something that another check has found broken, or that is only visible on the server. */
  status: 'ok' | 'warning' | 'error' | 'skipped';
  /** The state, or the cause of the problem. Contains no secret. */
  message: string;
  /** The fix of the problem; null for `ok` and `skipped`. */
  fix: string | null;
}

export const ok = (check: string, message: string): CheckResult => ({
  check,
  status: 'ok',
  message,
  fix: null,
});

export const skipped = (check: string, message: string): CheckResult => ({
  check,
  status: 'skipped',
  message,
  fix: null,
});

/** Returns the result of a check that found something unsuitable, with which Gatehouse works nevertheless. */
export const warning = (check: string, message: string, fix: string): CheckResult => ({
  check,
  status: 'warning',
  message,
  fix,
});

/** Returns the result of a check that found something broken. */
export const failed = (check: string, message: string, fix: string): CheckResult => ({
  check,
  status: 'error',
  message,
  fix,
});

/** Returns when a day is, seen from today: `today`, `tomorrow`, `in 3 days`. */
export const inDays = (days: number): string =>
  new Intl.RelativeTimeFormat('en', { numeric: 'auto' }).format(days, 'day');
