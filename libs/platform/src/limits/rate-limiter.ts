import { LRUCache } from 'lru-cache';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import { monotonicMs } from '../clock/clock.js';
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
 * Returns the headers that describe the limit in a 429 response (RFC 9110, section 10.2.3;
 * draft-ietf-httpapi-ratelimit-headers-11).
 * @param retryAfter seconds until the window ends
 */
export const rateLimitHeaders = ({ name, quota, windowSeconds }: RateLimitPolicy, retryAfter: number) => ({
  'Retry-After': String(retryAfter),
  'RateLimit-Policy': `"${name}";q=${quota};w=${windowSeconds}`,
  RateLimit: `"${name}";r=0;t=${retryAfter}`,
});

/**
 * Maximum number of windows in this process, about 15 MB. The least recently counted window is dropped first. A client
 * with this many IP addresses cannot be limited by IP anyway.
 */
const MAX_WINDOWS = 50_000;

/** The number of requests that a key has sent in the current window. */
export interface WindowCount {
  count: number;
  /** Seconds until the window ends; at least 1. */
  secondsLeft: number;
}

/** Seconds until a rejected request's window ends; null if the request is allowed. */
type RetryAfterSeconds = number | null;

/**
 * Counts requests in Redis. Counts them in this process if Redis is not configured or unavailable, and until `open` is
 * called, so that limits always apply.
 */
export class RateLimiter {
  /** The Redis limiters, by policy. */
  private readonly limiters = new Map<string, RateLimiterRedis>();
  private readonly windows = new LRUCache<string, { count: number; endsAt: number }>({ max: MAX_WINDOWS });
  /** The counter prefix in Redis. Null until `open` is called. */
  private prefix: string | null = null;

  /** @param redis null to count only in this process */
  constructor(private readonly redis: RedisConnection | null) {}

  /** Creates a limiter with a connection to Redis. Without a target, it does not load ioredis. */
  static async load(target: RedisTarget | null, logger: Logger): Promise<RateLimiter> {
    if (!target) return new RateLimiter(null);
    const { connectRedis } = await import('../queue/connect-redis.js');
    const options = { enableOfflineQueue: false, maxRetriesPerRequest: 1, commandTimeout: 250 };
    return new RateLimiter(connectRedis(target, logger, options));
  }

  /** Starts counting together with the installation's other processes. */
  open(installationKey: string): void {
    this.prefix = limitPrefix(installationKey);
    this.limiters.clear();
  }

  /**
   * Counts a request for `key`. Returns null if the policy allows it, otherwise the number of seconds until the window
   * ends.
   */
  async consume(policy: RateLimitPolicy, key: string): Promise<RetryAfterSeconds> {
    const { count, secondsLeft } = await this.count(policy, key);
    return count <= policy.quota ? null : secondsLeft;
  }

  /** Counts a request for `key` in a policy's window, regardless of the quota. */
  async count(policy: Omit<RateLimitPolicy, 'quota'>, key: string): Promise<WindowCount> {
    if (!this.redis || this.prefix === null) return this.countInProcess(policy, key);
    try {
      const { consumedPoints, msBeforeNext } = await this.getLimiter(policy, this.redis).consume(key);
      return toWindowCount(consumedPoints, msBeforeNext);
    } catch {
      return this.countInProcess(policy, key);
    }
  }

  /** Clears the counters in this process, but not those in Redis. */
  reset(): void {
    this.windows.clear();
  }

  close(): void {
    this.redis?.disconnect();
  }

  private countInProcess({ name, windowSeconds }: Omit<RateLimitPolicy, 'quota'>, key: string): WindowCount {
    const now = monotonicMs();
    const id = `${name} ${windowSeconds} ${key}`;
    const current = this.windows.get(id);
    const window =
      current && current.endsAt > now ? current : { count: 0, endsAt: now + windowSeconds * 1_000 };
    window.count += 1;
    this.windows.set(id, window);
    return toWindowCount(window.count, window.endsAt - now);
  }

  private getLimiter(
    { name, windowSeconds }: Omit<RateLimitPolicy, 'quota'>,
    storeClient: RedisConnection,
  ): RateLimiterRedis {
    const cacheKey = `${name} ${windowSeconds}`;
    const existing = this.limiters.get(cacheKey);
    if (existing) return existing;
    // The Redis limiter only counts, because quotas differ between projects and can change within a window.
    const points = Number.MAX_SAFE_INTEGER;
    const limiter = new RateLimiterRedis({
      keyPrefix: `${this.prefix}:${name}`,
      points,
      duration: windowSeconds,
      storeClient,
    });
    this.limiters.set(cacheKey, limiter);
    return limiter;
  }
}

const toWindowCount = (count: number, msLeft: number): WindowCount => ({
  count,
  secondsLeft: Math.max(1, Math.ceil(msLeft / 1_000)),
});
