/** A date, or a date and a time with an optional offset, in ISO 8601 or as PostgreSQL writes them. */
const pattern =
  /^(\d{4}-\d\d-\d\d)(?:[Tt ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(?:([Zz])|([+-]\d\d)(?::?(\d\d))?)?)?$/;

/**
 * Converts a Unix timestamp to ms since 1970. The unit depends on the value, as in imports (docs/imports.md): seconds
 * below 10^11, milliseconds below 10^14, otherwise microseconds.
 */
export const epochToMs = (epoch: number): number =>
  epoch < 1e11 ? epoch * 1_000 : epoch < 1e14 ? epoch : Math.floor(epoch / 1_000);

/** Length of a time with milliseconds, such as `09:30:00.123`. */
const TIME_LENGTH = 12;

/** The length of the shortest month, in days. */
const SHORTEST_MONTH = 28;

/** Returns true if a date exists. `Date.parse` also accepts February 30, as a day in March. */
function isDate(date: string): boolean {
  const [month, day] = [Number(date.slice(5, 7)), Number(date.slice(8))];
  if (day <= SHORTEST_MONTH) return day >= 1 && month >= 1 && month <= 12;
  const midnight = Date.parse(`${date}T00:00:00Z`);
  return !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(date);
}

/** Returns the date in a time string if the calendar does not contain the date; otherwise null. */
export function findNonexistentDate(text: string): string | null {
  const date = pattern.exec(text)?.[1];
  return date === undefined || isDate(date) ? null : date;
}

/**
 * Returns a time in ms since 1970, rounded down, or NaN. A date means midnight in UTC. A time without an offset is
 * local, as in ECMAScript.
 * @param requiresOffset true to return NaN for a date or a time without an offset
 */
export function parseTime(text: string, { requiresOffset = false } = {}): number {
  const [, date, time, utc, hours, minutes = '00'] = pattern.exec(text) ?? [];
  if (date === undefined || !isDate(date)) return NaN;
  if (requiresOffset && !utc && !hours) return NaN;
  if (time === undefined) return Date.parse(date);
  const offset = hours ? `${hours}:${minutes}` : utc ? 'Z' : '';
  return Date.parse(`${date}T${time.slice(0, TIME_LENGTH)}${offset}`);
}
