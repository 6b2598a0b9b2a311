import { BullModule, getQueueToken } from '@nestjs/bullmq';
import { Module, type DynamicModule } from '@nestjs/common';
import { Worker, type Queue } from 'bullmq';
import type { RedisTarget } from '../config/redis-target.js';
import type { Logger } from '../logging/logger.js';
import { DeliveryQueue, QUEUE_NAME, REDIS_DELIVERY_QUEUE } from './delivery-queue.js';
import { connectRedis } from './connect-redis.js';
import { queuePrefix } from './queue-prefix.js';

/**
 * Registers the queue of deliveries with BullMQ. Imports BullMQ and ioredis, so a process loads this file
 * only with Redis (load-delivery-queue.ts).
 */
@Module({})
export class DeliveryQueueModule {
  static forRoot(target: RedisTarget, logger: Logger, stuckMs: number): DynamicModule {
    return {
      module: DeliveryQueueModule,
      imports: [
        BullModule.forRootAsync({
          useFactory: () => ({
            // A connection, not its options: closing the queue then does not wait for Redis.
            connection: connectRedis(target, logger, {
              enableOfflineQueue: false,
              maxRetriesPerRequest: 1,
            }),
            prefix: queuePrefix(target),
            skipVersionCheck: true,
          }),
          // There is no processor to discover: DeliveryQueue creates its own workers
          // (docs/adr/0029-bull-module.md).
          extraOptions: { manualRegistration: true },
        }),
        BullModule.registerQueue({ name: QUEUE_NAME }),
      ],
      providers: [
        {
          provide: REDIS_DELIVERY_QUEUE,
          // Only the queue is injected: another dependency could delay the error listener that the
          // constructor adds.
          useFactory: (queue: Queue) => {
            const connectWorker = () => connectRedis(target, logger, { maxRetriesPerRequest: null });
            return new DeliveryQueue(queue, Worker, connectWorker, logger, stuckMs);
          },
          inject: [getQueueToken(QUEUE_NAME)],
        },
      ],
      exports: [REDIS_DELIVERY_QUEUE],
    };
  }
}
