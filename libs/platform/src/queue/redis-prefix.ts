import type { RedisTarget } from '../config/redis-target.js';

/** The prefix of all keys in Redis. A user's ACL can be limited to it. */
const BASE = 'gatehouse';

/**
 * Returns the prefix that all installations share. In a cluster, all keys of a queue must be in the same hash slot. The
 * braces ensure this.
 */
export const sharedPrefix = ({ isCluster }: RedisTarget): string => (isCluster ? `{${BASE}}` : BASE);

/** Returns the prefix for an installation's queue keys (docs/adr/0089-redis-keys-of-an-installation.md). */
export const queuePrefix = (target: RedisTarget, installationKey: string): string =>
  `${sharedPrefix(target)}:${installationKey}`;

/** Returns the prefix for an installation's rate limit keys. In a cluster, they are distributed over all nodes. */
export const limitPrefix = (installationKey: string): string => `${BASE}:${installationKey}:limit`;
