import { BullModule, getQueueToken } from '@nestjs/bullmq';
import { Module, type DynamicModule } from '@nestjs/common';
import { LazyModuleLoader } from '@nestjs/core';
import { Worker, type Queue } from 'bullmq';
import type { RedisTarget } from '../config/redis-target.js';
import type { Logger } from '../logging/logger.js';
import { DeliveryQueue, QUEUE_NAME, REDIS_DELIVERY_QUEUE } from './delivery-queue.js';
import { connectRedis, type RedisConnection } from './connect-redis.js';

/** Registers the queue with BullMQ. Loaded once the prefix is known, which depends on the database. */
@Module({})
class BullQueueModule {
  static forPrefix(connection: RedisConnection, prefix: string): DynamicModule {
    return {
      module: BullQueueModule,
      imports: [
        BullModule.forRootAsync({
          // Passes an existing connection instead of options, so that closing the queue does not wait for Redis.
          useFactory: () => ({ connection, prefix, skipVersionCheck: true }),
          // There is no processor to discover: DeliveryQueue creates its own workers
          // (docs/adr/0029-bull-module.md).
          extraOptions: { manualRegistration: true },
        }),
        BullModule.registerQueue({ name: QUEUE_NAME }),
      ],
    };
  }
}

/**
 * Provides the delivery queue. This file imports BullMQ and ioredis, so it is loaded only if Redis is configured
 * (load-delivery-queue.ts).
 */
@Module({})
export class DeliveryQueueModule {
  static forRoot(target: RedisTarget, logger: Logger, stuckMs: number): DynamicModule {
    return {
      module: DeliveryQueueModule,
      providers: [
        {
          provide: REDIS_DELIVERY_QUEUE,
          useFactory: (loader: LazyModuleLoader) => {
            const connection = connectRedis(target, logger, {
              enableOfflineQueue: false,
              maxRetriesPerRequest: 1,
            });
            const openQueue = async (prefix: string): Promise<Queue> => {
              const module = await loader.load(() => BullQueueModule.forPrefix(connection, prefix), {
                logger: false,
              });
              return module.get<Queue>(getQueueToken(QUEUE_NAME), { strict: false });
            };
            const connectWorker = () => connectRedis(target, logger, { maxRetriesPerRequest: null });
            return new DeliveryQueue(
              { target, connection, openQueue, workerClass: Worker, connectWorker },
              logger,
              stuckMs,
            );
          },
          inject: [LazyModuleLoader],
        },
      ],
      exports: [REDIS_DELIVERY_QUEUE],
    };
  }
}
