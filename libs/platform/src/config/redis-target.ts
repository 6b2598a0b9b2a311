import type { SettingValues } from './settings.js';
import { splitHosts } from './split-hosts.js';

/** An installation's Redis: a single server, a Sentinel setup's current primary, or a cluster. */
export interface RedisTarget {
  /** The URL of the server, or of several cluster nodes. With Sentinel, the primary's name replaces the host. */
  url: string;
  /** The URL of the sentinels, which can have several hosts; null without Sentinel. */
  sentinels: string | null;
  isCluster: boolean;
}

/** Returns the configured Redis, or null if there is none. */
export const redisTarget = ({
  REDIS_URL,
  REDIS_SENTINELS,
  REDIS_CLUSTER,
}: SettingValues): RedisTarget | null =>
  REDIS_URL ? { url: REDIS_URL, sentinels: REDIS_SENTINELS, isCluster: REDIS_CLUSTER } : null;

/** Returns the contradictions between the Redis settings. */
export function redisSettingProblems({
  REDIS_URL: url,
  REDIS_SENTINELS: sentinels,
  REDIS_CLUSTER: isCluster,
}: SettingValues): string[] {
  const problems: string[] = [];
  if (sentinels && isCluster) problems.push('REDIS_SENTINELS must be unset if REDIS_CLUSTER is on');
  if (!url) {
    if (sentinels) problems.push('REDIS_SENTINELS requires REDIS_URL');
    if (isCluster) problems.push('REDIS_CLUSTER requires REDIS_URL');
    return problems;
  }
  const [first, ...others] = splitHosts(url).map((each) => new URL(each));
  if (others.length > 0 && !isCluster)
    problems.push('REDIS_URL must have one host unless REDIS_CLUSTER is on');
  if (sentinels && (!first!.hostname || first!.port))
    problems.push(
      'REDIS_URL must contain the name of the primary instead of a host and port if REDIS_SENTINELS is set',
    );
  if (isCluster && !/^\/?0?$/.test(first!.pathname))
    problems.push('REDIS_URL must use database 0 if REDIS_CLUSTER is on');
  return problems;
}
