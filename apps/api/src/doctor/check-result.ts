/** The result of one `doctor` check. */
export interface CheckResult {
  /** The check's name, such as `database`. */
  check: string;
  /** `skipped`: a check on which this one depends has failed, or what it checks is not configured. */
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

/** Returns the result of a check that found a problem that does not stop Gatehouse from working. */
export const warning = (check: string, message: string, fix: string): CheckResult => ({
  check,
  status: 'warning',
  message: toSentence(message),
  fix: toSentence(fix),
});

/** Returns the result of a check that found a problem that must be fixed. */
export const failed = (check: string, message: string, fix: string): CheckResult => ({
  check,
  status: 'error',
  message: toSentence(message),
  fix: toSentence(fix),
});

const toSentence = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
