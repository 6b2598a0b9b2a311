/**
 * The lengths of buckets in which figures are kept, in seconds, and for how long; each divides the next one. The longest
 * is for sums alone: of ten thousand endpoints even the days of a month are too many to add up for one answer.
 */
export const bucketSpans = [
  { span: 60, retention: 2 * 3_600 },
  { span: 900, retention: 2 * 86_400 },
  { span: 7_200, retention: 8 * 86_400 },
  { span: 86_400, retention: 31 * 86_400 },
  { span: 5 * 86_400, retention: 36 * 86_400 },
] as const;

/** How far back the overview looks: so many buckets, with the one that is not over. */
const ranges = {
  '1h': { count: 60, span: 60 },
  '24h': { count: 96, span: 900 },
  '7d': { count: 84, span: 7_200 },
  '30d': { count: 30, span: 86_400 },
} as const;

export type OverviewRange = keyof typeof ranges;
export const overviewRanges = Object.keys(ranges) as OverviewRange[];

/** A stretch of time in which attempts that began then are counted. Seconds since 1970. */
export interface Bucket {
  /** How long it is. */
  span: number;
  at: number;
}

/** The buckets of a range, oldest first. @param time now, in seconds since 1970 */
export function bucketsForRange(range: OverviewRange, time: number): Bucket[] {
  const { count, span } = ranges[range];
  const last = Math.floor(time / span);
  return Array.from({ length: count }, (_, index) => ({ span, at: (last - count + 1 + index) * span }));
}

/** The fewest buckets that make up the time since the beginning of one of them. */
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
