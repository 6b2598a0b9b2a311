import type { DynamicModule } from '@nestjs/common';
import type { RedisTarget } from '../config/redis-target.js';
import type { Logger } from '../logging/logger.js';

/** How long jobs can wait without one being taken before the queue's worker is replaced, in ms. */
const STUCK_MS = 60_000;

/**
 * Loads BullMQ and returns the module that provides REDIS_DELIVERY_QUEUE. Processes without Redis never call this.
 * @param stuckMs how long jobs can wait without one being taken, in ms
 */
export async function loadDeliveryQueue(
  target: RedisTarget,
  logger: Logger,
  stuckMs = STUCK_MS,
): Promise<DynamicModule> {
  const { DeliveryQueueModule } = await import('./delivery-queue.module.js');
  return DeliveryQueueModule.forRoot(target, logger, stuckMs);
}
