import { selectPageTexts } from './page-texts.js';

const textsIn = (locale: string) => selectPageTexts({ locale, accepted: [], defaultLocale: null });

/** Returns all texts in a catalog with their paths, using sample parameters. */
const listTexts = (texts: object, path = ''): [string, string][] =>
  Object.entries(texts).flatMap(([name, value]: [string, unknown]): [string, string][] => {
    if (typeof value === 'string') return [[path + name, value]];
    if (typeof value === 'function')
      return [[path + name, String((value as (...samples: unknown[]) => unknown)('too_short', 12))]];
    return listTexts(value as object, `${path}${name}.`);
  });

it('has a German translation for every English text', () => {
  const [english, german] = [listTexts(textsIn('en')), listTexts(textsIn('de-AT'))];
  expect(german.map(([name]) => name)).toEqual(english.map(([name]) => name));
  const same = german.filter(([name, text]) => text === Object.fromEntries(english)[name]);
  expect(same).toEqual([]);
});

it('falls back to English for an unsupported language', () => {
  for (const locale of ['fr', 'constructor', 'toString']) expect(textsIn(locale).language).toBe('en');
});
