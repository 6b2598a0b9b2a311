// Raw SQL: bounded scans over different tables in primary key order, and multi-row updates.
import type { Database } from '../database/database.js';
import {
  arrayOf,
  bytea,
  dynamicStatement,
  integer,
  nullable,
  text,
  type Query,
  type RowOf,
} from '../sql/statements.js';
import { NIL_UUID } from '../sql/uuid-v7.js';
import {
  encryptedColumns,
  pepperedColumns,
  type EncryptedColumn,
  type KeyedTable,
  type SecretColumn,
} from './encrypted-columns.js';

/** Maximum number of rows that one statement reads, and of values that one transaction replaces. */
const BATCH_SIZE = 500;

/** Maximum number of rows that one statement counts, to stay within its timeout. */
const COUNT_BATCH_SIZE = 10_000;

/** A primary key's values as text, in column order. */
export type RowKey = string[];

/** A value that depends on none of the secrets in a list. */
export interface OutdatedValue {
  key: RowKey;
  context: string;
  /** Id of its secret, in hexadecimal. Empty if the value is malformed. */
  kid: string;
  /** The value in the column, in bytes. Includes the prefix if the column has one. */
  stored: Buffer;
}

export interface Replacement extends OutdatedValue {
  replacement: Buffer;
}

const secretColumns: SecretColumn[] = [...encryptedColumns, ...pepperedColumns];

const keyNames = ({ key }: KeyedTable): string[] => Object.keys(key);

/** Returns SQL for a row's key as text. */
const keyArray = (table: KeyedTable): string =>
  `ARRAY[${keyNames(table)
    .map((name) => `t.${name}::text`)
    .join(', ')}]`;

/** Returns SQL for at most `limit` rows after a key, in primary key order. */
function rowsAfter(table: KeyedTable, after: RowKey | null, limit: number, firstParameter: number): string {
  const names = keyNames(table).map((name) => `t.${name}`);
  const values = Object.values(table.key).map((type, index) => `$${firstParameter + index}::${type}`);
  const range = after ? `WHERE (${names.join(', ')}) > (${values.join(', ')})` : '';
  return `FROM ${table.table} t ${range} ORDER BY ${names.join(', ')} LIMIT ${limit}`;
}

/** Returns SQL for a stored value as bytes. */
const storedBytes = ({ column, prefix }: SecretColumn): string =>
  prefix ? `convert_to(t.${column}, 'UTF8')` : `t.${column}`;

/**
 * Returns SQL for the id of the secret that a value depends on. A malformed value has no valid id, so it is reported
 * as outdated.
 */
function secretId({ column, prefix, purpose }: SecretColumn): string {
  if (!prefix) return `encode(substr(t.${column}, 1, 4), 'hex')`;
  if (purpose === 'password-pepper') return `substr(t.${column}, ${prefix.length + 1}, 8)`;
  // Eight characters are decoded, because base64 encodes three bytes as four characters.
  const sealed = `substr(t.${column}, ${prefix.length + 1})`;
  return `CASE WHEN ${sealed} ~ '^[A-Za-z0-9+/]{8}' THEN encode(substr(decode(left(${sealed}, 8), 'base64'), 1, 4), 'hex') ELSE '' END`;
}

/** Returns SQL for the condition that a value depends on none of the secrets $1. */
function isOutdated(column: SecretColumn): string {
  const isOther = `${secretId(column)} <> ALL ($1::text[])`;
  return column.prefix ? `starts_with(t.${column.column}, '${column.prefix}') AND ${isOther}` : isOther;
}

const scannedRow = {
  key: arrayOf(text),
  context: text,
  kid: nullable(text),
  /** Null if the value is not outdated. */
  stored: nullable(bytea),
};

type ScannedRow = RowOf<typeof scannedRow>;

const sampleKey = (table: KeyedTable): RowKey =>
  Object.values(table.key).map((type) => (type === 'uuid' ? NIL_UUID : ''));

const scanValues = dynamicStatement(
  scannedRow,
  (column: SecretColumn, kids: string[], after: RowKey | null) => ({
    text: `
      SELECT ${keyArray(column)} AS key, (${column.context})::text AS context, ${secretId(column)} AS kid,
        CASE WHEN ${isOutdated(column)} THEN ${storedBytes(column)} END AS stored
      ${rowsAfter(column, after, BATCH_SIZE, 2)}`,
    values: [kids, ...(after ?? [])],
  }),
  secretColumns.flatMap((column) => [[column, [], null] as const, [column, [], sampleKey(column)] as const]),
);

