import { formatDuration, formatRelativeTime, formatUtcTime } from './time';

const now = Date.UTC(2026, 0, 1);

describe('time formatting', () => {
  it.each([
    [0, 'now'],
    [-4_000, 'now'],
    [-59_000, '59s ago'],
    [-61_000, '1m ago'],
    [-2 * 3_600_000, '2h ago'],
    [26 * 3_600_000, 'in 1d'],
    [-400 * 86_400_000, '1y ago'],
  ])('formats %d ms from now as "%s"', (ms, text) => {
    expect(formatRelativeTime(now + ms, now)).toBe(text);
  });

  it.each([
    [12, '12 ms'],
    [12_400, '12.4 s'],
    [59_960, '1 min'],
    [12_000_000, '3 h 20 min'],
    [200_000_000, '2 d'],
  ])('formats a duration of %d ms as "%s"', (ms, text) => expect(formatDuration(ms)).toBe(text));

  it('formats a time in UTC to the millisecond', () => {
    expect(formatUtcTime('2026-11-21T14:04:05.123+01:00')).toBe('2026-11-21 13:04:05.123 UTC');
  });
});
