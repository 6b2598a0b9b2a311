import { hasRepeatedKey } from './repeated-keys.js';

const deep = `{"deep":${'['.repeat(20_000)}${']'.repeat(20_000)},"a":1`;

it.each<[string, string, boolean]>([
  ['no key', '[1,"a:b",null]', false],
  ['different keys', '{"a":{"a":1},"b":[{"a":1},{"a":1}]}', false],
  ['quotes, backslashes and colons in strings', '{"a\\\\":"\\":","b":"\\\\","c\\"":":"}', false],
  ['a key twice', '{"a":1,"a":1}', true],
  ['a key with an escape', '{"a":1,"\\u0061":2}', true],
  ['a key in an object of a list', '[{"a":[{"b":1, "b" : 2}]}]', true],
  ['a key twice after strings with quotes', '{"x":"\\\\\\"","a":1,"a"\n:2}', true],
  ['reserved keys', '{"__proto__":1,"constructor":2}', false],
  ['a reserved key twice', '{"__proto__":1,"__proto__":2}', true],
  ['a deep value', `${deep}}`, false],
  ['a key twice beside a deep value', `${deep},"a":2}`, true],
  ['a scalar', '"a"', false],
])('detects whether a key is repeated: %s', (_, text, expected) =>
  expect(hasRepeatedKey(text, JSON.parse(text))).toBe(expected),
);
