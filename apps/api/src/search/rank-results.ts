import type { SearchResult } from '@gatehouse/persistence';

/**
 * Returns results in the order in which they match a text: results that equal it, results with a field or a word that
 * begins with it, and all others. Results with the same rank keep their order.
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
