import type { RedisTarget } from '../config/redis-target.js';

/** Returns the prefix of all keys. In a cluster, they must be in one hash slot: the braces select it. */
export const queuePrefix = ({ isCluster }: RedisTarget): string => (isCluster ? '{gatehouse}' : 'gatehouse');
