/** One check's result. */
export interface CheckResult {
  /** The check's name, such as `clock`. */
  check: string;
  /**
   * `skipped`: the check requires something that another check has found broken, or that is only visible on the server.
   */
  status: 'ok' | 'warning' | 'error' | 'skipped';
  /** The state, or the problem's cause. Contains no secret. */
  message: string;
  /** The problem's fix; null for `ok` and `skipped`. */
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

/** Returns the result for a check that found something unsuitable, with which Gatehouse works nevertheless. */
export const warning = (check: string, message: string, fix: string): CheckResult => ({
  check,
  status: 'warning',
  message,
  fix,
});

/** Returns the result for a check that found something broken. */
export const failed = (check: string, message: string, fix: string): CheckResult => ({
  check,
  status: 'error',
  message,
  fix,
});

/** Returns a day relative to today: `today`, `tomorrow`, `in 3 days`. */
export const inDays = (days: number): string =>
  new Intl.RelativeTimeFormat('en', { numeric: 'auto' }).format(days, 'day');
