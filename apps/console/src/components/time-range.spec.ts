import { parseTimeRange } from './time-range';

it('parseTimeRange accepts a preset, two times or one time, and rejects everything else', () => {
  const now = Date.UTC(2026, 0, 2);
  const [after, before] = ['2026-01-01T00:00:00.000Z', '2026-01-01T12:00:00.000Z'];
  expect(parseTimeRange('24h', now)).toEqual({ after });
  expect(parseTimeRange(`${after}~${before}`, now)).toEqual({ after, before });
  expect(parseTimeRange(`${after}~`, now)).toEqual({ after });
  expect(parseTimeRange(`~${before}`, now)).toEqual({ before });
  for (const range of ['', '~', 'yesterday', '2026~x', '1~2~3', 'toString'])
    expect(parseTimeRange(range, now)).toBeNull();
});
