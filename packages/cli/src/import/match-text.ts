import { readText } from './read-text.js';

/** Maximum length of a match: a piece of a file can end within it. */
const MAX_MATCH = 400;

/**
 * Returns a pattern's matches in a file, each at least once. This is much faster than parsing the file, but finds them
 * in every place.
 * @param pattern a global pattern
 */
export async function* matchText(file: string, pattern: RegExp): AsyncGenerator<RegExpMatchArray> {
  let rest = '';
  for await (const piece of readText(file)) {
    const text = rest + piece;
    yield* text.matchAll(pattern);
    rest = text.slice(-MAX_MATCH);
  }
}
