import type { IncomingMessage } from 'node:http';
import { readCookie } from './operator-cookie.js';

const NAME = '__Host-session';
const read = (cookie?: string): string | null => readCookie({ headers: { cookie } } as IncomingMessage, NAME);

it.each<[string, string | undefined, string | null]>([
  ['no cookie', undefined, null],
  ['the cookie alone', `${NAME}=a`, 'a'],
  ['the cookie among others', `x=1; ${NAME}=a=b;\ty=2`, 'a=b'],
  ['an empty value', `${NAME}=`, ''],
  ['a longer name', `${NAME}2=a; x${NAME}=b`, null],
  ['a different case', `${NAME.toUpperCase()}=a`, null],
  ['two cookies with the name', `${NAME}=a; ${NAME}=b`, null],
  ['a space after the name', `${NAME} =a`, null],
])('reads a cookie: %s', (_, cookie, expected) => {
  expect(read(cookie)).toBe(expected);
});

// Browsers prevent subdomains from setting a cookie whose name begins with __Host-, but not if one of these characters
// precedes the prefix.
it('ignores a cookie whose name has another character before the prefix', () => {
  const characters = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code)).filter(
    (character) => !'\t ;'.includes(character),
  );
  const wrong = characters.filter(
    (character) =>
      read(`x=1; ${character}${NAME}=a`) !== null || read(`${character}${NAME}=a; ${NAME}=b`) !== 'b',
  );
  expect(wrong).toEqual([]);
});
