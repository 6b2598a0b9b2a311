import type { RedisTarget } from '../config/redis-target.js';

/** The beginning of all keys in Redis, on which the ACL of a user can depend. */
const BASE = 'gatehouse';

/**
 * Returns the prefix of the keys that all installations share. In a cluster, the keys of a queue must be in one hash
 * slot: the braces select it.
 */
export const sharedPrefix = ({ isCluster }: RedisTarget): string => (isCluster ? `{${BASE}}` : BASE);

/** Returns the prefix of the keys of an installation's queue (docs/adr/0089-redis-keys-of-an-installation.md). */
export const queuePrefix = (target: RedisTarget, installationKey: string): string =>
  `${sharedPrefix(target)}:${installationKey}`;

/** Returns the prefix of an installation's rate limits. In a cluster, they are spread over all nodes. */
export const limitPrefix = (installationKey: string): string => `${BASE}:${installationKey}:limit`;
