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

/** Formats a time as "2026-11-21 13:04:05.123 UTC". */
export function formatUtcTime(at: string | number): string {
  return new Date(at).toISOString().replace('T', ' ').replace('Z', ' UTC');
}

/**
 * Formats a wait as "in 14 min, at 13:04:05", in the local time of this computer.
 * @param now ms since 1970
 */
export function formatWait(seconds: number, now: number): string {
  return `in ${formatDuration(seconds * 1000)}, at ${new Date(now + seconds * 1000).toLocaleTimeString('en-GB')}`;
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
