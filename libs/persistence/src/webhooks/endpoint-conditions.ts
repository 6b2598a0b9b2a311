import type { Conditions } from '../sql/conditions.js';

/** Length of the URL prefix that the index contains. */
const INDEXED_URL_LENGTH = 256;

/** Returns the condition that endpoint `w` has a URL that starts with `prefix`. */
export function urlPrefixCondition(where: Conditions, prefix: string): string {
  const text = `${where.bind(prefix)}::text`;
  const start = `left(${text}, ${INDEXED_URL_LENGTH})`;
  const indexed = `(left(w.url, ${INDEXED_URL_LENGTH}) COLLATE "C")`;
  return `${indexed} >= ${start} AND ${indexed} < ${start} || chr(1114111) AND starts_with(w.url, ${text})`;
}

/**
 * Returns the condition that endpoint `w` has a name that contains `text` or, without a name, a host that starts with
 * it.
 */
export function endpointNameCondition(where: Conditions, text: string): string {
  const isNamed = `strpos(lower(w.name), lower(${where.bind(text)}::text)) > 0`;
  const hosts = ['https', 'http'].map((scheme) => urlPrefixCondition(where, `${scheme}://${text}`));
  return `(CASE WHEN w.name IS NULL THEN ${hosts.join(' OR ')} ELSE ${isNamed} END)`;
}
