import { isUuid } from '@gatehouse/domain';
import type { Conditions } from '../sql/conditions.js';

/** SQL for the strings that a search compares, in lower case, exactly as in their trigram indexes. Operators are few. */
export const searchedText = {
  apiKey: (table: string): string => `lower(${table}.name)`,
  customer: (table: string): string =>
    `lower(${table}.email || chr(10) || coalesce(${table}.first_name || ' ', '') || coalesce(${table}.last_name, ''))`,
  endpoint: (table: string): string => `lower(coalesce(${table}.name || chr(10), '') || ${table}.url)`,
  operator: (table: string): string => `lower(${table}.email || chr(10) || coalesce(${table}.name, ''))`,
  organization: (table: string): string => `lower(${table}.name || chr(10) || ${table}.slug)`,
  project: (table: string): string => `lower(${table}.name || chr(10) || ${table}.slug)`,
};

/**
 * Returns SQL for rows that contain a string, case-insensitive.
 * @param searched SQL from `searchedText`
 */
export const containsCondition = (where: Conditions, searched: string, text: string): string =>
  `${searched} LIKE lower(${where.bind(`%${text.replace(/[\\%_]/g, '\\$&')}%`)}::text)`;

/**
 * Returns SQL for a project or an organization whose name or slug contains a string, or whose id equals it.
 * @param table alias for the projects or organizations
 */
export function nameOrSlugCondition(where: Conditions, table: string, text: string): string {
  const parts = [containsCondition(where, searchedText.project(table), text)];
  if (isUuid(text.toLowerCase())) parts.push(`${table}.id = ${where.bind(text)}`);
  return `(${parts.join(' OR ')})`;
}

/**
 * Returns whether a trigram index can find a string: it needs three letters or digits in a row. Without them,
 * PostgreSQL would read the whole index.
 */
export const hasTrigram = (text: string): boolean => /[\p{L}\p{N}]{3}/u.test(text);
