import { MigrationExecutor, type DataSource } from 'typeorm';
import type { Database } from './database.js';

/** Any number, the same in every process: it names the lock. */
const MIGRATION_LOCK = 7_120_913;

/**
 * Applies pending migrations, all in one transaction that first takes an advisory lock on the same connection.
 * So of several processes that start at once one migrates, and a killed one leaves nothing half done.
 * (TypeORM's own run takes no lock.)
 * @returns names of the migrations that were applied
 */
export function migrate(database: Database): Promise<string[]> {
  return database.withoutLimits(migrateIn);
}

async function migrateIn(source: DataSource): Promise<string[]> {
  const runner = source.createQueryRunner();
  try {
    await runner.connect();
    await runner.startTransaction();
    await runner.query(`SET LOCAL lock_timeout = '60s'; SET LOCAL statement_timeout = '60s'`);
    await runner.query('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    const executor = new MigrationExecutor(source, runner);
    executor.transaction = 'none';
    const applied = await executor.executePendingMigrations();
    await runner.commitTransaction();
    return applied.map((migration) => migration.name);
  } catch (error) {
    if (runner.isTransactionActive) await runner.rollbackTransaction();
    throw error;
  } finally {
    await runner.release();
  }
}

/** Names of the migrations that the database still lacks. */
export async function pendingMigrations(database: Database): Promise<string[]> {
  const pending = await new MigrationExecutor(database.source).getPendingMigrations();
  return pending.map((migration) => migration.name);
}
