/** An endpoint's health, derived from its attempts. */
export interface EndpointHealth {
  /** Time of the first failure after the last success. */
  failingSince: Date | null;
  lastSuccessAt: Date | null;
  lastFailureAt: Date | null;
}

/** Returns the health that results from one attempt. */
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

/** Minimum number of days with failed attempts before an endpoint is disabled. The window has this many days. */
export const MIN_FAILING_DAYS = 3;

/** Minimum number of failed attempts in the window before an endpoint is disabled. */
export const MIN_FAILED_ATTEMPTS = 5;

/** A time range in ms since 1970. `from` is inclusive, `to` is exclusive. */
export interface TimeRange {
  from: number;
  to: number;
}

/**
 * Returns the days in a window that ends now. The first day begins at the start of the window. Days are in UTC,
 * regardless of the database's time zone. Their length is a fraction of the window, so `TIME_SCALE` shortens them as
 * well.
 */
export function listWindowDays(now: Date, windowMs: number): TimeRange[] {
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
 * Returns whether an endpoint has been failing for the entire window. The time since the first failure is not
 * sufficient, because there may have been no attempts between an outage and the next failure.
 * @param failures number of failed attempts on each day
 */
export const hasFailedLongEnough = (failures: readonly number[]): boolean =>
  failures.filter((count) => count > 0).length >= MIN_FAILING_DAYS &&
  failures.reduce((sum, count) => sum + count, 0) >= MIN_FAILED_ATTEMPTS;
