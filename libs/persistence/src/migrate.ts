import { MigrationExecutor, type DataSource, type QueryRunner } from 'typeorm';
import type { Database } from './database.js';
import { currentMigrationNames } from './migrations/current-migration-names.js';
import { migrations } from './migrations/index.js';

/** Identifies the lock. Any number that is the same in every process. */
const MIGRATION_LOCK = 7_120_913;

/**
 * Applies pending migrations, each in its own transaction, so that none holds its locks while another builds
 * indexes. An advisory lock on the same connection, released when the connection closes, lets one process
 * migrate at a time. A killed process leaves no migration half applied, and the next one continues after the
 * last applied migration. (TypeORM's own run takes no lock.)
 * @returns names of the applied migrations
 */
export function migrate(database: Database): Promise<string[]> {
  return database.runWithoutTimeouts(runMigrations);
}

async function runMigrations(source: DataSource): Promise<string[]> {
  const runner = source.createQueryRunner();
  try {
    await runner.connect();
    await runner.query(`SET lock_timeout = '60s'; SET statement_timeout = '60s'`);
    await runner.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await addCurrentNames(runner);
    const executor = new MigrationExecutor(source, runner);
    executor.transaction = 'each';
    const applied = await executor.executePendingMigrations();
    return applied.map((migration) => migration.name);
  } finally {
    await runner.release();
  }
}

/**
 * Stores the current names of migrations that 0.1.0 applied. Their original names stay, so that a process of
 * 0.1.0 can still start beside this version, or after a rollback.
 */
async function addCurrentNames(runner: QueryRunner): Promise<void> {
  if (!(await runner.hasTable('migrations'))) return;
  await runner.query(
    `INSERT INTO migrations (timestamp, name)
     SELECT m.timestamp, renamed.name
     FROM migrations m JOIN unnest($1::text[], $2::text[]) AS renamed (previous, name) ON renamed.previous = m.name
     WHERE NOT EXISTS (SELECT FROM migrations stored WHERE stored.name = renamed.name)
     ORDER BY m.id`,
    [[...currentMigrationNames.keys()], [...currentMigrationNames.values()]],
  );
}

/** Returns the names of the migrations that the database lacks. Writes nothing. */
export async function listPendingMigrations(database: Database): Promise<string[]> {
  const executed = await new MigrationExecutor(database.dataSource).getExecutedMigrations();
  const stored = new Set(executed.map(({ name }) => currentMigrationNames.get(name) ?? name));
  return migrations.map(({ name }) => name).filter((name) => !stored.has(name));
}
