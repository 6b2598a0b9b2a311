import { readText } from './read-text.js';

/**
 * Maximum match length, in characters. The end of each chunk is searched again with the next one, because a match can
 * span both.
 */
const MAX_MATCH = 400;

/**
 * Yields the matches of a pattern in a file, each at least once. This is much faster than parsing the file, but also
 * finds matches outside the expected fields.
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
