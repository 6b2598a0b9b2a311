import {
  formatBothTimes,
  formatDuration,
  formatRelativeTime,
  formatTime,
  formatWait,
  fromWallTime,
  startOfDay,
  toWallTime,
} from './time';

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
    expect(formatTime('2026-11-21T14:04:05.123+01:00', 'utc')).toBe('2026-11-21 13:04:05.123 UTC');
  });
});

describe('time zones', () => {
  it('shows the local time and UTC, or only UTC', () => {
    const [shown, other] = formatBothTimes('2026-01-01T22:30:00Z', 'utc');
    expect(shown).toBe('2026-01-01 22:30:00.000 UTC');
    const local = formatTime('2026-01-01T22:30:00Z', 'local');
    expect(other).toBe(local === shown ? undefined : local);
    expect(formatWait(60, Date.UTC(2026, 0, 1, 12), 'utc')).toBe('in 1 min, at 12:01:00 UTC');
  });

  it.each(['local', 'utc'] as const)('parses and formats %s times without loss', (zone) => {
    for (const text of ['2026-01-01T00:00', '2026-07-01T10:15'])
      expect(toWallTime(fromWallTime(text, zone), zone)).toBe(`${text}:00.000`);
    expect(fromWallTime('', zone)).toBe('');
  });

  it.each(['local', 'utc'] as const)('starts %s days at midnight', (zone) => {
    const noon = fromWallTime('2026-03-01T12:00', zone);
    const start = (daysAgo: number): string => toWallTime(startOfDay(Date.parse(noon), zone, daysAgo), zone);
    expect([start(0), start(1)]).toEqual(['2026-03-01T00:00:00.000', '2026-02-28T00:00:00.000']);
  });
});
