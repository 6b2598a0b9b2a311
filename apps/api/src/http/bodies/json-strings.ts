/**
 * Returns the offset of a string's closing quote, or the text length if there is none.
 * @param start offset of the opening quote
 */
export function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end >= 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end < 0 ? text.length : end;
}

/** Returns true if a character follows an odd number of backslashes. */
function isEscaped(text: string, offset: number): boolean {
  let start = offset;
  while (text[start - 1] === '\\') start -= 1;
  return (offset - start) % 2 === 1;
}

/**
 * Returns the offset of the first key that its object already contains, or null. For invalid JSON, the result
 * is arbitrary. The caller limits the depth and the number of keys.
 */
export function findRepeatedKey(text: string): number | null {
  /** The keys of the objects around the current offset, outermost first. Arrays have none. */
  const objects: Set<string>[] = [];
  let key = { start: 0, end: 0 };
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index]!;
    if (character === '"') {
      key = { start: index, end: endOfString(text, index) + 1 };
      index = key.end - 1;
    } else if (character === '{' || character === '[') objects.push(new Set());
    else if (character === '}' || character === ']') objects.pop();
    else if (character === ':') {
      const name = readKey(text.slice(key.start, key.end));
      const names = objects.at(-1);
      if (names?.has(name)) return key.start;
      names?.add(name);
    }
  }
  return null;
}

/** Decodes escapes, because a key with escapes can equal a key without them. */
function readKey(json: string): string {
  if (!json.includes('\\')) return json.slice(1, -1);
  try {
    return String(JSON.parse(json));
  } catch {
    return json;
  }
}
