import { RateLimiterMemory, RateLimiterRedis, type RateLimiterAbstract } from 'rate-limiter-flexible';
import type { RedisTarget } from '../config/redis-target.js';
import type { Logger } from '../logging/logger.js';
import type { RedisConnection } from '../queue/connect-redis.js';
import { limitPrefix } from '../queue/redis-prefix.js';

export interface RateLimitPolicy {
  name: string;
  /** Maximum number of requests in one window. */
  quota: number;
  windowSeconds: number;
}

/**
 * Returns the headers with which a 429 response describes its limit (RFC 9110, section 10.2.3;
 * draft-ietf-httpapi-ratelimit-headers-11).
 * @param retryAfter seconds until the window ends
 */
export const rateLimitHeaders = ({ name, quota, windowSeconds }: RateLimitPolicy, retryAfter: number) => ({
  'Retry-After': String(retryAfter),
  'RateLimit-Policy': `"${name}";q=${quota};w=${windowSeconds}`,
  RateLimit: `"${name}";r=0;t=${retryAfter}`,
});

/** The requests of a key in the current window. */
export interface WindowCount {
  count: number;
  /** Seconds until the window ends; at least 1. */
  secondsLeft: number;
}

/** Seconds until the window of a rejected request ends; null if the request is allowed. */
type RetryAfterSeconds = number | null;

/**
 * Counts requests in Redis. Without Redis, while it is unavailable, and until `open` is called, it counts in this
 * process, so that limits always apply.
 */
export class RateLimiter {
  private readonly limiters = new Map<string, RateLimiterAbstract>();
  /** Null until it is known whose counters in Redis are used. */
  private prefix: string | null = null;

  /** @param redis null to count in this process */
  constructor(private readonly redis: RedisConnection | null) {}

  /** Creates the limiter, with a connection if `target` is set. Only then ioredis is loaded. */
  static async load(target: RedisTarget | null, logger: Logger): Promise<RateLimiter> {
    if (!target) return new RateLimiter(null);
    const { connectRedis } = await import('../queue/connect-redis.js');
    const options = { enableOfflineQueue: false, maxRetriesPerRequest: 1, commandTimeout: 250 };
    return new RateLimiter(connectRedis(target, logger, options));
  }

  /** Counts together with the other processes of an installation from now on. */
  open(installationKey: string): void {
    this.prefix = limitPrefix(installationKey);
    this.limiters.clear();
  }

  /**
   * Counts one request of `key` under a policy. Returns null if it is allowed, otherwise the seconds until
   * the window ends.
   */
  async consume(policy: RateLimitPolicy, key: string): Promise<RetryAfterSeconds> {
    const { count, secondsLeft } = await this.count(policy, key);
    return count <= policy.quota ? null : secondsLeft;
  }

  /** Counts one request of `key` in the window of a policy, whatever its quota. */
  async count(policy: Omit<RateLimitPolicy, 'quota'>, key: string): Promise<WindowCount> {
    const { consumedPoints, msBeforeNext } = await this.getLimiter(policy).consume(key);
    return { count: consumedPoints, secondsLeft: Math.max(1, Math.ceil(msBeforeNext / 1000)) };
  }

  /** Clears the counters of this process, not those in Redis. */
  reset(): void {
    this.limiters.clear();
  }

  close(): void {
    this.redis?.disconnect();
  }

  private getLimiter({ name, windowSeconds }: Omit<RateLimitPolicy, 'quota'>): RateLimiterAbstract {
    const cacheKey = `${name} ${windowSeconds}`;
    const existing = this.limiters.get(cacheKey);
    if (existing) return existing;
    // The limiter only counts: projects have different quotas, which can change within a window.
    const points = Number.MAX_SAFE_INTEGER;
    const options = { keyPrefix: `${this.prefix ?? 'limit'}:${name}`, points, duration: windowSeconds };
    const inProcess = new RateLimiterMemory(options);
    const limiter =
      this.redis && this.prefix !== null
        ? new RateLimiterRedis({ ...options, storeClient: this.redis, insuranceLimiter: inProcess })
        : inProcess;
    this.limiters.set(cacheKey, limiter);
    return limiter;
  }
}
