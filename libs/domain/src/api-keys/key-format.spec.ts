import { apiKeyPattern, apiKeyType, formatApiKey, containsSecret } from './key-format.js';

const countingBytes = Buffer.from(Array.from({ length: 32 }, (_, index) => index));
const key = formatApiKey('secret', countingBytes);

describe('API keys', () => {
  // Computed independently of this code, with Python's int and zlib.crc32.
  it.each([
    ['secret', Buffer.alloc(32, 0x00), 'sk_00000000000000000000000000000000000000000004LPos6'],
    ['publishable', Buffer.alloc(32, 0xff), 'pk_yhjskwdA6OZ1AL1YmHWZWm8LLG7HjnuCA2j5rOw8Xp13dVO0t'],
    ['secret', countingBytes, 'sk_003aUlTJC7tjlCTQj2uNU3MFagCXG9LRKRcwGkBIDlf3WINfG'],
  ] as const)('AK-01: have the published format (%s key)', (type, random, expected) => {
    expect(formatApiKey(type, random)).toBe(expected);
    expect(apiKeyType(expected)).toBe(type);
    expect(apiKeyPattern.source).toBe('^(sk|pk)_[0-9A-Za-z]{49}$');
    expect(expected).toMatch(apiKeyPattern);
  });

  it('require exactly 32 random bytes', () => {
    for (const length of [31, 33, 0])
      expect(() => formatApiKey('secret', Buffer.alloc(length))).toThrow(RangeError);
  });

  it('AK-01: have a checksum that detects changed or swapped characters and a different prefix', () => {
    const changed = Array.from({ length: key.length - 3 }, (_, offset) => {
      const index = offset + 3;
      return key.slice(0, index) + (key[index] === 'x' ? 'y' : 'x') + key.slice(index + 1);
    });
    const index = [...key].findIndex((character, at) => at > 10 && character !== key[at + 1]);
    const swapped = key.slice(0, index) + key[index + 1] + key[index] + key.slice(index + 2);
    expect([...changed, swapped, `pk_${key.slice(3)}`].filter((text) => apiKeyType(text) !== null)).toEqual(
      [],
    );
  });

  it('AK-01: have an exact prefix, length and alphabet', () => {
    const prefixes = ['', `rk_${key.slice(3)}`, `SK_${key.slice(3)}`, ` ${key}`];
    const lengths = [key.slice(0, -1), `${key}0`, key + 'a'.repeat(1_000_000)];
    const ends = [`${key}\n`, `${key}\0`, `${key.slice(0, -1)}-`];
    expect([...prefixes, ...lengths, ...ends].filter((text) => apiKeyType(text) !== null)).toEqual([]);
  });

  it.each([
    [true, 'a secret key', key],
    [true, 'a secret key with a wrong checksum', `${key.slice(0, -1)}0`],
    [true, 'a line with a secret key', `KEY="${key}"`],
    [true, 'a signing secret', `whsec_${countingBytes.toString('base64')}`],
    [false, 'a publishable key', formatApiKey('publishable', countingBytes)],
    [false, 'the prefix that identifies a key', key.slice(0, 8)],
    [false, 'the prefix of signing secrets', 'whsec_'],
    [false, 'a longer word that ends with a key', `task_${key.slice(3)}`],
  ])('containsSecret returns %p for %s', (isSecret, _, text) => {
    expect(containsSecret(text)).toBe(isSecret);
  });
});
