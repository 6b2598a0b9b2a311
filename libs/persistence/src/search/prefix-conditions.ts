import { isUuid } from '@gatehouse/domain';
import type { Conditions } from '../conditions.js';

/**
 * Returns SQL for values with a prefix, for an index in byte order.
 * @param column text column, or SQL as in the index
 * @param prefix SQL of the prefix
 */
export const prefixCondition = (column: string, prefix: string): string =>
  `(${column} COLLATE "C") >= ${prefix} AND (${column} COLLATE "C") < ${prefix} || chr(1114111)`;

/**
 * Returns SQL for a project or an organization whose name (case-insensitive) or slug begins with a text, or
 * whose id equals it. Each part has an index; if very many rows match the prefix, PostgreSQL scans the list
 * instead.
 * @param table alias of the projects or organizations
 */
export function nameOrSlugCondition(where: Conditions, table: string, text: string): string {
  const prefix = `lower(${where.bind(text)}::text)`;
  const parts = [prefixCondition(`lower(${table}.name)`, prefix), prefixCondition(`${table}.slug`, prefix)];
  if (isUuid(text.toLowerCase())) parts.push(`${table}.id = ${where.bind(text)}`);
  return `(${parts.join(' OR ')})`;
}
