/** An endpoint's health, derived from its attempts. */
export interface EndpointHealth {
  /** The time of the first failure after the last success. */
  failingSince: Date | null;
  lastSuccessAt: Date | null;
  lastFailureAt: Date | null;
}

/** Returns the health that follows from one attempt. */
export const healthFromAttempt = (success: boolean, at: Date): EndpointHealth => ({
  failingSince: success ? null : at,
  lastSuccessAt: success ? at : null,
  lastFailureAt: success ? null : at,
});

/** Returns the health over two consecutive time intervals. */
export const mergeHealth = (before: EndpointHealth, after: EndpointHealth): EndpointHealth => ({
  failingSince: after.lastSuccessAt ? after.failingSince : (before.failingSince ?? after.failingSince),
  lastSuccessAt: after.lastSuccessAt ?? before.lastSuccessAt,
  lastFailureAt: after.lastFailureAt ?? before.lastFailureAt,
});

/** An endpoint is disabled only if its attempts failed on at least so many days, which cover the window. */
export const MIN_FAILING_DAYS = 3;

/** Minimum failed attempts in the window after which an endpoint is disabled. */
export const MIN_FAILED_ATTEMPTS = 5;

/** A time range in ms since 1970: `from` is included, `to` is excluded. */
export interface TimeRange {
  from: number;
  to: number;
}

/**
 * Returns the days in a window that ends now, the first one cut at its start. Days are UTC days, whatever the
 * database's time zone is. They get shorter with the window (`TIME_SCALE`).
 */
export function daysOfWindow(now: Date, windowMs: number): TimeRange[] {
  const dayMs = windowMs / MIN_FAILING_DAYS;
  const start = now.getTime() - windowMs;
  const firstDay = Math.floor(start / dayMs);
  const count = Math.floor(now.getTime() / dayMs) - firstDay + 1;
  return Array.from({ length: count }, (_, index) => ({
    from: Math.ceil(Math.max(start, (firstDay + index) * dayMs)),
    to: Math.ceil((firstDay + index + 1) * dayMs),
  }));
}

/**
 * Returns whether failed attempts prove that an endpoint has failed for the window. The time since the first failure
 * proves nothing: between an outage and the next failure, there may have been no attempts.
 * @param failures number of failed attempts on each day
 */
export const hasFailedLongEnough = (failures: readonly number[]): boolean =>
  failures.filter((count) => count > 0).length >= MIN_FAILING_DAYS &&
  failures.reduce((sum, count) => sum + count, 0) >= MIN_FAILED_ATTEMPTS;
