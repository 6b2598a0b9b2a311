import { readFile } from 'node:fs/promises';
import { errorCode, errorMessage, isNodeError } from './errors.js';

it('an error of Node has its code and message, though it comes from another realm', async () => {
  const error: unknown = await readFile('/no/such/file').catch((thrown: unknown) => thrown);
  expect(isNodeError(error, 'ENOENT')).toBe(true);
  expect(isNodeError(error, 'EEXIST')).toBe(false);
  expect(errorMessage(error)).toMatch(/no such file/);
});

it('anything that is thrown has a code and a message', () => {
  const thrown = [undefined, null, 'ENOENT', 42, {}, { code: 42 }, { code: null }];
  expect(thrown.map(errorCode)).toEqual(thrown.map(() => ''));
  const messages = [new TypeError('wrong'), 'a text', undefined, null, 42].map(errorMessage);
  expect(messages).toEqual(['wrong', 'a text', 'undefined', 'null', '42']);
});
