import type { Redis } from 'ioredis';
import { eventually } from './eventually.js';

/**
 * Returns the key prefix of the only installation that has used a Redis database. Ignores keys that installations
 * share.
 */
export const findRedisPrefix = (redis: Redis): Promise<string> =>
  eventually('keys of an installation', async () => {
    const [key] = await redis.keys('gatehouse:????????????????:*');
    return key?.split(':').slice(0, 2).join(':');
  });
