/**
 * Characters that are invisible, control a terminal or change the order of the text around them, and lone surrogates.
 */
const INVISIBLE =
  /(?![\t\n\r])[\p{Cc}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\p{Cs}\u2028\u2029\ufff9-\ufffb]/gu;

/**
 * An invisible character that joins or varies its neighbors, as in "👩‍💻", "❤️", "1️⃣" or "می‌خواهم". Emoji and several
 * scripts need such characters; Latin does not.
 */
const JOINED =
  /(?<=[0-9#*])[\u200c\u200d\ufe00-\ufe0f\u{e0100}-\u{e01ef}](?=\u20e3)|(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{L}\p{M}]\ufe0f?)(?<![\p{ASCII}\p{Script=Latin}])(?:[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]|[\u200c\u200d](?=[^\p{ASCII}\p{Script=Latin}]))/uy;

/** A part of a string: visible characters, or the code of an invisible character. */
export interface TextPart {
  text: string;
  /** True for the code of an invisible character, such as "U+202E". */
  isCode: boolean;
}

/** Splits a string into visible parts and the codes of invisible characters. Tabs and line breaks are visible. */
export function splitInvisible(text: string): TextPart[] {
  const parts: TextPart[] = [];
  let end = 0;
  for (const { 0: character, index } of text.matchAll(INVISIBLE)) {
    JOINED.lastIndex = index;
    if (JOINED.test(text)) continue;
    if (index > end) parts.push({ text: text.slice(end, index), isCode: false });
    parts.push({ text: toCode(character), isCode: true });
    end = index + character.length;
  }
  if (end < text.length) parts.push({ text: text.slice(end), isCode: false });
  return parts;
}

/** Replaces invisible characters with their codes in brackets, such as "[U+202E]". */
export const showInvisible = (text: string): string =>
  splitInvisible(text)
    .map((part) => (part.isCode ? `[${part.text}]` : part.text))
    .join('');

const toCode = (character: string): string =>
  `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;

/** Returns a string as one line that is safe to print: also replaces tabs and line breaks with their codes. */
export const visibleText = (text: string): string =>
  showInvisible(text).replace(/[\t\n\r]/g, (character) => `[${toCode(character)}]`);

/** Splits a string into lines that are safe to print. */
export const visibleLines = (text: string): string[] =>
  text.split(/\r?\n/).map((line) => visibleText(line.replaceAll('\t', '    ')));

/** Returns a value as one line of JSON with all invisible characters escaped. */
export const visibleJson = (value: unknown): string =>
  JSON.stringify(value).replace(INVISIBLE, (character) =>
    Array.from({ length: character.length }, (_, index) => escapeUnit(character.charCodeAt(index))).join(''),
  );

const escapeUnit = (unit: number): string => `\\u${unit.toString(16).padStart(4, '0')}`;
