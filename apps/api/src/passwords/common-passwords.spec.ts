import { dictionary } from '@zxcvbn-ts/language-common';
import { isCommonPassword } from './common-passwords.js';

describe('common passwords', () => {
  it('PW-05: are known, and others are not', () => {
    const common = ['password', '12345678', 'iloveyou', 'qwertyuiop', 'password1', 'sunshine', 'football'];
    const others = ['correct horse battery staple', 'constructor', '__proto__', ''];
    expect([...common, ...others].filter(isCommonPassword)).toEqual(common);
  });

  it('PW-05: at least 10,000 of them have an allowed length, and all are lower-case', () => {
    const entries = dictionary['passwords-common'];
    expect(entries.filter((entry) => [...entry].length >= 8).length).toBeGreaterThanOrEqual(10_000);
    expect(entries.every((entry) => entry === entry.toLowerCase())).toBe(true);
  });
});
