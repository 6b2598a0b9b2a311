/** Characters that are invisible or change the order of the text around them, and lone surrogates. */
const INVISIBLE =
  /(?![\t\n\r])[\p{Cc}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\p{Cs}\u2028\u2029\ufff9-\ufffb]/gu;

/** Characters that join or vary their neighbors. They belong to emoji and to several scripts. */
const JOINER = /^[\u200c\u200d\ufe00-\ufe0f\u{e0100}-\u{e01ef}]$/u;

/** A part of a text: visible characters, or the code of an invisible one. */
export interface TextPart {
  text: string;
  /** True for the code of an invisible character: "U+202E". */
  isCode: boolean;
}

/** Splits a text into visible parts and the codes of invisible characters. Tabs and line breaks are visible. */
export function splitInvisible(text: string): TextPart[] {
  const parts: TextPart[] = [];
  let end = 0;
  for (const { 0: character, index } of text.matchAll(INVISIBLE)) {
    if (JOINER.test(character) && isBetweenJoined(text, character, index)) continue;
    if (index > end) parts.push({ text: text.slice(end, index), isCode: false });
    parts.push({ text: toCode(character), isCode: true });
    end = index + character.length;
  }
  if (end < text.length) parts.push({ text: text.slice(end), isCode: false });
  return parts;
}

/** Returns a text with the codes of invisible characters in brackets, for attributes and titles. */
export const showInvisible = (text: string): string =>
  splitInvisible(text)
    .map((part) => (part.isCode ? `[${part.text}]` : part.text))
    .join('');

const toCode = (character: string): string =>
  `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;

/** Returns true if a joiner follows a character that it can join or vary, as in "👩‍💻", "❤️", "1️⃣" or "می‌خواهم". */
function isBetweenJoined(text: string, joiner: string, index: number): boolean {
  const before = text.slice(0, index);
  const after = text.slice(index + joiner.length);
  if (/[0-9#*]$/.test(before) && after.startsWith('\u20e3')) return true;
  const follows =
    /[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{L}\p{M}]\ufe0f?$/u.test(before) &&
    !/[\p{ASCII}\p{Script=Latin}]$/u.test(before);
  return follows && (!/[\u200c\u200d]/.test(joiner) || /^[^\p{ASCII}\p{Script=Latin}]/u.test(after));
}
