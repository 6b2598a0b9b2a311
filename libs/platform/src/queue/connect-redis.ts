import { Redis, type RedisOptions } from 'ioredis';
import { monotonicMs } from '../clock/clock.js';
import { errorMessage } from '../errors.js';
import type { Logger } from '../logging/logger.js';

const WARN_EVERY_MS = 10_000;

/** Creates a connection that reconnects without a limit, and logs failures at most every ten seconds. */
export function connectRedis(url: string, logger: Logger, options: RedisOptions): Redis {
  const redis = new Redis(url, {
    connectTimeout: 2_000,
    retryStrategy: (times) => Math.min(100 * times, 2_000),
    ...options,
  });
  let warnedAt = -Infinity;
  redis.on('error', (error) => {
    if (monotonicMs() - warnedAt < WARN_EVERY_MS) return;
    warnedAt = monotonicMs();
    logger.warn({ reason: errorMessage(error) || 'connection refused' }, 'Redis is not reachable');
  });
  return redis;
}
