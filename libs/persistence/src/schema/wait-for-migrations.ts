import { sleep, type Logger } from '@gatehouse/platform';
import type { Database } from '../database/database.js';
import { toUnavailableError } from '../database/unavailable-error.js';
import { listPendingMigrations } from './migrate.js';

const POLL_MS = 250;

/**
 * Waits until another process has run all migrations.
 * @param isStopping stops waiting once it returns true
 */
export async function waitForMigrations(
  database: Database,
  logger: Logger,
  isStopping: () => boolean,
): Promise<void> {
  for (let isLogged = false; !isStopping(); await sleep(POLL_MS)) {
    const pending = await listPendingMigrations(database).catch((error: unknown) => {
      if (toUnavailableError(error)) return null;
      throw error;
    });
    if (pending === null) continue;
    if (pending.length === 0) return;
    if (!isLogged) logger.info({ pending: pending.length }, 'waiting for migrations');
    isLogged = true;
  }
}
