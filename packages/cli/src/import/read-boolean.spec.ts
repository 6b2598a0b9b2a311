import { parseBoolean, readBoolean, readFlag } from './read-boolean.js';
import { CustomerDraft } from './source-fields.js';
import { isSet } from './source-values.js';
import { unknown } from './unknown-reasons.js';

const table: [result: boolean | null | undefined, values: unknown[]][] = [
  [true, [true, 1, 'true', 'TRUE', 'True', ' true ', 't', 'T', 'yes', 'Y', '1', '1.0']],
  [false, [false, 0, 'false', 'FALSE', 'False', 'f', 'F', 'no', 'N', '0', '0.0']],
  [undefined, [undefined, null, '', ' ', 'null', 'NULL', '\\N', 'None']],
  [null, ['maybe', 'on', 'truee', '2', 2, -1, Number.NaN, {}, [], [true], { value: true }]],
];
const cases = table.flatMap(([result, values]) => values.map((value) => [value, result] as const));

it.each(cases)('parses %j as %s, and reports a field only if the result is null', (value, result) => {
  expect(parseBoolean(value)).toBe(result);
  expect(readBoolean(value)).toBe(result === undefined ? false : result);
  const draft = new CustomerDraft();
  expect(readFlag(draft, 'field', value)).toBe(result === true);
  expect(draft.leftOut).toEqual(result === null ? [{ field: 'field', ...unknown.boolean }] : []);
});

it.each([
  ...cases
    .filter(([, result]) => result !== null)
    .map(([value, result]) => [value, result === true] as const),
  ...([
    ['maybe', true],
    [2, true],
    [[1], true],
    [{ value: 1 }, true],
    [[], false],
    [{}, false],
  ] as const),
])('isSet(%j) returns %s', (value, expected) => expect(isSet(value)).toBe(expected));
