/**
 * Returns true if an object in a JSON string contains a key twice. The string then has more keys than the parsed value,
 * which keeps only the last occurrence. Counting is far faster than comparing the keys, because it only searches for
 * quotes.
 */
export function hasRepeatedKey(text: string, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return countKeysInJson(text) > countKeys(value);
}

/** @param text valid JSON */
function countKeysInJson(text: string): number {
  let count = 0;
  let start = text.indexOf('"');
  while (start >= 0) {
    let next = endOfString(text, start) + 1;
    // Spaces, tabs and line breaks.
    while (text.charCodeAt(next) <= 32) next += 1;
    if (text[next] === ':') count += 1;
    start = text.indexOf('"', next);
  }
  return count;
}

function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (text[end - 1] === '\\' && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end;
}

/** Returns true if a character follows an odd number of backslashes. */
function isEscaped(text: string, offset: number): boolean {
  let start = offset;
  while (text[start - 1] === '\\') start -= 1;
  return (offset - start) % 2 === 1;
}

/**
 * Returns the number of keys in all objects of a value. Not recursive, because a value can be nested deeper than the
 * stack allows.
 */
export function countKeys(root: object): number {
  let count = 0;
  const open: object[] = [root];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    const isList = Array.isArray(value);
    // A parsed JSON object inherits no enumerable keys.
    for (const key in value) {
      if (!isList) count += 1;
      const member: unknown = (value as Record<string, unknown>)[key];
      if (typeof member === 'object' && member !== null) open.push(member);
    }
  }
  return count;
}
