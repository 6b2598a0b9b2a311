/** Characters that control the terminal, are invisible or change the order of the text around them. */
const INVISIBLE = /[\p{Cc}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\p{Cs}\u2028\u2029\ufff9-\ufffb]/gu;

/** A character that joins or varies its neighbor, as in "👩‍💻", "❤️" or "می‌خواهم", and not in Latin text. */
const JOINED =
  /(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{L}\p{M}\ufe0f])(?<![\p{ASCII}\p{Script=Latin}])[\u200c\u200d\ufe0e\ufe0f]/uy;

/**
 * Returns a text in one line that is safe to print: invisible characters and line breaks are replaced by their
 * codes, such as "[U+202E]", as in the console.
 */
export function visibleText(text: string): string {
  return text.replace(INVISIBLE, (character, index: number) => {
    JOINED.lastIndex = index;
    return JOINED.test(text) ? character : `[${toCode(character)}]`;
  });
}

/** Returns the lines of a text, each safe to print. */
export const visibleLines = (text: string): string[] =>
  text.split(/\r?\n/).map((line) => visibleText(line.replaceAll('\t', '    ')));

/** Returns JSON in one line in which all invisible characters are escaped. It is equal JSON. */
export const visibleJson = (value: unknown): string =>
  JSON.stringify(value).replace(INVISIBLE, (character) =>
    Array.from({ length: character.length }, (_, index) => escapeUnit(character.charCodeAt(index))).join(''),
  );

const escapeUnit = (unit: number): string => `\\u${unit.toString(16).padStart(4, '0')}`;

const toCode = (character: string): string =>
  `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;

/** Characters that take two columns of a terminal: CJK, full width forms, and emoji. */
const WIDE =
  /[\p{Emoji_Presentation}\ufe0f\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]/u;

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

const isPlain = (text: string): boolean => /^[ -~]*$/.test(text);

const widthOfGrapheme = (grapheme: string): number => (WIDE.test(grapheme) ? 2 : 1);

/** Returns the number of columns that a text takes in a terminal. */
export function widthOf(text: string): number {
  if (isPlain(text)) return text.length;
  let width = 0;
  for (const { segment } of segmenter.segment(text)) width += widthOfGrapheme(segment);
  return width;
}

/** Returns a text that takes at most `width` columns. A shortened one ends with "…". */
export function fitText(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let fitted = '';
  let used = 0;
  for (const { segment } of segmenter.segment(text)) {
    used += widthOfGrapheme(segment);
    if (used > width - 1) break;
    fitted += segment;
  }
  return `${fitted}…`;
}
