/**
 * Characters that are invisible, control a terminal or change the order of the text around them, and lone surrogates.
 */
const INVISIBLE =
  /(?![\t\n\r])[\p{Cc}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\p{Cs}\u2028\u2029\ufff9-\ufffb]/gu;

/**
 * A character that joins or varies its neighbors, as in "👩‍💻", "❤️", "1️⃣" or "می‌خواهم", and not in Latin text. Such
 * characters belong to emoji and to several scripts.
 */
const JOINED =
  /(?<=[0-9#*])[\u200c\u200d\ufe00-\ufe0f\u{e0100}-\u{e01ef}](?=\u20e3)|(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{L}\p{M}]\ufe0f?)(?<![\p{ASCII}\p{Script=Latin}])(?:[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]|[\u200c\u200d](?=[^\p{ASCII}\p{Script=Latin}]))/uy;

/** A text part: visible characters, or an invisible character's code. */
export interface TextPart {
  text: string;
  /** True for an invisible character's code: "U+202E". */
  isCode: boolean;
}

/** Splits a text into visible parts and the codes for invisible characters. Tabs and line breaks are visible. */
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

/** Returns a text with the codes for invisible characters in brackets: "[U+202E]". */
export const showInvisible = (text: string): string =>
  splitInvisible(text)
    .map((part) => (part.isCode ? `[${part.text}]` : part.text))
    .join('');

const toCode = (character: string): string =>
  `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;

/** Returns a text in one line that is safe to print: replaces tabs and line breaks by their codes, too. */
export const visibleText = (text: string): string =>
  showInvisible(text).replace(/[\t\n\r]/g, (character) => `[${toCode(character)}]`);

/** Returns a text's lines, each safe to print. */
export const visibleLines = (text: string): string[] =>
  text.split(/\r?\n/).map((line) => visibleText(line.replaceAll('\t', '    ')));

/** Returns JSON in one line in which all invisible characters are escaped. It is equal JSON. */
export const visibleJson = (value: unknown): string =>
  JSON.stringify(value).replace(INVISIBLE, (character) =>
    Array.from({ length: character.length }, (_, index) => escapeUnit(character.charCodeAt(index))).join(''),
  );

const escapeUnit = (unit: number): string => `\\u${unit.toString(16).padStart(4, '0')}`;
