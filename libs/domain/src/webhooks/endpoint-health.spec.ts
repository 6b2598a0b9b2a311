import { listWindowDays, hasFailedLongEnough, healthFromAttempt, mergeHealth } from './endpoint-health.js';

const at = (minute: number): Date => new Date(Date.UTC(2026, 2, 2, 9, minute));
const healthAfter = (...successes: boolean[]) =>
  successes.map((success, minute) => healthFromAttempt(success, at(minute))).reduce(mergeHealth);

describe('endpoint health', () => {
  it.each([
    [[true], null, at(0), null],
    [[false], at(0), null, at(0)],
    [[false, false, false], at(0), null, at(2)],
    [[false, true], null, at(1), at(0)],
    [[true, false, false], at(1), at(0), at(2)],
    [[false, true, false, false], at(2), at(1), at(3)],
  ])('follows from the attempts %j', (successes, failingSince, lastSuccessAt, lastFailureAt) => {
    expect(healthAfter(...successes)).toEqual({ failingSince, lastSuccessAt, lastFailureAt });
  });

  it('does not depend on how intervals are merged', () => {
    const parts = [true, false, false, true, false, false].map((success, minute) =>
      healthFromAttempt(success, at(minute)),
    );
    const [a, b] = [parts.slice(0, 2).reduce(mergeHealth), parts.slice(2).reduce(mergeHealth)];
    expect(mergeHealth(a, b)).toEqual(parts.reduce(mergeHealth));
  });
});

describe('listWindowDays', () => {
  const DAY = 86_400_000;
  const midnight = Date.UTC(2026, 2, 5);

  it('returns UTC days from the start of the window to the end of today', () => {
    const now = midnight + 9 * 3_600_000;
    const [first, ...others] = listWindowDays(new Date(now), 3 * DAY);
    expect(first).toEqual({ from: now - 3 * DAY, to: midnight - 2 * DAY });
    expect(others).toEqual(
      [-2, -1, 0].map((day) => ({ from: midnight + day * DAY, to: midnight + (day + 1) * DAY })),
    );
  });

  it('includes an attempt at the start of a window that begins at midnight', () => {
    const days = listWindowDays(new Date(midnight), 3 * DAY);
    expect(days).toHaveLength(4);
    expect(days[0]).toEqual({ from: midnight - 3 * DAY, to: midnight - 2 * DAY });
  });

  it('divides a shorter window into proportionally shorter days', () => {
    expect(listWindowDays(new Date(midnight + 500), 3_000)).toEqual(
      [-2_500, -2_000, -1_000, 0].map((from, index) => ({
        from: midnight + from,
        to: midnight + (index - 2) * 1_000,
      })),
    );
  });
});

describe('hasFailedLongEnough', () => {
  it.each([
    [[1, 3, 0, 1], true],
    [[0, 1, 1, 3], true],
    [[0, 1, 1, 2], false],
    [[5, 0, 0, 1], false],
    [[0, 0, 100, 100], false],
    [[], false],
  ])('evaluates the failed attempts per day %j: %s', (failures, expected) => {
    expect(hasFailedLongEnough(failures)).toBe(expected);
  });
});
