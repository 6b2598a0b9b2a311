import type { DynamicModule } from '@nestjs/common';
import type { RedisTarget } from '../config/redis-target.js';
import type { Logger } from '../logging/logger.js';

/** Time in ms after which the queue's worker is replaced if jobs are waiting and it takes none. */
const STUCK_MS = 60_000;

/**
 * Loads BullMQ and returns the module that provides REDIS_DELIVERY_QUEUE. Processes without Redis never call this.
 * @param stuckMs time in ms after which a worker that takes no waiting jobs is replaced
 */
export async function loadDeliveryQueue(
  target: RedisTarget,
  logger: Logger,
  stuckMs = STUCK_MS,
): Promise<DynamicModule> {
  const { DeliveryQueueModule } = await import('./delivery-queue.module.js');
  return DeliveryQueueModule.forRoot(target, logger, stuckMs);
}
