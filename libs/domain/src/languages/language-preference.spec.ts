import { parseAcceptLanguage, preferredLanguages } from './language-preference.js';

describe('parseAcceptLanguage', () => {
  it('returns the languages in order of preference', () => {
    expect(parseAcceptLanguage('en;q=0.8, DE-at, de; q=0.9,*;q=0.1, fr;q=0')).toEqual(['de-AT', 'de', 'en']);
    expect(parseAcceptLanguage('en,de')).toEqual(['en', 'de']);
  });

  it('ignores invalid entries, and entries after the twentieth', () => {
    for (const header of [
      undefined,
      '',
      '*',
      ',,;',
      'de_AT',
      'de;q=2',
      'de;q=x',
      'de;x=1',
      `${'a'.repeat(9)}`,
    ])
      expect([header, parseAcceptLanguage(header)]).toEqual([header, []]);
    expect(parseAcceptLanguage(`${'de;q=x,'.repeat(20)}fr`)).toEqual([]);
    expect(parseAcceptLanguage(`${' '.repeat(10_000)}de${' '.repeat(10_000)}x`)).toEqual([]);
  });
});

describe('preferredLanguages', () => {
  const listLanguages = (locale: string | null, accepted: string[], defaultLocale: string | null) =>
    preferredLanguages({ locale, accepted, defaultLocale });

  it("returns the customer's locale and its less specific forms, then the default and English", () => {
    expect(listLanguages('de-AT', ['fr'], 'es-419')).toEqual(['de-AT', 'de', 'es-419', 'es', 'en']);
    expect(listLanguages('zh-Hant-TW', [], null)).toEqual(['zh-Hant-TW', 'zh-Hant', 'zh', 'en']);
    expect(listLanguages('de-u-co-phonebk', [], null)).toEqual(['de-u-co-phonebk', 'de-u-co', 'de', 'en']);
  });

  it("uses the request's languages for a customer without a locale", () => {
    expect(listLanguages(null, ['fr-CA', 'de'], null)).toEqual(['fr-CA', 'fr', 'de', 'en']);
    expect(listLanguages(null, [], 'de')).toEqual(['de', 'en']);
    expect(listLanguages(null, ['en'], 'de')).toEqual(['en', 'de']);
  });
});
