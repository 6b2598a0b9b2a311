import { canonicalEmail } from '../customers/email.js';
import { idPrefixes, isUuid, parsePublicId, type PrefixedIdKind } from '../values/ids.js';

/**
 * The object to which a pasted string refers. A UUID without a prefix can refer to an object of any type whose ids have
 * no prefix.
 */
export type SearchTerm =
  | { kind: PrefixedIdKind | 'uuid'; id: string }
  | { kind: 'email'; email: string }
  | { kind: 'url'; prefix: string };

/** Returns the object to which a string refers, or null. Only the format is considered. */
export function parseSearchTerm(input: string): SearchTerm | null {
  const text = input.trim();
  const id = text.toLowerCase();
  for (const kind of Object.keys(idPrefixes) as PrefixedIdKind[]) {
    const uuid = parsePublicId(kind, id);
    if (uuid) return { kind, id: uuid };
  }
  if (isUuid(id)) return { kind: 'uuid', id };
  if (/^https?:\/\//i.test(text)) return { kind: 'url', prefix: text };
  const email = canonicalEmail(text);
  return email ? { kind: 'email', email } : null;
}
