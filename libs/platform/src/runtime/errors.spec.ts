import { readFile } from 'node:fs/promises';
import { errorCode, errorMessage, isNodeError } from './errors.js';

it('returns the code and message of a Node.js error from another realm', async () => {
  const error: unknown = await readFile('/no/such/file').catch((thrown: unknown) => thrown);
  expect(isNodeError(error, 'ENOENT')).toBe(true);
  expect(isNodeError(error, 'EEXIST')).toBe(false);
  expect(errorMessage(error)).toMatch(/no such file/);
});

it('returns a code and a message for any thrown value', () => {
  const thrown = [undefined, null, 'ENOENT', 42, {}, { code: 42 }, { code: null }];
  expect(thrown.map(errorCode)).toEqual(thrown.map(() => ''));
  const messages = [new TypeError('wrong'), 'a text', undefined, null, 42].map(errorMessage);
  expect(messages).toEqual(['wrong', 'a text', 'undefined', 'null', '42']);
});
