// Raw SQL: setting time limits for migrations.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { QueryRunner } from 'typeorm';
import type { Logger } from '@gatehouse/platform';

/** Context shared by all migrations in a run. */
export interface MigrationRun {
  logger: Logger;
  /**
   * True if the connection goes through a pooler in transaction mode, where settings must be local to a transaction.
   */
  isPooled: boolean;
}

/** The current run. Migration helpers read it from here, because TypeORM passes only a connection to migrations. */
export const migrationRun = new AsyncLocalStorage<MigrationRun>();

/**
 * Time limits for a transaction. A statement may take any time, but must not wait long for a lock, because requests
 * queue behind it. If the process hangs, its locks are released.
 */
const LIMITS = `
  SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = '60s'; SET LOCAL idle_in_transaction_session_timeout = '60s'`;

/** Runs `work` in a transaction of `runner` with the time limits for migrations. */
export async function runInTransaction(runner: QueryRunner, work: () => Promise<unknown>): Promise<void> {
  await runner.startTransaction();
  try {
    await runner.query(LIMITS);
    await work();
    await runner.commitTransaction();
  } catch (error) {
    await runner.rollbackTransaction().catch(() => undefined);
    throw error;
  }
}