/** Skips locked rows instead of waiting, so that it neither delays a request for long nor causes a deadlock. */
const replaceValues = dynamicStatement(
  { replaced: integer },
  (column: EncryptedColumn, replacements: Replacement[]) => {
    const names = keyNames(column);
    const lists = [...Object.values(column.key), 'bytea', 'bytea'].map((type, i) => `$${i + 1}::${type}[]`);
    const isSameRow = (other: string) => names.map((name) => `t.${name} = ${other}.${name}`).join(' AND ');
    const replacement = column.prefix ? `convert_from(l.replacement, 'UTF8')` : 'l.replacement';
    const sql = `
      WITH locked AS MATERIALIZED (
        SELECT v.* FROM unnest(${lists.join(', ')}) AS v (${names.join(', ')}, stored, replacement)
          JOIN ${column.table} t ON ${isSameRow('v')} AND ${storedBytes(column)} = v.stored
        FOR NO KEY UPDATE OF t SKIP LOCKED
      ), updated AS (
        UPDATE ${column.table} t SET ${column.column} = ${replacement} FROM locked l
        WHERE ${isSameRow('l')} AND ${storedBytes(column)} = l.stored RETURNING 1
      ) SELECT count(*)::int AS replaced FROM updated`;
    const keys = names.map((_, index) => replacements.map(({ key }) => key[index]));
    return {
      text: sql,
      values: [
        ...keys,
        replacements.map(({ stored }) => stored),
        replacements.map(({ replacement: value }) => value),
      ],
    };
  },
  encryptedColumns.map((column): [EncryptedColumn, Replacement[]] => [column, []]),
);

const countedRow = {
  matching: integer,
  /** A full batch's last key. */
  last: nullable(arrayOf(text)),
};

/**
 * Returns a query that counts the rows after a key that meet a condition, in a bounded scan. The condition has one
 * parameter.
 */
const countQuery = (table: KeyedTable, condition: string, value: unknown, after: RowKey | null): Query => ({
  text: `
    WITH scanned AS MATERIALIZED (
      SELECT ${keyArray(table)} AS key, ${condition} AS matches ${rowsAfter(table, after, COUNT_BATCH_SIZE, 2)}
    )
    SELECT (count(*) FILTER (WHERE matches))::int AS matching,
      (SELECT key FROM scanned OFFSET ${COUNT_BATCH_SIZE - 1}) AS last
    FROM scanned`,
  values: [value, ...(after ?? [])],
});

const countOutdatedValues = dynamicStatement(
  countedRow,
  (column: SecretColumn, kids: string[], after: RowKey | null) =>
    countQuery(column, isOutdated(column), kids, after),
  secretColumns.flatMap((column) => [[column, [], null] as const, [column, [], sampleKey(column)] as const]),
);

type CountedRow = RowOf<typeof countedRow>;

/** Sums the counts of all batches. */
async function countAll(countAfter: (after: RowKey | null) => Promise<CountedRow[]>): Promise<number> {
  let total = 0;
  let after: RowKey | null = null;
  do {
    const [row]: CountedRow[] = await countAfter(after);
    total += row!.matching;
    after = row!.last;
  } while (after);
  return total;
}

/**
 * Finds and replaces values in `encryptedColumns` and `pepperedColumns`, for all tenants. Secret ids are in
 * hexadecimal, as in `Keyring.listKids`.
 */
export class EncryptedValuesRepository {
  constructor(private readonly database: Database) {}

  /** Counts the values in a column that depend on none of the secrets. */
  countOutdated(column: SecretColumn, kids: string[]): Promise<number> {
    return countAll((after) => this.database.execute(countOutdatedValues(column, kids, after)));
  }

  /**
   * Reads the values in a column that depend on none of the secrets, in batches and in key order.
   * @param start key after which the scan starts; null to start with the first row
   */
  async *readOutdated(
    column: SecretColumn,
    kids: string[],
    start: RowKey | null = null,
  ): AsyncGenerator<OutdatedValue[]> {
    let rows: ScannedRow[] = [];
    do {
      const after: RowKey | null = rows.at(-1)?.key ?? start;
      rows = await this.database.execute(scanValues(column, kids, after));
      const outdated = rows.filter((row): row is OutdatedValue => row.stored !== null);
      if (outdated.length > 0) yield outdated;
    } while (rows.length === BATCH_SIZE);
  }

  /**
   * Replaces values that have not changed since they were read, in one transaction. Skips rows that another
   * transaction has locked.
   * @returns the number of replaced values
   */
  async replace(column: EncryptedColumn, replacements: Replacement[]): Promise<number> {
    const [row] = await this.database.execute(replaceValues(column, replacements));
    return row!.replaced;
  }
}
