import { attemptErrors } from '../webhooks/delivery.js';
import {
  sumCounts,
  durationBounds,
  percentile,
  decodeCounts,
  countedStatusClasses,
} from './attempt-metrics.js';

/** Returns the bin for a duration in ms. */
const binIndex = (ms: number): number => durationBounds.filter((bound) => bound <= ms).length;

function toHistogram(durations: number[]): number[] {
  const bins = Array.from({ length: durationBounds.length + 1 }, () => 0);
  for (const ms of durations) bins[binIndex(ms)]! += 1;
  return bins;
}

/** Returns one of the durations, like `percentile_disc` in PostgreSQL. */
const exactPercentile = (durations: number[], share: number): number =>
  durations.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(share * durations.length) - 1)]!;

describe('percentile', () => {
  it('returns null without durations', () => expect(percentile(toHistogram([]), 0.95)).toBeNull());

  it.each([0, 1, 2, 30, 9_999, 10_000, 29_999])(
    'returns a value in the same bin as a single duration of %i ms',
    (ms) => {
      for (const share of [0.5, 0.95])
        expect(binIndex(percentile(toHistogram([ms]), share)!)).toBe(binIndex(ms));
    },
  );

  it('returns the last bound if all durations exceed it', () =>
    expect(percentile(toHistogram([40_000, 900_000]), 0.95)).toBe(30_000));

  it('returns a value in the same bin as the exact percentile', () => {
    let seed = 1;
    const next = (): number => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
    for (let round = 0; round < 500; round += 1) {
      const durations = Array.from({ length: 1 + Math.floor(next() * 60) }, () =>
        Math.floor(10 ** (next() * 4.4)),
      );
      for (const share of [0.01, 0.5, 0.95, 1])
        expect(binIndex(percentile(toHistogram(durations), share)!)).toBe(
          binIndex(exactPercentile(durations, share)),
        );
    }
  });

  it('interpolates within a bin by rank', () => {
    const sameDurations = toHistogram(Array.from({ length: 100 }, () => 120));
    expect([0.01, 0.5, 1].map((share) => percentile(sameDurations, share))).toEqual([100, 124, 149]);
  });
});

describe('stored counts', () => {
  const length = 2 + countedStatusClasses.length + attemptErrors.length + durationBounds.length + 1;
  const storedCounts = Array.from({ length }, (_, index) => index);

  it('map to metrics in the order in which they are stored', () => {
    const metrics = decodeCounts(storedCounts);
    expect(metrics).toMatchObject({ attempts: 0, failed: 1, byStatus: { '2xx': 2, none: 6 } });
    expect(decodeCounts([21, ...storedCounts.slice(1)]).byStatus.other).toBe(21 - (2 + 3 + 4 + 5 + 6));
    expect(metrics.byError).toMatchObject({ http_error: 7, worker_lost: 14 });
    expect([metrics.durations.length, metrics.durations[0], metrics.durations.at(-1)]).toEqual([27, 15, 41]);
  });

  it('add up, including shorter rows from older versions', () => {
    expect(sumCounts()).toEqual(storedCounts.map(() => 0));
    expect(sumCounts(storedCounts, storedCounts, [1, 1])).toEqual(
      storedCounts.map((count, index) => 2 * count + (index < 2 ? 1 : 0)),
    );
  });
});
