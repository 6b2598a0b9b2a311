/** Splits a string into parts of at most `maxBytes` UTF-8 bytes. Returns one empty part for an empty string. */
export function splitText(text: string, maxBytes: number): string[] {
  const parts = [''];
  let size = 0;
  // Iterates over code points, so that no surrogate pair is split.
  for (const character of text) {
    const bytes = utf8Length(character.codePointAt(0)!);
    if (size + bytes > maxBytes) {
      parts.push('');
      size = 0;
    }
    parts[parts.length - 1] += character;
    size += bytes;
  }
  return parts;
}

function utf8Length(codePoint: number): number {
  if (codePoint < 0x80) return 1;
  if (codePoint < 0x800) return 2;
  return codePoint < 0x10000 ? 3 : 4;
}
