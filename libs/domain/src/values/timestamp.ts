/**
 * The first time that is out of range, in ms since 1970: later years have five digits, which RFC 3339 does
 * not allow.
 */
export const MAX_TIME_MS = Date.UTC(10_000, 0);

/** The reasons why a string is not a timestamp. */
export type TimestampProblem = 'format' | 'date';

/** A timestamp with its fractional seconds, which can be finer than a millisecond. */
interface Timestamp {
  /** In ms since 1970, cut. */
  ms: number;
  /** True if `ms` is earlier than the timestamp. */
  isCut: boolean;
}

/**
 * A date, `T`, `t` or a space, a time with up to nine fraction digits (the nanoseconds in Go, Rust and Java), and a
 * required time zone: RFC 3339, section 5.6. The ranges are checked by `Date.parse`.
 */
const pattern = /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(?:[Zz]|([+-]\d\d:\d\d))$/;

/**
 * Returns the parts of an RFC 3339 timestamp, or the reason why the string is none. The years are 0000 to 9999.
 * `24:00:00` is the end of the day, as in ISO 8601. A leap second (`23:59:60`) is not a time: neither PostgreSQL nor
 * Unix time can store it.
 */
function readTimestamp(text: string): Timestamp | TimestampProblem {
  const [, date, time, fraction = '', offset = 'Z'] = pattern.exec(text) ?? [];
  if (date === undefined || time === undefined) return 'format';
  const digits = fraction.padEnd(9, '0');
  const isCut = /[1-9]/.test(digits.slice(3));
  const ms = Date.parse(`${date}T${time}.${digits.slice(0, 3)}${offset}`);
  // Date.parse accepts day 30 and 31 in every month, as a day in the next month.
  const midnight = new Date(`${date}T00:00:00Z`);
  if (midnight.getUTCDate() !== Number(date.slice(-2))) return 'date';
  const isPastEndOfDay = isCut && time.startsWith('24');
  return ms < MAX_TIME_MS && !isPastEndOfDay ? { ms, isCut } : 'format';
}

/** Returns the reason why a string is not a timestamp, or null if it is one. */
export function timestampProblem(text: string): TimestampProblem | null {
  const read = readTimestamp(text);
  return typeof read === 'string' ? read : null;
}

/** Returns the time in an RFC 3339 timestamp, cut to milliseconds; null for any other string. */
export function parseTimestamp(text: string): Date | null {
  const read = readTimestamp(text);
  return typeof read === 'string' ? null : new Date(read.ms);
}

/**
 * Returns the first millisecond that is not before an RFC 3339 timestamp; null for any other string. Stored times have
 * milliseconds, so a stored time is before the result if and only if it is before the timestamp.
 */
export function ceilTimestamp(text: string): Date | null {
  const read = readTimestamp(text);
  return typeof read === 'string' ? null : new Date(read.ms + Number(read.isCut));
}
