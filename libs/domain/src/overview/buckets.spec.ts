import { bucketsForRange, bucketSpans, coveringBuckets, overviewRanges, previousBuckets } from './buckets.js';

const times = [
  '2026-02-28T23:59:59Z',
  '2026-03-01T00:00:00Z',
  '2026-03-01T14:37:21Z',
  '2026-03-01T14:45:00Z',
].map((text) => Date.parse(text) / 1_000);

describe('bucketsForRange', () => {
  it.each(overviewRanges)('ends range %s with the current bucket', (range) => {
    const seconds = { '1h': 3_600, '24h': 86_400, '7d': 7 * 86_400, '30d': 30 * 86_400 }[range];
    for (const time of times) {
      const buckets = bucketsForRange(range, time);
      const { span, at } = buckets.at(-1)!;
      expect(at <= time && time < at + span).toBe(true);
      expect(buckets[0]!.at).toBe(at + span - seconds);
      expect(buckets.every((each) => each.at % span === 0)).toBe(true);
    }
  });
});

describe('previousBuckets', () => {
  it.each(overviewRanges)('ends where range %s begins, with buckets that are still retained', (range) => {
    for (const time of times) {
      const buckets = bucketsForRange(range, time);
      const previous = previousBuckets(buckets);
      const { span, at } = previous.at(-1)!;
      expect(at + span).toBe(buckets[0]!.at);
      expect(previous).toHaveLength(buckets.length);
      const { retention } = bucketSpans.find((each) => each.span === span)!;
      // One minute is the margin for the clock of the worker that removes old buckets.
      expect(previous[0]!.at).toBeGreaterThan(time - retention + 60);
    }
  });
});

describe('coveringBuckets', () => {
  it.each(overviewRanges)(
    'covers range %s without gaps or overlaps, with buckets that are still retained',
    (range) => {
      for (const time of times) {
        const [first] = bucketsForRange(range, time);
        const covering = coveringBuckets(first!, time);
        let end = first!.at;
        for (const { span, at } of covering) {
          expect([at, at % span]).toEqual([end, 0]);
          expect(at + span).toBeGreaterThan(
            time - bucketSpans.find((each) => each.span === span)!.retention + span,
          );
          end = at + span;
        }
        expect(end).toBeGreaterThan(time);
        expect(covering.length).toBeLessThanOrEqual(40);
      }
    },
  );

  it('prefers the longest buckets', () => {
    const from = Date.parse('2026-03-01T22:58:00Z') / 1_000;
    const spans = coveringBuckets({ span: 60, at: from }, from + 3_600).map(({ span }) => span);
    expect(spans).toEqual([60, 60, 900, 900, 900, 900]);
  });
});
