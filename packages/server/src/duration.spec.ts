import { toSeconds, type Duration } from './duration.js';

it('accepts seconds and strings with a unit, and rejects everything else', () => {
  const durations: Duration[] = [600, '90s', '10m', '1.5h', '2d'];
  expect(durations.map(toSeconds)).toEqual([600, 90, 600, 5_400, 172_800]);
  const invalid = [
    0,
    -1,
    NaN,
    Infinity,
    '',
    '10',
    'm',
    '10 m',
    '-1m',
    '0s',
    '10w',
    '1e3s',
    null,
  ] as Duration[];
  for (const duration of invalid) expect(() => toSeconds(duration)).toThrow(TypeError);
});
