import { isUuid } from '@gatehouse/domain';
import type { Conditions } from '../sql/conditions.js';

/**
 * SQL expressions that searches match against, in lower case. Each is identical to the expression of its trigram
 * index; operators are few and need no index.
 */
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
 * Returns a condition that matches rows containing `text`, case-insensitively.
 * @param searched an expression from `searchedText`
 */
export const containsCondition = (where: Conditions, searched: string, text: string): string =>
  `${searched} LIKE lower(${where.bind(`%${text.replace(/[\\%_]/g, '\\$&')}%`)}::text)`;

/**
 * Returns a condition that matches projects or organizations whose name or slug contains `text`, or whose id equals
 * it.
 * @param table alias of the table
 */
export function nameOrSlugCondition(where: Conditions, table: string, text: string): string {
  const parts = [containsCondition(where, searchedText.project(table), text)];
  if (isUuid(text.toLowerCase())) parts.push(`${table}.id = ${where.bind(text)}`);
  return `(${parts.join(' OR ')})`;
}

/**
 * Returns whether a trigram index can narrow a search for `text`, which requires three consecutive letters or digits.
 * Without them, PostgreSQL would scan the whole index.
 */
export const hasTrigram = (text: string): boolean => /[\p{L}\p{N}]{3}/u.test(text);
