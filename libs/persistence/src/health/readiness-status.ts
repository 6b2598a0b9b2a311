import { withTimeout, type DeliveryQueue } from '@gatehouse/platform';
import type { Database } from '../database.js';

/** Maximum time to wait for PostgreSQL, in ms. */
const DATABASE_TIMEOUT_MS = 2_000;

export const readinessStatuses = ['ready', 'degraded', 'unavailable'] as const;
export type ReadinessStatus = (typeof readinessStatuses)[number];

/**
 * Returns whether a running process can do its work: `unavailable` without PostgreSQL, `degraded` without the Redis
 * that is configured.
 */
export async function readReadinessStatus(
  database: Database,
  queue: DeliveryQueue | null,
): Promise<ReadinessStatus> {
  try {
    await withTimeout(database.ping(), DATABASE_TIMEOUT_MS, 'no response');
  } catch {
    return 'unavailable';
  }
  return queue?.isReady() === false ? 'degraded' : 'ready';
}
