import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import {
  createLogger,
  loadDeliveryQueue,
  REDIS_DELIVERY_QUEUE,
  type DeliveryQueue,
} from '@gatehouse/platform';

/** Creates the delivery queue in an application that contains nothing else. */
export async function createDeliveryQueue(
  redisUrl: string,
  stuckMs?: number,
): Promise<{ app: INestApplicationContext; queue: DeliveryQueue }> {
  const logger = createLogger({ logLevel: 'silent' }, 'test');
  const module = await loadDeliveryQueue(redisUrl, logger, stuckMs);
  const app = await NestFactory.createApplicationContext(module, { logger: false });
  return { app, queue: app.get(REDIS_DELIVERY_QUEUE) };
}
