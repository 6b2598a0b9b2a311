import { dictionary } from '@zxcvbn-ts/language-common';
import { isCommonPassword } from './common-passwords.js';

describe('common passwords', () => {
  it.each(['password', '12345678', 'iloveyou', 'qwertyuiop', 'password1', 'sunshine', 'football'])(
    'PW-05: %s is common',
    (password) => {
      expect(isCommonPassword(password)).toBe(true);
    },
  );

  it.each(['correct horse battery staple', 'constructor', '__proto__', ''])(
    'PW-05: %j is not',
    (password) => {
      expect(isCommonPassword(password)).toBe(false);
    },
  );

  it('PW-05: at least 10,000 of them have an allowed length, and all are lower-case', () => {
    const entries = dictionary['passwords-common'];
    expect(entries.filter((entry) => [...entry].length >= 8).length).toBeGreaterThanOrEqual(10_000);
    expect(entries.every((entry) => entry === entry.toLowerCase())).toBe(true);
  });
});
