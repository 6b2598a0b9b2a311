import { Global, Module, type DynamicModule } from '@nestjs/common';
import { Config } from './config/config.js';
import { CursorCodec } from './crypto/cursor-codec.js';
import { Keyring } from './crypto/keyring.js';
import { UnreadableValues } from './metrics/unreadable-values.js';
import { Failpoints } from './programs/failpoints.js';
import { LOGGER, type Logger } from './logging/logger.js';
import { Metrics } from './metrics/metrics.js';
import { MetricsServer } from './metrics/metrics-server.js';
import { DeliveryQueue, REDIS_DELIVERY_QUEUE } from './queue/delivery-queue.js';
import { loadDeliveryQueue } from './queue/load-delivery-queue.js';
import { redisProblems } from './queue/redis-health.js';
import { TestCommands } from './programs/test-commands.js';

/**
 * Provides the dependencies that both programs share: the configuration, the logger, keys, metrics, and the delivery
 * queue if Redis is configured.
 */
@Global()
@Module({})
export class PlatformModule {
  static forRoot(config: Config, logger: Logger): DynamicModule {
    const { port, token } = config.metrics;
    const keyring = new Keyring(config.rootSecrets);
    const testCommands = new TestCommands(config.testCommands);
    const providers = [
      { provide: Config, useValue: config },
      { provide: LOGGER, useValue: logger },
      { provide: Keyring, useValue: keyring },
      { provide: CursorCodec, useValue: new CursorCodec(keyring) },
      { provide: TestCommands, useValue: testCommands },
      { provide: Failpoints, useValue: new Failpoints(config.failpoints, logger, testCommands) },
      {
        provide: DeliveryQueue,
        useFactory: (metrics: Metrics | null, queue: DeliveryQueue | null = null) => {
          const readIsUp = () => queue && Number(queue.isReady());
          metrics?.gauge('gatehouse_redis_up', '1 if Redis accepts jobs, otherwise 0.', readIsUp);
          metrics?.states(
            'gatehouse_redis_problem',
            '1 for the current reason why Redis does not accept jobs, 0 for all others.',
            { kind: Object.keys(redisProblems) },
            () => queue?.problem,
          );
          return queue;
        },
        inject: [Metrics, { token: REDIS_DELIVERY_QUEUE, optional: true }],
      },
      { provide: Metrics, useFactory: () => ((port ?? token) ? Metrics.load() : null) },
      {
        provide: UnreadableValues,
        useFactory: (metrics: Metrics | null) => new UnreadableValues(metrics, logger),
        inject: [Metrics],
      },
      {
        provide: MetricsServer,
        useFactory: (metrics: Metrics | null) => new MetricsServer(config, metrics, logger),
        inject: [Metrics],
      },
    ];
    return {
      module: PlatformModule,
      imports: config.redis ? [loadDeliveryQueue(config.redis, logger)] : [],
      providers,
      exports: providers.map(({ provide }) => provide),
    };
  }
}
