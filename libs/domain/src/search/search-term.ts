import { canonicalEmail } from '../customers/email.js';
import { idPrefixes, isUuid, parsePublicId, type PrefixedIdKind } from '../ids.js';

/** What somebody who pasted a text looks for. A bare id can be that of anything without a prefix. */
export type SearchTerm =
  | { kind: PrefixedIdKind | 'uuid'; id: string }
  | { kind: 'email'; email: string }
  | { kind: 'url'; prefix: string };

/** What a text names, by its form alone; null for a text that names nothing. */
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
