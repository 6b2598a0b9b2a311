import { CLOCK_LEEWAY_SECONDS, hasSignedInSince, isNumericDate } from './clock-leeway.js';

it.each<[unknown, boolean]>([
  [0, true],
  [253_402_300_799, true],
  [253_402_300_800, false],
  [1e18, false],
  [Infinity, false],
  [NaN, false],
  [-1, false],
  ['1764000000', false],
  [null, false],
  [undefined, false],
])('isNumericDate(%p) returns %p', (value, expected) => {
  expect(isNumericDate(value)).toBe(expected);
});

it.each<[authTime: unknown, expected: boolean]>([
  [1_000 - CLOCK_LEEWAY_SECONDS, true],
  [1_000 - CLOCK_LEEWAY_SECONDS - 1, false],
  [2_000 + CLOCK_LEEWAY_SECONDS, true],
  [2_000 + CLOCK_LEEWAY_SECONDS + 1, false],
  [1_500_000, false],
  ['1500', false],
  [null, false],
  [undefined, false],
])('compares auth_time %p with the period from 1000 to 2000: %p', (authTime, expected) => {
  expect(hasSignedInSince(authTime, 1_000, 2_000)).toBe(expected);
});
