import { readFileSync } from 'node:fs';
import { errorCode, errorMessage, isNodeError } from './errors.js';

const thrown = (act: () => unknown): unknown => {
  try {
    act();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
};

describe('errors of every origin', () => {
  const fromNode = thrown(() => readFileSync('/no/such/file'));

  it('an error of Node has its code and message, though it comes from another realm', () => {
    expect(isNodeError(fromNode, 'ENOENT')).toBe(true);
    expect(isNodeError(fromNode, 'EEXIST')).toBe(false);
    expect(errorMessage(fromNode)).toMatch(/no such file/);
  });

  it.each([undefined, null, 'ENOENT', 42, {}, { code: 42 }, { code: null }])('%p has no code', (value) => {
    expect(errorCode(value)).toBe('');
  });

  it.each([
    [new TypeError('wrong'), 'wrong'],
    ['a text', 'a text'],
    [undefined, 'undefined'],
    [null, 'null'],
    [42, '42'],
  ])('the message of %p is %p', (value, message) => {
    expect(errorMessage(value)).toBe(message);
  });
});
