import { MigrationExecutor, type DataSource, type QueryRunner } from 'typeorm';
import type { Database } from './database.js';
import { currentMigrationNames } from './migrations/current-migration-names.js';
import { migrations } from './migrations/index.js';

/** Any number, the same in every process: it names the lock. */
const MIGRATION_LOCK = 7_120_913;

/**
 * Applies pending migrations, each in a transaction of its own, so that none holds its locks while another builds
 * indexes. An advisory lock on the same connection, which ends with it, lets one process at a time migrate. One that is
 * killed leaves no migration half done, and the next goes on after the last that was. (TypeORM's own run takes no lock.)
 * @returns names of the migrations that were applied
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
 * Stores the current names of migrations that 0.1.0 applied. Its own names stay, so that a process of 0.1.0 can still
 * start beside this version, or after a rollback to it.
 */
async function addCurrentNames(runner: QueryRunner): Promise<void> {
  if (!(await runner.hasTable('migrations'))) return;
  await runner.query(
    `INSERT INTO migrations (timestamp, name)
     SELECT m.timestamp, since.name
     FROM migrations m JOIN unnest($1::text[], $2::text[]) AS since (previous, name) ON since.previous = m.name
     WHERE NOT EXISTS (SELECT FROM migrations stored WHERE stored.name = since.name)
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
