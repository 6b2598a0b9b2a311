/** The result of one check. */
export interface CheckResult {
  /** The check's name, such as `clock`. */
  check: string;
  /**
   * `skipped`: the check depends on another check that failed, requires a scope that the key lacks, or has to run on
   * the server.
   */
  status: 'ok' | 'warning' | 'error' | 'skipped';
  /** The state, or the cause of the problem. Contains no secrets. */
  message: string;
  /** The fix for the problem; null for `ok` and `skipped`. */
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

/** Returns the result for a problem that does not stop Gatehouse from working. */
export const warning = (check: string, message: string, fix: string): CheckResult => ({
  check,
  status: 'warning',
  message,
  fix,
});

/** Returns the result for a check that found an error. */
export const failed = (check: string, message: string, fix: string): CheckResult => ({
  check,
  status: 'error',
  message,
  fix,
});

/** Formats a number of days from today: `today`, `tomorrow`, `in 3 days`. */
export const formatDaysFromToday = (days: number): string =>
  new Intl.RelativeTimeFormat('en', { numeric: 'auto' }).format(days, 'day');
