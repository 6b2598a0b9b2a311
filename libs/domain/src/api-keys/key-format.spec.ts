import { apiKeyPattern, apiKeyType, formatApiKey, holdsSecret } from './key-format.js';

const counting = Buffer.from(Array.from({ length: 32 }, (_, index) => index));

/** Computed apart from this code: Python's int and zlib.crc32. */
const vectors = [
  ['secret', Buffer.alloc(32, 0x00), 'sk_00000000000000000000000000000000000000000004LPos6'],
  ['publishable', Buffer.alloc(32, 0xff), 'pk_yhjskwdA6OZ1AL1YmHWZWm8LLG7HjnuCA2j5rOw8Xp13dVO0t'],
  ['secret', counting, 'sk_003aUlTJC7tjlCTQj2uNU3MFagCXG9LRKRcwGkBIDlf3WINfG'],
] as const;

describe('API keys', () => {
  it.each(vectors)('AK-01: a %s key is made as published', (type, random, expected) => {
    expect(formatApiKey(type, random)).toBe(expected);
    expect(apiKeyType(expected)).toBe(type);
  });

  it('AK-01: matches the published pattern', () => {
    expect(apiKeyPattern.source).toBe('^(sk|pk)_[0-9A-Za-z]{49}$');
    expect(formatApiKey('secret', counting)).toMatch(apiKeyPattern);
  });

  it.each([31, 33, 0])('is made of 32 random bytes, not of %d', (length) => {
    expect(() => formatApiKey('secret', Buffer.alloc(length))).toThrow(RangeError);
  });

  it('AK-01: no single changed character goes unnoticed', () => {
    const key = formatApiKey('secret', counting);
    for (let index = 3; index < key.length; index += 1) {
      const other = key[index] === 'x' ? 'y' : 'x';
      expect(apiKeyType(key.slice(0, index) + other + key.slice(index + 1))).toBeNull();
    }
  });

  it('AK-01: the checksum covers the prefix, so a key cannot change its kind', () => {
    const key = formatApiKey('secret', counting);
    expect(apiKeyType(`pk_${key.slice(3)}`)).toBeNull();
  });

  it('AK-01: neighbouring characters that changed places are noticed', () => {
    const key = formatApiKey('secret', counting);
    const index = [...key].findIndex((character, at) => at > 10 && character !== key[at + 1]);
    const swapped = key.slice(0, index) + key[index + 1] + key[index] + key.slice(index + 2);
    expect(apiKeyType(swapped)).toBeNull();
  });

  const secretKey = formatApiKey('secret', counting);
  it.each([
    ['a secret key', secretKey, true],
    ['one with a wrong checksum', `${secretKey.slice(0, -1)}0`, true],
    ['a line with one', `KEY="${secretKey}"`, true],
    ['a signing secret', `whsec_${counting.toString('base64')}`, true],
    ['a publishable key', formatApiKey('publishable', counting), false],
    ['what keys are found by', secretKey.slice(0, 8), false],
    ['the beginning of all signing secrets', 'whsec_', false],
    ['a word that ends alike', `task_${secretKey.slice(3)}`, false],
  ])('%s gives a secret away or does not', (_, text, isSecret) => {
    expect(holdsSecret(text)).toBe(isSecret);
  });

  it.each([
    ['nothing', () => ''],
    ['another prefix', (key: string) => `rk_${key.slice(3)}`],
    ['a prefix in capitals', (key: string) => `SK_${key.slice(3)}`],
    ['one character less', (key: string) => key.slice(0, -1)],
    ['one character more', (key: string) => `${key}0`],
    ['a line feed at the end', (key: string) => `${key}\n`],
    ['a blank in front', (key: string) => ` ${key}`],
    ['a NUL at the end', (key: string) => `${key}\0`],
    ['a character outside base62', (key: string) => `${key.slice(0, -1)}-`],
    ['a megabyte', (key: string) => key + 'a'.repeat(1_000_000)],
  ])('AK-01: refuses %s', (_, change) => {
    expect(apiKeyType(change(formatApiKey('secret', counting)))).toBeNull();
  });
});
