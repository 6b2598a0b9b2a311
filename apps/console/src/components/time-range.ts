import { startOfDay, type TimeZone } from './time';

/** Presets, with their length in ms. */
export const presets = {
  '1h': { label: 'Last hour', ms: 3_600_000 },
  '24h': { label: 'Last 24 hours', ms: 86_400_000 },
  '7d': { label: 'Last 7 days', ms: 604_800_000 },
  '30d': { label: 'Last 30 days', ms: 2_592_000_000 },
} as const;

export type Preset = keyof typeof presets;

export const isPreset = (text: string): text is Preset => Object.hasOwn(presets, text);

/** Presets for a day in the operator's time zone. */
export const dayPresets = {
  today: { label: 'Today', daysAgo: 0 },
  yesterday: { label: 'Yesterday', daysAgo: 1 },
} as const;

const isDayPreset = (text: string): text is keyof typeof dayPresets => Object.hasOwn(dayPresets, text);

/** Returns a preset's label, or null for any other range. */
export const presetLabel = (range: string): string | null =>
  isPreset(range) ? presets[range].label : isDayPreset(range) ? dayPresets[range].label : null;

/** Time range bounds in the API format. */
export interface TimeBounds {
  after?: string;
  before?: string;
}

/**
 * Returns the bounds of a time range in a URL: a preset ("24h", "today"), or two times joined by "~", one of which may
 * be absent ("2026-01-01T00:00:00.000Z~"). Returns null for anything else.
 * @param now ms since 1970
 * @param zone the zone for "today" and "yesterday"
 */
export function parseTimeRange(range: string, now: number, zone: TimeZone): TimeBounds | null {
  if (isPreset(range)) return { after: new Date(now - presets[range].ms).toISOString() };
  if (isDayPreset(range)) {
    const { daysAgo } = dayPresets[range];
    const day = (ago: number): string => new Date(startOfDay(now, zone, ago)).toISOString();
    return { after: day(daysAgo), ...(daysAgo > 0 && { before: day(daysAgo - 1) }) };
  }
  const parts = range.split('~');
  if (parts.length !== 2 || parts.join('') === '') return null;
  const [after, before] = parts.map((part) => (part === '' ? undefined : new Date(part)));
  if ([after, before].some((date) => date && Number.isNaN(date.getTime()))) return null;
  return {
    ...(after && { after: after.toISOString() }),
    ...(before && { before: before.toISOString() }),
  };
}

/** Returns a bucket's time range in the URL format. @param at its start, ISO 8601 */
export const bucketRange = (at: string, seconds: number): string =>
  `${at}~${new Date(Date.parse(at) + seconds * 1_000).toISOString()}`;
