import { withTimeout } from '../clock/clock.js';
import type { RedisTarget } from '../config/redis-target.js';
import type { Logger } from '../logging/logger.js';
import type { RedisConnection } from './connect-redis.js';
import { probeRedis, redisProblems, type RedisProblem } from './redis-health.js';
import { sharedPrefix } from './redis-prefix.js';

/** Maximum time to wait for the connection and for each response, in ms. */
const TIMEOUT_MS = 5_000;

/** A reachable Redis's state. */
export interface RedisInspection {
  /** The reason why Redis cannot be used, or null. */
  problem: RedisProblem | null;
  /** The error that Redis returned, if there is a problem. */
  error: unknown;
  /** Null if the user is not allowed to run INFO. */
  version: string | null;
  /**
   * The eviction policy, such as `noeviction`. Null if the user is not allowed to run INFO, or the service does not
   * report it.
   */
  evictionPolicy: string | null;
}

/**
 * Connects to Redis once. Returns whether it accepts writes, its version and its eviction policy.
 * @throws Error if the connection fails, or Redis does not respond
 */
export async function inspectRedis(target: RedisTarget, logger: Logger): Promise<RedisInspection> {
  // Imported on demand, because a process without Redis never loads ioredis.
  const { connectRedis } = await import('./connect-redis.js');
  const connection = connectRedis(target, logger, {
    maxRetriesPerRequest: 0,
    // Otherwise, the connection would be closed if Redis is read-only, and ioredis would keep the process running for
    // two more seconds.
    reconnectOnError: null,
  });
  try {
    await withTimeout(connected(connection), TIMEOUT_MS, 'Redis does not respond');
    const { problem, error } = await probeRedis(connection, sharedPrefix(target));
    if (problem === 'unreachable') throw new Error(redisProblems.unreachable, { cause: error });
    const info = await withTimeout(connection.info(), TIMEOUT_MS, 'no response').catch(() => '');
    const find = (name: string): string | null =>
      new RegExp(`^${name}:(.+?)\\s*$`, 'm').exec(info)?.[1] ?? null;
    return { problem, error, version: find('redis_version'), evictionPolicy: find('maxmemory_policy') };
  } finally {
    connection.disconnect();
  }
}

/**
 * Resolves when the connection is ready.
 * @throws the first connection error
 */
function connected(connection: RedisConnection): Promise<void> {
  return new Promise((resolve, reject) => {
    connection.once('ready', resolve);
    // A cluster's error contains the last node's error.
    connection.once('error', (error: Error & { lastNodeError?: Error }) =>
      reject(error.lastNodeError ?? error),
    );
  });
}
