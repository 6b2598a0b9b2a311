import { randomUUID } from 'node:crypto';
import { jest } from '@jest/globals';
import type { Redis } from 'ioredis';
import {
  createLogger,
  RateLimiter,
  type DeliveryJob,
  type DeliveryQueue,
  type RedisTarget,
} from '@gatehouse/platform';
import { createDeliveryQueue } from '../support/delivery-queue.js';
import { eventually } from '../support/eventually.js';
import { RedisSentinel } from '../support/redis-sentinel.js';
import { hasRedisServer, RedisServer } from '../support/redis-server.js';
import { freePort } from '../support/server-process.mjs';

const STUCK_MS = 1_000;
const logger = createLogger({ logLevel: 'silent' }, 'test');

if (!hasRedisServer) process.stderr.write('The queue on Redis is not tested: no redis-server on the PATH.\n');

/** The cluster starts first, because it accepts writes only after two seconds. */
let cluster: RedisServer | undefined;
beforeAll(async () => {
  if (hasRedisServer) cluster = await RedisServer.startCluster();
});
afterAll(() => cluster?.remove());

const newJob = () => ({
  deliveryId: randomUUID(),
  endpointId: randomUUID(),
  projectId: randomUUID(),
  attempt: 1,
  delayMs: 0,
});

(hasRedisServer ? describe : describe.skip)('a queue whose worker takes no more jobs', () => {
  let redis: RedisServer;
  let queue: DeliveryQueue;
  beforeAll(async () => {
    redis = await RedisServer.start();
    ({ queue } = await createDeliveryQueue(redis.url, STUCK_MS));
    await eventually('a connection to Redis', () => queue.isReady());
  });
  afterAll(async () => {
    await queue?.drain();
    await queue?.close();
    await redis?.remove();
  });

  it('replaces the worker while jobs wait, but not while it is idle', async () => {
    const taken: string[] = [];
    queue.process(2, async ({ deliveryId }: DeliveryJob) => void taken.push(deliveryId));
    const internals = queue as unknown as {
      current: { worker: { pause: (now: boolean) => Promise<void> } };
      lastJobAt: number;
    };
    const firstWorker = internals.current.worker;
    const firstJob = newJob();
    await queue.add([firstJob]).catch(() => undefined);
    await eventually('the first job', () => taken.includes(firstJob.deliveryId));

    // Simulates a reconnection that BullMQ missed: the worker is connected but receives no jobs.
    await firstWorker.pause(true);
    const jobs = [newJob(), newJob(), newJob()];
    // `add` fails after 250 ms, but the jobs it has sent are still processed.
    await queue.add(jobs).catch(() => undefined);
    await eventually('the jobs', () => jobs.every(({ deliveryId }) => taken.includes(deliveryId)));
    expect(taken).toHaveLength(4);
    const secondWorker = internals.current.worker;
    expect(secondWorker).not.toBe(firstWorker);

    // Simulates a long time without a job. The next check resets the time instead of replacing the worker.
    internals.lastJobAt = -Infinity;
    await eventually('a check of the idle worker', () => internals.lastJobAt > -Infinity);
    expect(internals.current.worker).toBe(secondWorker);
  });
});

const connectionOf = (queue: DeliveryQueue): Redis =>
  (queue as unknown as { transport: { connection: Redis } }).transport.connection;

