// This file contains SQL: the limits of migrations.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { QueryRunner } from 'typeorm';
import type { Logger } from '@gatehouse/platform';

/** The context that a run's migrations share. */
export interface MigrationRun {
  logger: Logger;
  /** True if the connection leads to a pooler in transaction mode, where settings must be local to a transaction. */
  isPooled: boolean;
}

/** The current run, for migration helpers, to which TypeORM passes only a connection. */
export const migrationRun = new AsyncLocalStorage<MigrationRun>();

/**
 * The limits for a transaction. A statement may take any time, but while it waits for a lock, requests wait behind
 * it. A process that stops responding must not hold its locks.
 */
const LIMITS = `
  SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = '60s'; SET LOCAL idle_in_transaction_session_timeout = '60s'`;

/** Runs `work` in a `runner` transaction with the migration limits. */
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
