/**
 * The lengths of the buckets in which metrics are stored, and their retention, in seconds. Each length divides the next
 * one. The retention covers a range, the period before it, and a margin for clock differences. The longest buckets are
 * used only for totals: with ten thousand endpoints, even one row per day of a month would be too many for one
 * response.
 */
export const bucketSpans = [
  { span: 60, retention: 2 * 3_600 + 600 },
  { span: 900, retention: 50 * 3_600 },
  { span: 7_200, retention: 15 * 86_400 },
  { span: 86_400, retention: 61 * 86_400 },
  { span: 5 * 86_400, retention: 36 * 86_400 },
] as const;

/** The time ranges in the overview: bucket count and bucket length. They include the current bucket. */
const ranges = {
  '1h': { count: 60, span: 60 },
  '24h': { count: 96, span: 900 },
  '7d': { count: 84, span: 7_200 },
  '30d': { count: 30, span: 86_400 },
} as const;

export type OverviewRange = keyof typeof ranges;
export const overviewRanges = Object.keys(ranges) as OverviewRange[];

/** A time interval. Attempts are counted in the bucket in which they started. Times are in seconds since 1970. */
export interface Bucket {
  /** Length in seconds. */
  span: number;
  at: number;
}

/**
 * Returns the buckets of a range, oldest first.
 * @param time now, in seconds since 1970
 */
export function bucketsForRange(range: OverviewRange, time: number): Bucket[] {
  const { count, span } = ranges[range];
  const last = Math.floor(time / span);
  return Array.from({ length: count }, (_, index) => ({ span, at: (last - count + 1 + index) * span }));
}

/** Returns the same number of buckets, directly before the given ones. */
export function previousBuckets(buckets: Bucket[]): Bucket[] {
  return buckets.map(({ span, at }) => ({ span, at: at - buckets.length * span }));
}

/** Returns the smallest set of buckets that covers the time since the start of a bucket. */
export function coveringBuckets({ span, at: begin }: Bucket, time: number): Bucket[] {
  const covering: Bucket[] = [];
  let at = begin;
  for (const [index, { span: each }] of bucketSpans.entries()) {
    const longer = bucketSpans[index + 1]?.span;
    while (each >= span && at <= time && !(longer && at % longer === 0)) {
      covering.push({ span: each, at });
      at += each;
    }
  }
  return covering;
}
