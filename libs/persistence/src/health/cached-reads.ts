import { monotonicMs, withTimeout } from '@gatehouse/platform';

/** Cache duration in ms. Because of the cache, the load does not depend on the number of scrapers. */
const CACHE_MS = 5_000;

/** Timeout in ms. By default, Prometheus cancels a scrape after 10 s. */
const TIMEOUT_MS = 2_000;

/** Returns a cached version of a monitoring read. It caches the last result or error for 5 s. */
export function cacheReads<T>(read: () => Promise<T>): () => Promise<T> {
  let last: Promise<T> | undefined;
  let until = -Infinity;
  return () => {
    if (last && monotonicMs() < until) return last;
    until = monotonicMs() + CACHE_MS;
    last = withTimeout(read(), TIMEOUT_MS, 'PostgreSQL did not respond in time');
    return last;
  };
}
