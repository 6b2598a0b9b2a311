import { MAX_TIME_MS } from './timestamp.js';

/**
 * Maximum difference in seconds between the clocks of Gatehouse and another system (sign-in contract, section 2). Used
 * in every comparison with a time from another system.
 */
export const CLOCK_LEEWAY_SECONDS = 60;

/** Returns whether a claim is a time between 1970 and 9999, in seconds (RFC 7519, section 2, "NumericDate"). */
export const isNumericDate = (value: unknown): value is number =>
  typeof value === 'number' && value >= 0 && value * 1_000 < MAX_TIME_MS;

/**
 * Returns whether a user has signed in to a provider since a given time.
 * @param authTime the `auth_time` claim. A time in the future is rejected
 * @param since in seconds
 * @param current in seconds
 */
export const hasSignedInSince = (authTime: unknown, since: number, current: number): boolean =>
  isNumericDate(authTime) &&
  authTime >= since - CLOCK_LEEWAY_SECONDS &&
  authTime <= current + CLOCK_LEEWAY_SECONDS;
