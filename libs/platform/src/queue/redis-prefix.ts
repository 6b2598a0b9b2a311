import type { RedisTarget } from '../config/redis-target.js';

/** The beginning of all keys in Redis, on which a user's ACL can depend. */
const BASE = 'gatehouse';

/**
 * Returns the prefix of the keys that all installations share. In a cluster, a queue's keys must be in one hash slot:
 * the braces select it.
 */
export const sharedPrefix = ({ isCluster }: RedisTarget): string => (isCluster ? `{${BASE}}` : BASE);

/** Returns the prefix for an installation's queue keys (docs/adr/0089-redis-keys-of-an-installation.md). */
export const queuePrefix = (target: RedisTarget, installationKey: string): string =>
  `${sharedPrefix(target)}:${installationKey}`;

/** Returns the prefix for an installation's rate limits. In a cluster, they are spread over all nodes. */
export const limitPrefix = (installationKey: string): string => `${BASE}:${installationKey}:limit`;
