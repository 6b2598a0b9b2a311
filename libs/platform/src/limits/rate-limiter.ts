import type { Redis } from 'ioredis';
import {
  RateLimiterMemory,
  RateLimiterRedis,
  RateLimiterRes,
  type RateLimiterAbstract,
} from 'rate-limiter-flexible';
import type { Logger } from '../logging/logger.js';
import { connectRedis } from '../queue/connect-redis.js';

export interface RateLimitPolicy {
  name: string;
  /** Requests that a window takes. */
  quota: number;
  windowSeconds: number;
}

/**
 * What a 429 says about its limit (RFC 9110, section 10.2.3; draft-ietf-httpapi-ratelimit-headers-11).
 * @param retryAfter seconds until the window ends
 */
export const rateLimitHeaders = ({ name, quota, windowSeconds }: RateLimitPolicy, retryAfter: number) => ({
  'Retry-After': String(retryAfter),
  'RateLimit-Policy': `"${name}";q=${quota};w=${windowSeconds}`,
  RateLimit: `"${name}";r=0;t=${retryAfter}`,
});

/** Seconds until the window of a refused request ends; null when the request may pass. */
type RetryAfterSeconds = number | null;

/** Counts requests on Redis, or in this process without it and while it is away: never not at all. */
export class RateLimiter {
  private readonly redis: Redis | null;
  private readonly limiters = new Map<string, RateLimiterAbstract>();

  constructor(redisUrl: string | null, logger: Logger) {
    this.redis = redisUrl
      ? connectRedis(redisUrl, logger, {
          enableOfflineQueue: false,
          maxRetriesPerRequest: 1,
          commandTimeout: 250,
        })
      : null;
  }

  /** Counts one request of `key` under a policy. */
  async consume(policy: RateLimitPolicy, key: string): Promise<RetryAfterSeconds> {
    try {
      await this.getLimiter(policy).consume(key);
      return null;
    } catch (refusal) {
      if (refusal instanceof RateLimiterRes) return Math.max(1, Math.ceil(refusal.msBeforeNext / 1000));
      throw refusal;
    }
  }

  /** Forgets what this process has counted; not what Redis has. */
  reset(): void {
    this.limiters.clear();
  }

  close(): void {
    this.redis?.disconnect();
  }

  private getLimiter({ name, quota, windowSeconds }: RateLimitPolicy): RateLimiterAbstract {
    const existing = this.limiters.get(name);
    if (existing) return existing;
    const options = { keyPrefix: `gatehouse:limit:${name}`, points: quota, duration: windowSeconds };
    const inProcess = new RateLimiterMemory(options);
    const limiter = this.redis
      ? new RateLimiterRedis({ ...options, storeClient: this.redis, insuranceLimiter: inProcess })
      : inProcess;
    this.limiters.set(name, limiter);
    return limiter;
  }
}
