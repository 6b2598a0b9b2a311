import { findNonexistentDate, parseTime } from './parse-time.js';

const toInvalid = (text: string): [string, null] => [text, null];

it('parses ISO 8601 and PostgreSQL times, and rejects dates that do not exist', () => {
  const local = new Date(2026, 10, 27, 9, 30).toISOString();
  const cases: [text: string, time: string | null][] = [
    ['2026-11-27', '2026-11-27T00:00:00.000Z'],
    ['2026-11-27T09:30:00Z', '2026-11-27T09:30:00.000Z'],
    ['2026-11-27t09:30z', '2026-11-27T09:30:00.000Z'],
    ['2026-11-27T09:30:00.123456789+02:00', '2026-11-27T07:30:00.123Z'],
    ['2026-11-27 09:30:00.123456+00', '2026-11-27T09:30:00.123Z'],
    ['2026-11-27 09:30:00.5-0330', '2026-11-27T13:00:00.500Z'],
    ['2026-11-27T09:30', local],
    ['2028-02-29T00:00:00Z', '2028-02-29T00:00:00.000Z'],
    ...['2027-02-30', '2027-02-29T00:00:00Z', '2027-04-31 00:00:00+00'].map(toInvalid),
    ...['2027-13-01', '2027-00-10', '2027-01-00', '2027-00-31'].map(toInvalid),
    ...['', 'soon', 'infinity', '2026', 'Feb 30 2027', '2026-11-27T09:30.5Z', '2026-11-27T25:00:00Z'].map(
      toInvalid,
    ),
  ];
  const read = cases.map(([text]) => {
    const ms = parseTime(text);
    return [text, Number.isNaN(ms) ? null : new Date(ms).toISOString()];
  });
  expect(read).toEqual(cases);
  const nonexistent = ['2027-02-30', '2027-02-30 00:00:00+00', '2028-02-29', 'soon'].map(findNonexistentDate);
  expect(nonexistent).toEqual(['2027-02-30', '2027-02-30', null, null]);
});

it('parses only times with an offset if the caller requires one', () => {
  const read = (text: string): boolean => !Number.isNaN(parseTime(text, { requiresOffset: true }));
  expect(['2026-11-27T09:30Z', '2026-11-27 09:30:00.5-03'].map(read)).toEqual([true, true]);
  expect(['2026-11-27', '2026-11-27T09:30', '2026-11-27 09:30:00'].map(read)).toEqual([false, false, false]);
});