(hasRedisServer ? describe : describe.skip)('an application with the queue', () => {
  it('transports up to twenty delivery attempts in one job, or each in a separate job', async () => {
    const redis = await RedisServer.start();
    try {
      const { app, queue } = await createDeliveryQueue(redis.url);
      await eventually('a connection to Redis', () => queue.isReady());
      const jobs = Array.from({ length: 22 }, newJob);
      const together = jobs.slice(1).map(({ delayMs: _, ...job }) => job);
      // On a busy machine, both calls fail after 250 ms, but the jobs they have sent are still processed.
      await queue.add(jobs.slice(0, 1)).catch(() => undefined);
      await queue.addTogether(together, 0).catch(() => undefined);
      await eventually('the jobs', async () => (await queue.countJobs()) === 3);
      const taken = new Set<string>();
      queue.process(1, async ({ deliveryId }) => void taken.add(deliveryId));
      await eventually('the attempts', () => jobs.every(({ deliveryId }) => taken.has(deliveryId)));
      await queue.drain();
      await app.close();
      await queue.close();
    } finally {
      await redis.remove();
    }
  });

  it('reconnects while Redis is a replica, because its host may resolve to the new primary', async () => {
    const redis = await RedisServer.start({ settings: { replicaof: '127.0.0.1 9' } });
    try {
      const { app, queue } = await createDeliveryQueue(redis.url);
      let connections = 0;
      connectionOf(queue).on('ready', () => (connections += 1));
      await eventually('a second connection', () => connections >= 2);
      await eventually('the reason', () => queue.problem === 'read_only');
      await app.close();
      await queue.close();
    } finally {
      await redis.remove();
    }
  });

  it('closes while Redis is suspended', async () => {
    const redis = await RedisServer.start();
    try {
      const { app, queue } = await createDeliveryQueue(redis.url);
      await eventually('a connection to Redis', () => queue.isReady());
      redis.freeze();
      await app.close();
      await queue.close();
      redis.thaw();
      await eventually('the end of the connection', () => connectionOf(queue).status === 'end');
    } finally {
      await redis.remove();
    }
  });

  it('starts and closes without console output while Redis is unavailable', async () => {
    const consoleError = jest.spyOn(console, 'error').mockImplementation(() => undefined);
    try {
      const { app, queue } = await createDeliveryQueue(`redis://127.0.0.1:${await freePort()}`);
      await eventually('a failed connection', () => connectionOf(queue).status === 'reconnecting');
      expect(queue.isReady()).toBe(false);
      await expect(queue.add([])).rejects.toThrow('Redis does not accept jobs');
      await app.close();
      await queue.close();
      expect(consoleError).not.toHaveBeenCalled();
    } finally {
      consoleError.mockRestore();
    }
  });
});

(hasRedisServer ? describe : describe.skip)('each Redis topology', () => {
  let server: RedisServer;
  let sentinel: RedisSentinel;
  beforeAll(async () => {
    server = await RedisServer.start();
    sentinel = await RedisSentinel.start(server);
    await server.addUser('shop', 'secret');
  });
  afterAll(() => Promise.all([server?.remove(), sentinel?.stop()]));

  it.each<[string, () => RedisTarget]>([
    [
      'a server with an ACL user',
      () => ({ url: `redis://shop:secret@127.0.0.1:${server.port}`, sentinels: null, isCluster: false }),
    ],
    [
      'the primary that Sentinel names',
      () => ({
        url: 'redis://shop:secret@mymaster',
        sentinels: `redis://127.0.0.1:9,127.0.0.1:${sentinel.port}`,
        isCluster: false,
      }),
    ],
    [
      'a cluster',
      () => ({ url: `redis://127.0.0.1:9,127.0.0.1:${cluster!.port}`, sentinels: null, isCluster: true }),
    ],
  ])('%s transports deliveries, and counts the requests of two processes together', async (_, target) => {
    const { queue } = await createDeliveryQueue(target());
    const limiters = await Promise.all([
      RateLimiter.load(target(), logger),
      RateLimiter.load(target(), logger),
    ]);
    try {
      for (const limiter of limiters) limiter.open('test');
      await eventually('Redis to accept jobs', () => queue.isReady());
      const taken: string[] = [];
      queue.process(1, async ({ deliveryId }) => void taken.push(deliveryId));
      const jobs = [newJob(), { ...newJob(), delayMs: 10 }];
      // On a busy machine, `add` fails after 250 ms, but the jobs it has sent are still processed.
      await queue.add(jobs).catch(() => undefined);
      await eventually('the jobs', () => jobs.every(({ deliveryId }) => taken.includes(deliveryId)));

      const policy = { name: randomUUID(), quota: 1, windowSeconds: 60 };
      // A limiter that is not connected yet counts requests only in its own process.
      await eventually('a request that another process has counted', async () => {
        const key = randomUUID();
        const results = [await limiters[0].consume(policy, key), await limiters[1].consume(policy, key)];
        return results[0] === null && results[1] !== null;
      });
    } finally {
      await queue.drain();
      await queue.close();
      limiters.forEach((limiter) => limiter.close());
    }
  });
});
