import { parseTimeRange } from './time-range';

it('accepts a preset, two times or one time, and rejects everything else', () => {
  const now = Date.UTC(2026, 0, 2);
  const [after, before] = ['2026-01-01T00:00:00.000Z', '2026-01-01T12:00:00.000Z'];
  expect(parseTimeRange('24h', now, 'utc')).toEqual({ after });
  expect(parseTimeRange(`${after}~${before}`, now, 'utc')).toEqual({ after, before });
  expect(parseTimeRange(`${after}~`, now, 'utc')).toEqual({ after });
  expect(parseTimeRange(`~${before}`, now, 'utc')).toEqual({ before });
  for (const range of ['', '~', 'tomorrow', '2026~x', '1~2~3', 'toString'])
    expect(parseTimeRange(range, now, 'utc')).toBeNull();
});

it('returns the bounds for today and yesterday', () => {
  const now = Date.UTC(2026, 0, 2, 15);
  const [after, before] = ['2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z'];
  expect(parseTimeRange('today', now, 'utc')).toEqual({ after: before });
  expect(parseTimeRange('yesterday', now, 'utc')).toEqual({ after, before });
});
