type Json = Record<string, unknown>;

/** Parses metadata from a form. Returns null if it is not a JSON object, and an empty object for an empty field. */
export function parseMetadata(text: string): Json | null {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

export const formatMetadata = (value: Json): string =>
  Object.keys(value).length === 0 ? '' : JSON.stringify(value, null, 2);

/**
 * Returns the merge patch (RFC 7396) that changes `before` to `after`, or null if they are equal. A member that becomes
 * null is removed, because a merge patch cannot set null.
 */
export function metadataPatch(before: Json, after: Json): Json | null {
  const patch: Json = {};
  for (const name of Object.keys(before)) if (!(name in after)) patch[name] = null;
  for (const [name, value] of Object.entries(after)) {
    const old = before[name];
    if (isObject(old) && isObject(value)) {
      const nested = metadataPatch(old, value);
      if (nested) patch[name] = nested;
    } else if (JSON.stringify(old) !== JSON.stringify(value)) patch[name] = value;
  }
  return Object.keys(patch).length === 0 ? null : patch;
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
