/**
 * The first time that is out of range, in ms since 1970. Later years have five digits, which RFC 3339 does not allow.
 */
export const MAX_TIME_MS = Date.UTC(10_000, 0);

/** The reasons why a string is not a timestamp. */
export type TimestampProblem = 'format' | 'date';

/** A timestamp, truncated to milliseconds. */
interface Timestamp {
  /** In ms since 1970. */
  ms: number;
  /** True if a part of the timestamp was cut off, so `ms` is earlier. */
  isTruncated: boolean;
}

/**
 * A date, `T`, `t` or a space, a time with up to nine fraction digits (nanoseconds, as in Go, Rust and Java), and a
 * required time zone (RFC 3339, section 5.6). `Date.parse` checks the ranges.
 */
const pattern = /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(?:[Zz]|([+-]\d\d:\d\d))$/;

/**
 * Parses an RFC 3339 timestamp with a year from 0000 to 9999. Returns the problem if the string is invalid. `24:00:00`
 * is the end of the day, as in ISO 8601. A leap second (`23:59:60`) is rejected, because neither PostgreSQL nor Unix
 * time can represent it.
 */
function readTimestamp(text: string): Timestamp | TimestampProblem {
  const [, date, time, fraction = '', offset = 'Z'] = pattern.exec(text) ?? [];
  if (date === undefined || time === undefined) return 'format';
  const digits = fraction.padEnd(9, '0');
  const isTruncated = /[1-9]/.test(digits.slice(3));
  const ms = Date.parse(`${date}T${time}.${digits.slice(0, 3)}${offset}`);
  // Date.parse accepts days 30 and 31 in every month, and returns a day in the next month.
  const midnight = new Date(`${date}T00:00:00Z`);
  if (midnight.getUTCDate() !== Number(date.slice(-2))) return 'date';
  const isPastEndOfDay = isTruncated && time.startsWith('24');
  return ms < MAX_TIME_MS && !isPastEndOfDay ? { ms, isTruncated } : 'format';
}

/** Returns the reason why a string is not a timestamp, or null if it is one. */
export function timestampProblem(text: string): TimestampProblem | null {
  const read = readTimestamp(text);
  return typeof read === 'string' ? read : null;
}

/** Parses an RFC 3339 timestamp and truncates it to milliseconds. Returns null for any other string. */
export function parseTimestamp(text: string): Date | null {
  const read = readTimestamp(text);
  return typeof read === 'string' ? null : new Date(read.ms);
}

/**
 * Parses an RFC 3339 timestamp and rounds it up to milliseconds. Returns null for any other string. Stored times have
 * millisecond precision, so a stored time is before the result if and only if it is before the timestamp.
 */
export function ceilTimestamp(text: string): Date | null {
  const read = readTimestamp(text);
  return typeof read === 'string' ? null : new Date(read.ms + Number(read.isTruncated));
}
