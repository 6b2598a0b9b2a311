import { CustomerDraft } from './source-fields.js';
import { setTime, toTime } from './source-values.js';

it.each<[value: unknown, time: string | null]>([
  [1_704_067_200, '2024-01-01T00:00:00.000Z'],
  ['1704067200', '2024-01-01T00:00:00.000Z'],
  [1_704_067_200_000, '2024-01-01T00:00:00.000Z'],
  ['1704067200000', '2024-01-01T00:00:00.000Z'],
  [1_704_067_200_123_456, '2024-01-01T00:00:00.123Z'],
  ['1704067200123456', '2024-01-01T00:00:00.123Z'],
  ['2024-01-01 00:00:00+00', '2024-01-01T00:00:00.000Z'],
  [0, '1970-01-01T00:00:00.000Z'],
  [1_704_067_200.5, null],
  ['2024-01-01 00:00:00', null],
  ['9'.repeat(30), null],
  [-1, null],
])('reads a time in the same unit as imports: %j', (value, time) => {
  expect(toTime(value)).toBe(time);
  const draft = new CustomerDraft();
  setTime(draft, 'createdAt', 'created', value);
  expect(draft.leftOut.map(({ field }) => field)).toEqual(time === null ? ['created'] : []);
});
