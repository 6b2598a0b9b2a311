import type { SearchResult } from '@gatehouse/persistence';

/**
 * Ranks results by how they match a text: equal to it, then with a field or word that begins with it, then all others.
 * Results with the same rank keep their order.
 */
export const rankResults = (text: string, results: readonly SearchResult[]): SearchResult[] =>
  results.toSorted((one, other) => rankOf(text, one) - rankOf(text, other));

function rankOf(text: string, { title, subtitle }: SearchResult): number {
  const searched = text.toLowerCase();
  const fields = [title, ...subtitle.split(' · ')].map((field) => field.toLowerCase());
  if (fields.includes(searched)) return 0;
  const words = fields.flatMap((field) => field.split(' '));
  return [...fields, ...words].some((each) => each.startsWith(searched)) ? 1 : 2;
}
