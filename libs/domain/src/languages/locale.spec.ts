import { canonicalLocale } from './locale.js';

describe('canonicalLocale', () => {
  it('returns a language tag in canonical form', () => {
    const tags = ['DE-at', 'iw', 'zh-hant-tw', 'sr-latn', 'es-419', 'de-u-co-phonebk'];
    const canonical = ['de-AT', 'he', 'zh-Hant-TW', 'sr-Latn', 'es-419', 'de-u-co-phonebk'];
    expect(tags.map(canonicalLocale)).toEqual(canonical);
  });

  it('returns null for any other string, and for a tag with more than 35 characters', () => {
    const longest = `de-${'x-abcdefgh-abcdefgh-abcdefgh-abcd'.slice(0, 32)}`;
    expect(canonicalLocale(longest)).toBe(longest);
    const invalid = ['', ' ', 'de_AT', 'de-', '-de', 'deutsch-land-x', 'en,de', 'de AT', 'e', '*', '../en'];
    for (const text of [...invalid, 'de\n', 'de\0', `${longest}e`, 'a'.repeat(100_000)])
      expect([text, canonicalLocale(text)]).toEqual([text, null]);
  });
});
