import { ceilTimestamp, parseTimestamp, timestampProblem } from './timestamp.js';

const times: Record<string, string> = {
  '2026-01-02T03:04:05Z': '2026-01-02T03:04:05.000Z',
  '2026-01-02t03:04:05z': '2026-01-02T03:04:05.000Z',
  '2026-01-02 03:04:05+00:00': '2026-01-02T03:04:05.000Z',
  '2026-01-02T03:04:05-00:00': '2026-01-02T03:04:05.000Z',
  '2026-01-02T03:04:05+23:59': '2026-01-01T03:05:05.000Z',
  '2026-01-02T03:04:05.1Z': '2026-01-02T03:04:05.100Z',
  '2026-01-02T03:04:05.123Z': '2026-01-02T03:04:05.123Z',
  // Microseconds (Python), nanoseconds (Go) and a time before 1970, all truncated
  '2026-01-02T03:04:05.123456+02:00': '2026-01-02T01:04:05.123Z',
  '2026-01-02T03:04:05.123999999Z': '2026-01-02T03:04:05.123Z',
  '1969-12-31T23:59:59.999999Z': '1969-12-31T23:59:59.999Z',
  '2028-02-29T00:00:00Z': '2028-02-29T00:00:00.000Z',
  '2000-02-29T00:00:00Z': '2000-02-29T00:00:00.000Z',
  '2026-12-31T24:00:00Z': '2027-01-01T00:00:00.000Z',
  '0000-01-01T00:00:00Z': '0000-01-01T00:00:00.000Z',
  '9999-12-31T23:59:59.999999999Z': '9999-12-31T23:59:59.999Z',
};

const malformed = [
  ...['', '2026-01-02', '2026-01-02T03:04:05', '2026-01-02T03:04Z', '20260102T030405Z', '1767323045'],
  ...['2026-01-02T03:04:05.Z', '2026-01-02T03:04:05.1234567890Z', '2026-01-02T03:04:05,5Z'],
  ...[
    '2026-01-02T03:04:05+02',
    '2026-01-02T03:04:05+0200',
    '2026-01-02T03:04:05+24:00',
    '2026-01-02  03:04:05Z',
  ],
  ...['2026-01-02T25:00:00Z', '2026-01-02T03:60:05Z', '2026-12-31T23:59:60Z', '2026-01-02T24:00:01Z'],
  ...[
    '2026-01-02T24:00:00.000000001Z',
    '+02026-01-02T03:04:05Z',
    '9999-12-31T23:59:59-00:01',
    '2026-01-02T03:04:05Z\n',
  ],
];

const nonexistentDates = [
  '2027-02-29',
  '2100-02-29',
  '2027-02-30',
  '2027-04-31',
  '2027-13-01',
  '2027-00-10',
  '2027-01-00',
  '2027-01-32',
];

describe('parseTimestamp', () => {
  it('accepts RFC 3339 with up to nine fraction digits, and truncates to milliseconds', () => {
    const read = Object.keys(times).map((text) => [text, parseTimestamp(text)?.toISOString()]);
    expect(Object.fromEntries(read)).toEqual(times);
  });

  it('rejects other formats, out-of-range times, and dates that do not exist', () => {
    const withNonexistentDates = nonexistentDates.flatMap((date) => [
      `${date}T00:00:00Z`,
      `${date} 12:30:00.123456-05:00`,
    ]);
    const problems = (texts: string[]) =>
      texts.map((text) => [text, timestampProblem(text), parseTimestamp(text)]);
    expect(problems(malformed)).toEqual(malformed.map((text) => [text, 'format', null]));
    expect(problems(withNonexistentDates)).toEqual(withNonexistentDates.map((text) => [text, 'date', null]));
  });
});

describe('ceilTimestamp', () => {
  it('rounds up to milliseconds', () => {
    const bounds = ['.123Z', '.123000000Z', '.123000001Z', '.123456Z', '.999999Z'].map(
      (end) => ceilTimestamp(`2026-01-02T03:04:05${end}`)!.getTime() - Date.UTC(2026, 0, 2, 3, 4, 5),
    );
    expect(bounds).toEqual([123, 123, 124, 124, 1_000]);
    expect(ceilTimestamp('2027-02-30T00:00:00Z')).toBeNull();
  });
});
