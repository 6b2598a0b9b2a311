import { isUuid } from '@gatehouse/domain';
import type { Conditions } from '../conditions.js';

/**
 * SQL for what begins with a text, by an index in the order of bytes.
 * @param column of text, or SQL as the index has it
 * @param start SQL of the text
 */
export const prefixCondition = (column: string, start: string): string =>
  `(${column} COLLATE "C") >= ${start} AND (${column} COLLATE "C") < ${start} || chr(1114111)`;

/**
 * SQL for a project or an organization whose name, in any case, or slug begins with a text, or whose id it is. Each part
 * has an index; where very many begin so, PostgreSQL rather walks the list.
 * @param table their alias
 */
export function nameOrSlugCondition(where: Conditions, table: string, text: string): string {
  const start = `lower(${where.bind(text)}::text)`;
  const parts = [prefixCondition(`lower(${table}.name)`, start), prefixCondition(`${table}.slug`, start)];
  if (isUuid(text.toLowerCase())) parts.push(`${table}.id = ${where.bind(text)}`);
  return `(${parts.join(' OR ')})`;
}
