import { healthFromAttempt, mergeHealth } from './endpoint-health.js';

const at = (minute: number): Date => new Date(Date.UTC(2026, 2, 2, 9, minute));
const healthAfter = (...successes: boolean[]) =>
  successes.map((success, minute) => healthFromAttempt(success, at(minute))).reduce(mergeHealth);

describe('the health of an endpoint', () => {
  it.each([
    [[true], null, at(0), null],
    [[false], at(0), null, at(0)],
    [[false, false, false], at(0), null, at(2)],
    [[false, true], null, at(1), at(0)],
    [[true, false, false], at(1), at(0), at(2)],
    [[false, true, false, false], at(2), at(1), at(3)],
  ])('after %j', (successes, failingSince, lastSuccessAt, lastFailureAt) => {
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
