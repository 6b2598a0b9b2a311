import { dictionary } from '@zxcvbn-ts/language-common';
import { isCommonPassword } from './common-passwords.js';

describe('common passwords', () => {
  it('PW-05: recognizes common passwords only', () => {
    const common = ['password', '12345678', 'iloveyou', 'qwertyuiop', 'password1', 'sunshine', 'football'];
    const others = ['correct horse battery staple', 'constructor', '__proto__', ''];
    expect([...common, ...others].filter(isCommonPassword)).toEqual(common);
  });

  it('PW-05: contains at least 10,000 passwords with an allowed length, all in lowercase', () => {
    const entries = dictionary['passwords-common'];
    expect(entries.filter((entry) => [...entry].length >= 8).length).toBeGreaterThanOrEqual(10_000);
    expect(entries.every((entry) => entry === entry.toLowerCase())).toBe(true);
  });
});
