// Raw SQL: a sample of table pages, and a search in a trigram index.
import type { Customer, AccessScope } from '@gatehouse/domain';
import type { Database } from '../database/database.js';
import { containsCondition, searchedText } from '../lists/contains-condition.js';
import { Conditions, sampleAccessScopes } from '../sql/conditions.js';
import { boolean, dynamicStatement } from '../sql/statements.js';
import type { CustomerFilter } from './customer-filter.js';
import type { RowSource } from './customer-scan.js';
import { customerColumns, customerRow } from './customers.repository.js';

/** Number of sampled table pages. Each contains about 25 customers. */
const SAMPLED_PAGES = 256;

/**
 * Maximum number of matches for which the trigram index is used. PostgreSQL reads all matches before it returns the
 * first row, at about 10 µs per match.
 */
const MAX_RARE = 5_000;

/** Table page size in bytes. */
const PAGE_BYTES = 8_192;

/** SQL for a sample of customers `c`, which is the same in every statement. */
const sampleSql = `customers c TABLESAMPLE SYSTEM (
  least(100, 100.0 * ${SAMPLED_PAGES} * ${PAGE_BYTES} / greatest(pg_relation_size('customers'), 1))) REPEATABLE (0)`;

const condition = (where: Conditions, text: string): string =>
  containsCondition(where, searchedText.customer('c'), text);

/**
 * Estimates from a table sample whether few customers contain a string, because the planner statistics contain no
 * frequencies below one percent. In a database whose character type is C, only ASCII letters have trigrams.
 */
const estimateRarity = dynamicStatement(
  { isRare: boolean },
  (text: string) => {
    const where = new Conditions();
    const isAscii = where.bind(/[a-z0-9]{3}/i.test(text));
    const sql = `
      SELECT (${isAscii}::boolean OR d.datctype NOT IN ('C', 'POSIX')) AND s.matching * greatest(1, p.pages / ${SAMPLED_PAGES}.0) <= ${MAX_RARE}
        AS "isRare"
      FROM (SELECT pg_relation_size('customers') / ${PAGE_BYTES} AS pages) p,
        (SELECT count(*) AS matching FROM ${sampleSql} WHERE ${condition(where, text)}) s,
        (SELECT datctype FROM pg_database WHERE datname = current_database()) d`;
    return { text: sql, values: where.values };
  },
  [['ada']],
);

const findSampled = dynamicStatement(
  customerRow,
  (accessScope: AccessScope, text: string, limit: number) => {
    const where = new Conditions().addAccessScope('c', 'c.project_id', accessScope);
    const isMatch = condition(where, text);
    const sql = `SELECT ${customerColumns} FROM ${sampleSql} WHERE ${isMatch} AND ${where.sql} LIMIT ${where.bind(limit)}`;
    return { text: sql, values: where.values };
  },
  sampleAccessScopes.map((accessScope) => [accessScope, 'ada', 1] as const),
);

/**
 * Returns sampled customers that contain a string, regardless of their position in the list. Finds matches only if
 * many customers contain the string.
 */
export const findSampledCustomers = (
  database: Database,
  accessScope: AccessScope,
  text: string,
  limit: number,
): Promise<Customer[]> => database.execute(findSampled(accessScope, text, limit));

/**
 * Returns the row source for a list. The trigram index finds all matches before the first row, so it is used only for
 * strings that few customers contain. For all other strings, the list scan finds matches quickly (docs/adr/0066).
 */
export async function resolveRowSource(
  database: Database,
  { contains, locked }: CustomerFilter,
): Promise<RowSource> {
  // Few customers are locked at a time, and their list is read from the tables with failed attempts.
  if (contains === null || locked) return 'customers';
  const [estimate] = await database.execute(estimateRarity(contains));
  return estimate!.isRare ? 'found' : 'customers';
}

/** Returns the WITH clause that declares `found`. Empty for the source `customers`. */
export const findRareSql = (where: Conditions, { contains }: CustomerFilter, source: RowSource): string =>
  source === 'customers'
    ? ''
    : `WITH found AS MATERIALIZED (SELECT c.* FROM customers c WHERE ${condition(where, contains!)})`;
