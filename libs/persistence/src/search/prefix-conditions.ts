import { isUuid } from '@gatehouse/domain';
import type { Conditions } from '../conditions.js';

/**
 * Returns SQL for values with a prefix, for an index in byte order.
 * @param column text column, or SQL as in the index
 * @param start SQL of the prefix
 */
export const prefixCondition = (column: string, start: string): string =>
  `(${column} COLLATE "C") >= ${start} AND (${column} COLLATE "C") < ${start} || chr(1114111)`;

/**
 * Returns SQL for a project or an organization whose name (case-insensitive) or slug begins with a text, or
 * whose id equals it. Each part has an index; if very many rows match the prefix, PostgreSQL scans the list
 * instead.
 * @param table their alias
 */
export function nameOrSlugCondition(where: Conditions, table: string, text: string): string {
  const start = `lower(${where.bind(text)}::text)`;
  const parts = [prefixCondition(`lower(${table}.name)`, start), prefixCondition(`${table}.slug`, start)];
  if (isUuid(text.toLowerCase())) parts.push(`${table}.id = ${where.bind(text)}`);
  return `(${parts.join(' OR ')})`;
}
