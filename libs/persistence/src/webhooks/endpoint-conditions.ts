import type { Conditions } from '../sql/conditions.js';

/** Number of characters in an indexed URL. */
const INDEXED_URL_LENGTH = 256;

/** Returns SQL for the condition that the URL of an endpoint `w` begins with a string. */
export function urlPrefixCondition(where: Conditions, prefix: string): string {
  const text = `${where.bind(prefix)}::text`;
  const start = `left(${text}, ${INDEXED_URL_LENGTH})`;
  const indexed = `(left(w.url, ${INDEXED_URL_LENGTH}) COLLATE "C")`;
  return `${indexed} >= ${start} AND ${indexed} < ${start} || chr(1114111) AND starts_with(w.url, ${text})`;
}

/** Returns SQL for the condition that the name of an endpoint `w` contains a string, or its default, the host, begins with it. */
export function endpointNameCondition(where: Conditions, text: string): string {
  const isNamed = `strpos(lower(w.name), lower(${where.bind(text)}::text)) > 0`;
  const hosts = ['https', 'http'].map((scheme) => urlPrefixCondition(where, `${scheme}://${text}`));
  return `(CASE WHEN w.name IS NULL THEN ${hosts.join(' OR ')} ELSE ${isNamed} END)`;
}
