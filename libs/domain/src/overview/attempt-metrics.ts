import { attemptErrors, type AttemptError } from '../webhooks/delivery.js';

/** Classes of HTTP statuses; none: nothing answered. */
export const statusClasses = ['2xx', '3xx', '4xx', '5xx', 'none'] as const;
export type StatusClass = (typeof statusClasses)[number];

/** Where one bin of durations ends and the next begins, in ms; the last has no end. */
export const durationBounds = [
  1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1_000, 1_500, 2_000, 3_000, 5_000,
  7_000, 10_000, 15_000, 30_000,
] as const;

/** How attempts went, in numbers. */
export interface AttemptMetrics {
  attempts: number;
  failed: number;
  byStatus: Record<StatusClass, number>;
  byError: Record<AttemptError, number>;
  /** How many took how long, bin by bin. What a worker broke off by its own fault has no duration. */
  durations: number[];
}

/**
 * Figures as they are stored: attempts, failed, by status, by error, by duration. What is added later stands at the end,
 * and what is older lacks it.
 */
const countsLayout = [1, 1, statusClasses.length, attemptErrors.length, durationBounds.length + 1];

const ZERO_COUNTS = Array.from({ length: countsLayout.reduce((sum, length) => sum + length) }, () => 0);

/** The sum of stored figures; all zeros for none. */
export const sumCounts = (...all: number[][]): number[] =>
  ZERO_COUNTS.map((_, index) => all.reduce((sum, counts) => sum + (counts[index] ?? 0), 0));

/** Stored figures by their names. */
export function decodeCounts(counts: number[]): AttemptMetrics {
  let begin = 0;
  const [attempts, failed, statuses, errors, durations] = countsLayout.map((length) =>
    counts.slice(begin, (begin += length)),
  );
  return {
    attempts: attempts![0]!,
    failed: failed![0]!,
    byStatus: byName(statusClasses, statuses!),
    byError: byName(attemptErrors, errors!),
    durations: durations!,
  };
}

const byName = <Name extends string>(names: readonly Name[], counts: number[]): Record<Name, number> =>
  Object.fromEntries(names.map((name, index) => [name, counts[index]])) as Record<Name, number>;

/**
 * The duration that `share` of all do not exceed, in ms: exact to its bin, in which they count as evenly spread. Null
 * without any.
 */
export function percentile(durations: number[], quantile: number): number | null {
  const all = durations.reduce((sum, count) => sum + count, 0);
  if (all === 0) return null;
  let rank = Math.max(1, Math.ceil(quantile * all));
  const bin = durations.findIndex((count) => {
    if (rank <= count) return true;
    rank -= count;
    return false;
  });
  const begin = durationBounds[bin - 1] ?? 0;
  const end = durationBounds[bin] ?? begin;
  return begin + Math.floor(((end - begin) * (rank - 1)) / durations[bin]!);
}
