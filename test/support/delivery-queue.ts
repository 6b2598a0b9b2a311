import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import {
  createLogger,
  loadDeliveryQueue,
  REDIS_DELIVERY_QUEUE,
  type DeliveryQueue,
  type RedisTarget,
} from '@gatehouse/platform';

/** Creates an installation's delivery queue in an otherwise empty application. */
export async function createDeliveryQueue(
  redis: string | RedisTarget,
  stuckMs?: number,
): Promise<{ app: INestApplicationContext; queue: DeliveryQueue }> {
  const target = typeof redis === 'string' ? { url: redis, sentinels: null, isCluster: false } : redis;
  const logger = createLogger({ logLevel: 'silent' }, 'test');
  const module = await loadDeliveryQueue(target, logger, stuckMs);
  const app = await NestFactory.createApplicationContext(module, { logger: false });
  const queue = app.get<DeliveryQueue>(REDIS_DELIVERY_QUEUE);
  await queue.open('test');
  return { app, queue };
}
