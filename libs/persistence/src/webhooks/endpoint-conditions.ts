import type { Conditions } from '../sql/conditions.js';

/** Number of characters of a URL in its index. */
const INDEXED_URL_LENGTH = 256;

/** Returns SQL for whether the URL of an endpoint `w` begins with a text. */
export function urlPrefixCondition(where: Conditions, prefix: string): string {
  const text = `${where.bind(prefix)}::text`;
  const start = `left(${text}, ${INDEXED_URL_LENGTH})`;
  const indexed = `(left(w.url, ${INDEXED_URL_LENGTH}) COLLATE "C")`;
  return `${indexed} >= ${start} AND ${indexed} < ${start} || chr(1114111) AND starts_with(w.url, ${text})`;
}

/** Returns SQL for whether the name of an endpoint `w` contains a text, or its default, the host, begins with it. */
export function endpointNameCondition(where: Conditions, text: string): string {
  const isNamed = `strpos(lower(w.name), lower(${where.bind(text)}::text)) > 0`;
  const hosts = ['https', 'http'].map((scheme) => urlPrefixCondition(where, `${scheme}://${text}`));
  return `(CASE WHEN w.name IS NULL THEN ${hosts.join(' OR ')} ELSE ${isNamed} END)`;
}
