import { attemptErrors, type AttemptError } from '../webhooks/delivery.js';
import type { StatusClass } from '../webhooks/http-status.js';
import type { Bucket } from './buckets.js';

/** The HTTP status classes with their own counter. All other attempts are `other`. */
export const countedStatusClasses = ['2xx', '3xx', '4xx', '5xx', 'none'] as const;

/** Boundaries between the duration histogram's bins, in ms. The last bin has no upper bound. */
export const durationBounds = [
  1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1_000, 1_500, 2_000, 3_000, 5_000,
  7_000, 10_000, 15_000, 30_000,
] as const;

export interface AttemptMetrics {
  attempts: number;
  failed: number;
  byStatus: Record<StatusClass, number>;
  byError: Record<AttemptError, number>;
  /**
   * The number of attempts in each duration bin. An attempt that a worker aborted because of an internal error has no
   * duration.
   */
  durations: number[];
}

/**
 * The layout of stored counts: attempts, failures, then by status, by error and by duration. New counts are appended,
 * so older rows are shorter.
 */
const countsLayout = [1, 1, countedStatusClasses.length, attemptErrors.length, durationBounds.length + 1];

const ZERO_COUNTS = Array.from({ length: countsLayout.reduce((sum, length) => sum + length) }, () => 0);

/** Adds stored counts element by element. Returns zeros if there are no rows. */
export const sumCounts = (...rows: number[][]): number[] =>
  ZERO_COUNTS.map((_, index) => rows.reduce((sum, counts) => sum + (counts[index] ?? 0), 0));

/** Returns stored counts as named metrics. */
export function decodeCounts(counts: number[]): AttemptMetrics {
  let begin = 0;
  const [attempts, failed, statuses, errors, durations] = countsLayout.map((length) =>
    counts.slice(begin, (begin += length)),
  );
  return {
    attempts: attempts![0]!,
    failed: failed![0]!,
    byStatus: {
      ...byName(countedStatusClasses, statuses!),
      other: attempts![0]! - statuses!.reduce((sum, count) => sum + count, 0),
    },
    byError: byName(attemptErrors, errors!),
    durations: durations!,
  };
}

const byName = <Name extends string>(names: readonly Name[], counts: number[]): Record<Name, number> =>
  Object.fromEntries(names.map((name, index) => [name, counts[index]])) as Record<Name, number>;

/** The metrics for a time range: the totals, and the metrics of each bucket. */
export interface AttemptSummary {
  totals: AttemptMetrics;
  /** All buckets in the range, oldest first, including those without attempts. */
  series: (Bucket & { metrics: AttemptMetrics })[];
}

/**
 * Returns the metrics for a time range.
 * @param counted stored counts of the buckets that have any, in any order; rows for the same bucket are added up
 */
export function summarizeCounts(
  buckets: Bucket[],
  counted: { at: number; counts: number[] }[],
): AttemptSummary {
  const filled = buckets.map((bucket) => ({
    ...bucket,
    counts: sumCounts(...counted.filter(({ at }) => at === bucket.at).map(({ counts }) => counts)),
  }));
  return {
    totals: decodeCounts(sumCounts(...filled.map(({ counts }) => counts))),
    series: filled.map(({ counts, ...bucket }) => ({ ...bucket, metrics: decodeCounts(counts) })),
  };
}

/**
 * Returns the metrics for the previous period; null if it has no counts or no attempts.
 * @param counted as in `summarizeCounts`
 */
export function summarizePrevious(
  buckets: Bucket[],
  counted: { at: number; counts: number[] }[] | null,
): AttemptSummary | null {
  const summary = counted && summarizeCounts(buckets, counted);
  return summary && summary.totals.attempts > 0 ? summary : null;
}

/**
 * Returns the duration in ms that the fraction `quantile` of all attempts does not exceed, or null if there are no
 * attempts. The attempts in a bin are assumed to be evenly distributed.
 */
export function percentile(durations: number[], quantile: number): number | null {
  const total = durations.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  let rank = Math.max(1, Math.ceil(quantile * total));
  const bin = durations.findIndex((count) => {
    if (rank <= count) return true;
    rank -= count;
    return false;
  });
  const begin = durationBounds[bin - 1] ?? 0;
  const end = durationBounds[bin] ?? begin;
  return begin + Math.floor(((end - begin) * (rank - 1)) / durations[bin]!);
}
