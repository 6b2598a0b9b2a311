import { MigrationExecutor, type DataSource } from 'typeorm';
import type { Database } from './database.js';

/** Any number, the same in every process: it names the lock. */
const MIGRATION_LOCK = 7_120_913;

/**
 * Applies pending migrations, each in a transaction of its own, so that none holds its locks while another builds
 * indexes. An advisory lock on the same connection, which ends with it, lets one process at a time migrate. One that is
 * killed leaves no migration half done, and the next goes on after the last that was. (TypeORM's own run takes no lock.)
 * @returns names of the migrations that were applied
 */
export function migrate(database: Database): Promise<string[]> {
  return database.withoutLimits(migrateIn);
}

async function migrateIn(source: DataSource): Promise<string[]> {
  const runner = source.createQueryRunner();
  try {
    await runner.connect();
    await runner.query(`SET lock_timeout = '60s'; SET statement_timeout = '60s'`);
    await runner.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    const executor = new MigrationExecutor(source, runner);
    executor.transaction = 'each';
    const applied = await executor.executePendingMigrations();
    return applied.map((migration) => migration.name);
  } finally {
    await runner.release();
  }
}

/** Names of the migrations that the database still lacks. */
export async function pendingMigrations(database: Database): Promise<string[]> {
  const pending = await new MigrationExecutor(database.source).getPendingMigrations();
  return pending.map((migration) => migration.name);
}
