import pg from 'pg';
import type { DatabaseDump } from './database-dump.js';
import { multiplyCustomers } from './multiply-customers.js';

/** Thrown when the database into which a dump should be restored is not empty. */
export class DatabaseNotEmptyError extends Error {}

export interface RestoreOptions {
  /** Factor by which the number of customers is multiplied. Default: 1. */
  times?: number;
  /** Receives one line per completed step. */
  report?: (line: string) => void;
}

/**
 * Restores a dump into an empty database, in one transaction: if it fails, the database stays empty.
 * @throws DatabaseNotEmptyError
 */
export async function restore(
  databaseUrl: string,
  dump: DatabaseDump,
  { times = 1, report = () => undefined }: RestoreOptions = {},
): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await requireEmptyDatabase(client);
    // The connection belongs to this function, so that the settings end with it.
    await client.query(
      `SET synchronous_commit = off; SET maintenance_work_mem = '256MB'; SET client_min_messages = warning; BEGIN`,
    );
    await client.query(dump.tables);
    report('tables created');
    await client.query(dump.rows);
    report('rows inserted');
    if (times > 1)
      await multiplyCustomers(client, times, (table, rows) =>
        report(`${rows.toLocaleString('en')} rows added to ${table}`),
      );
    await createIndexes(client, dump.indexes, times > 1 ? report : () => undefined);
    await client.query('COMMIT');
    report('constraints, indexes and triggers created');
    await client.query('VACUUM ANALYZE');
    report('statistics collected');
  } finally {
    await client.end();
  }
}

async function requireEmptyDatabase(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') LIMIT 1`,
  );
  if (rows[0])
    throw new DatabaseNotEmptyError(`The database is not empty: it contains the table ${rows[0].name}.`);
}

async function createIndexes(
  client: pg.Client,
  indexes: string,
  report: (line: string) => void,
): Promise<void> {
  const statements = indexes.trim().split('\n');
  for (const [index, statement] of statements.entries()) {
    await client.query(statement);
    const done = index + 1;
    if (done % 10 === 0) report(`${done} of ${statements.length} constraints, indexes and triggers created`);
  }
}
