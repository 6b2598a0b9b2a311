import type { DataSource } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import type pg from 'pg';
import { sha256 } from '@gatehouse/platform';
import type { BoundStatement, Statement } from '../sql/statements.js';
import { withCurrentTrace } from './statement-spans.js';
import { toUnavailableError } from './unavailable-error.js';

/**
 * Runs SQL on the pool or in a transaction. Returns the rows (the RETURNING rows for INSERT, UPDATE and DELETE).
 * Throws GatehouseError `unavailable` if the database is unavailable or does not respond in time.
 */
export interface Sql {
  /** Runs a declared statement. */
  execute<Row>(...call: StatementCall<Row>): Promise<Row[]>;
}

/** A declared statement with its values. */
export type StatementCall<Row> =
  | [statement: Statement<Row>, values?: unknown[]]
  | [statement: BoundStatement<Row>];

/** The pg interface that runs statements: a pool, or a transaction's connection. */
export type PgQueryable = Pick<pg.Pool, 'query'>;

/** Returns a data source's pool. */
export const poolOf = (source: DataSource): pg.Pool => (source.driver as PostgresDriver).master as pg.Pool;

const statementNames = new Map<string, string>();

/**
 * Returns the statement with a unique name, under which each connection stores its plan. Parsing and planning only
 * once accounts for a quarter of the hot path's throughput. The name is the same in all processes, which may share
 * connections through a pooler.
 */
function preparedQuery(text: string, values: unknown[] | undefined): pg.QueryConfig {
  const name = statementNames.get(text) ?? `gatehouse_${sha256(text).toString('base64url')}`;
  statementNames.set(text, name);
  return { name, text, values };
}

/** Runs a declared statement. */
export async function runStatement<Row>(
  client: () => PgQueryable,
  [statement, values]: StatementCall<Row>,
): Promise<Row[]> {
  const { text } = statement;
  const bound = 'values' in statement ? statement : { values, isPrepared: true };
  const query = bound.isPrepared ? preparedQuery(text, bound.values) : { text, values: bound.values! };
  return runQuery<Row>(client(), query);
}

/** Runs one statement and translates its errors. */
export async function runQuery<Row>(client: PgQueryable, statement: pg.QueryConfig): Promise<Row[]> {
  try {
    return (await client.query(withCurrentTrace(statement))).rows as Row[];
  } catch (error) {
    throw toUnavailableError(error) ?? error;
  }
}
