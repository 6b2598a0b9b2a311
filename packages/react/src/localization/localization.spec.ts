import { de } from './de.js';
import { en } from './en.js';

/** Returns each text's placeholders by key, such as `{ 'errors.rate_limited': ['{wait}'] }`. */
function placeholders(texts: object, prefix = ''): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(texts).flatMap(([key, text]: [string, string | object]) =>
      typeof text === 'string'
        ? [[`${prefix}${key}`, text.match(/\{\w+\}/g) ?? []]]
        : Object.entries(placeholders(text, `${key}.`)),
    ),
  );
}

describe('the German localization', () => {
  it('has the same keys and placeholders as the English texts', () => {
    expect(placeholders(de)).toEqual(placeholders(en));
  });
});
