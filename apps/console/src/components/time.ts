const timeUnits: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
];

const relativeTimeFormat = new Intl.RelativeTimeFormat('en', { numeric: 'always', style: 'narrow' });
const zoneNameFormat = new Intl.DateTimeFormat('en', { timeZoneName: 'short' });

/** The time zone for displayed times: the browser's zone, or UTC. */
export type TimeZone = 'local' | 'utc';

/**
 * Formats a time as "5m ago", "in 2h", or "now" within 5 s.
 * @param at ms since 1970
 * @param now ms since 1970
 */
export function formatRelativeTime(at: number, now: number): string {
  const seconds = Math.round((at - now) / 1000);
  if (Math.abs(seconds) < 5) return 'now';
  const [unit, size] = timeUnits.find(([, length]) => Math.abs(seconds) >= length) ?? timeUnits.at(-1)!;
  return relativeTimeFormat.format(Math.trunc(seconds / size), unit);
}

/** Returns the name of a time zone at a given time: "GMT+1", "EST" or "UTC". */
export const zoneName = (at: string | number, zone: TimeZone): string =>
  zone === 'utc'
    ? 'UTC'
    : zoneNameFormat.formatToParts(new Date(at)).find(({ type }) => type === 'timeZoneName')!.value;

/** Formats a time as "2026-11-21T14:04:05.123" in a time zone. */
export function toWallTime(at: string | number, zone: TimeZone): string {
  const date = new Date(at);
  const offsetMs = zone === 'utc' ? 0 : date.getTimezoneOffset() * 60_000;
  return new Date(date.getTime() - offsetMs).toISOString().slice(0, -1);
}

/** Converts a time such as "2026-11-21T14:04" in a time zone to the API format. Returns invalid text unchanged. */
export function fromWallTime(text: string, zone: TimeZone): string {
  const ms = Date.parse(zone === 'utc' ? `${text}Z` : text);
  return Number.isNaN(ms) ? text : new Date(ms).toISOString();
}

/** Formats a time as "2026-11-21 13:04:05.123 UTC", or with the local time zone's name. */
export const formatTime = (at: string | number, zone: TimeZone): string =>
  `${toWallTime(at, zone).replace('T', ' ')} ${zoneName(at, zone)}`;

/** Formats a time in both zones, the operator's zone first. Returns one entry if both are UTC. */
export function formatBothTimes(at: string | number, zone: TimeZone): string[] {
  const [shown, other] = [formatTime(at, zone), formatTime(at, zone === 'utc' ? 'local' : 'utc')];
  return shown === other ? [shown] : [shown, other];
}

/**
 * Returns the start of a day in a time zone, in ms since 1970.
 * @param now ms since 1970
 * @param daysAgo 0 for today, 1 for yesterday
 */
export function startOfDay(now: number, zone: TimeZone, daysAgo: number): number {
  const date = new Date(now);
  return zone === 'utc'
    ? Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate() - daysAgo)
    : new Date(date.getFullYear(), date.getMonth(), date.getDate() - daysAgo).getTime();
}

/**
 * Formats a wait as "in 14 min, at 13:04:05".
 * @param now ms since 1970
 */
export function formatWait(seconds: number, now: number, zone: TimeZone): string {
  const at = toWallTime(now + seconds * 1000, zone).slice(11, 19);
  return `in ${formatDuration(seconds * 1000)}, at ${at}${zone === 'utc' ? ' UTC' : ''}`;
}

/** Formats a duration in ms as "850 ms", "12.4 s", "5 min", "3 h 20 min" or "2 d". */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${Number((ms / 1000).toFixed(1))} s`;
  const minutes = Math.round(ms / 60_000);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 ? `${hours} h ${minutes % 60} min` : `${hours} h`;
  return `${Math.floor(hours / 24)} d`;
}
