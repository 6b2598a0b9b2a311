import { MAX_TIME_MS } from './timestamp.js';

/**
 * Maximum difference between Gatehouse's clock and another system's clock, in seconds (sign-in contract, section 2).
 * Every comparison with a time that another system has set uses it.
 */
export const CLOCK_LEEWAY_SECONDS = 60;

/** Returns whether a claim is a time between 1970 and 9999, in seconds (RFC 7519, section 2, "NumericDate"). */
export const isNumericDate = (value: unknown): value is number =>
  typeof value === 'number' && value >= 0 && value * 1_000 < MAX_TIME_MS;

/**
 * Returns whether a person has signed in at a provider since a time.
 * @param authTime the claim `auth_time`. A time in the future proves nothing
 * @param since in seconds
 * @param current in seconds
 */
export const hasSignedInSince = (authTime: unknown, since: number, current: number): boolean =>
  isNumericDate(authTime) &&
  authTime >= since - CLOCK_LEEWAY_SECONDS &&
  authTime <= current + CLOCK_LEEWAY_SECONDS;
