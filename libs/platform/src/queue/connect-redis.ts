import { Cluster, Redis, type RedisOptions } from 'ioredis';
import type { RedisTarget } from '../config/redis-target.js';
import { splitHosts } from '../config/split-hosts.js';
import { monotonicMs } from '../clock/clock.js';
import { errorMessage } from '../runtime/errors.js';
import type { Logger } from '../logging/logger.js';

export type RedisConnection = Redis | Cluster;

const WARN_EVERY_MS = 10_000;

/** Minimum time between two reconnects because of a read-only Redis, in ms. */
const RECONNECT_EVERY_MS = 2_000;

/**
 * Maximum number of nodes to which a command is sent on a connection that must fail fast. Each unavailable node takes
 * 100 ms.
 */
const MAX_REDIRECTIONS = 3;

/** Creates a connection that reconnects indefinitely and logs failures at most every ten seconds. */
export function connectRedis(target: RedisTarget, logger: Logger, options: RedisOptions): RedisConnection {
  const redis = createConnection(target, {
    connectTimeout: 2_000,
    reconnectOnError: createReadOnlyCheck(),
    ...options,
  });
  let warnedAt = -Infinity;
  redis.on('error', (error) => {
    if (monotonicMs() - warnedAt < WARN_EVERY_MS) return;
    warnedAt = monotonicMs();
    // A cluster's error contains the last node's error.
    const { lastNodeError } = error as { lastNodeError?: Error };
    logger.warn(
      { reason: errorMessage(lastNodeError ?? error) || 'connection refused' },
      'Redis is not reachable',
    );
  });
  return redis;
}

function createConnection(
  { url, sentinels, isCluster }: RedisTarget,
  options: RedisOptions,
): RedisConnection {
  const retryStrategy = (attempts: number): number => Math.min(100 * attempts, 2_000);
  const [first] = splitHosts(url).map((each) => new URL(each));
  if (isCluster) {
    return new Cluster(splitHosts(url).map(readHost), {
      clusterRetryStrategy: retryStrategy,
      // Keeps host names, which the certificates contain. Node.js resolves them when it connects.
      dnsLookup: (address, callback) => callback(null, address),
      ...(options.enableOfflineQueue === false
        ? { enableOfflineQueue: false, maxRedirections: MAX_REDIRECTIONS }
        : {}),
      redisOptions: { ...readCredentials(first!), ...options },
    });
  }
  if (!sentinels) return new Redis(url, { retryStrategy, ...options });
  const { username, password, tls } = readCredentials(new URL(splitHosts(sentinels)[0]!));
  return new Redis(url, {
    sentinels: splitHosts(sentinels).map(readHost),
    name: first!.hostname,
    sentinelUsername: username,
    sentinelPassword: password,
    sentinelTLS: tls,
    enableTLSForSentinelMode: first!.protocol === 'rediss:',
    retryStrategy,
    ...options,
  });
}

const readHost = (url: string): { host: string; port: number | undefined } => {
  const { hostname, port } = new URL(url);
  return { host: hostname.replace(/^\[(.*)\]$/, '$1'), port: port === '' ? undefined : Number(port) };
};

/** Returns the user name, the password and the TLS options in a URL. An empty name is the default user. */
const readCredentials = ({ protocol, username, password }: URL) => ({
  username: decodeURIComponent(username),
  password: decodeURIComponent(password),
  tls: protocol === 'rediss:' ? {} : undefined,
});

/**
 * Returns a check that requests a reconnect if Redis is a read-only replica, because the host may resolve to the new
 * primary after a failover.
 */
function createReadOnlyCheck(): (error: Error) => boolean {
  let reconnectedAt = -Infinity;
  return ({ message }) => {
    if (!message.startsWith('READONLY') || monotonicMs() - reconnectedAt < RECONNECT_EVERY_MS) return false;
    reconnectedAt = monotonicMs();
    return true;
  };
}
