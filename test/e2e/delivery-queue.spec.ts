import { randomUUID } from 'node:crypto';
import { jest } from '@jest/globals';
import type { Redis } from 'ioredis';
import type { DeliveryJob, DeliveryQueue } from '@gatehouse/platform';
import { createDeliveryQueue } from '../support/delivery-queue.js';
import { eventually } from '../support/eventually.js';
import { hasRedisServer, RedisServer } from '../support/redis-server.js';
import { freePort } from '../support/server-process.mjs';

const STUCK_MS = 1_000;

if (!hasRedisServer) process.stderr.write('The queue on Redis is not tested: no redis-server on the PATH.\n');

const newJob = () => ({
  deliveryId: randomUUID(),
  endpointId: randomUUID(),
  projectId: randomUUID(),
  attempt: 1,
  delayMs: 0,
});

(hasRedisServer ? describe : describe.skip)('a queue worker that takes no more jobs', () => {
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

  it('is replaced while jobs wait, but not while it is idle', async () => {
    const taken: string[] = [];
    queue.process(2, async ({ deliveryId }: DeliveryJob) => void taken.push(deliveryId));
    const internals = queue as unknown as {
      worker: { pause: (now: boolean) => Promise<void> };
      lastJobAt: number;
    };
    const firstWorker = internals.worker;
    const firstJob = newJob();
    await queue.add([firstJob]).catch(() => undefined);
    await eventually('the first job', () => taken.includes(firstJob.deliveryId));

    // Simulates a reconnection that BullMQ has missed: the worker is connected but receives no jobs.
    await firstWorker.pause(true);
    const jobs = [newJob(), newJob(), newJob()];
    // `add` fails after 250 ms, but the jobs that were sent are still processed.
    await queue.add(jobs).catch(() => undefined);
    await eventually('the jobs', () => jobs.every(({ deliveryId }) => taken.includes(deliveryId)));
    expect(taken).toHaveLength(4);
    const secondWorker = internals.worker;
    expect(secondWorker).not.toBe(firstWorker);

    // No job was taken for a long time: the next check resets the time instead of replacing the worker.
    internals.lastJobAt = -Infinity;
    await eventually('a check of the idle worker', () => internals.lastJobAt > -Infinity);
    expect(internals.worker).toBe(secondWorker);
  });
});

const connectionOf = (queue: DeliveryQueue): Redis => (queue as unknown as { connection: Redis }).connection;

(hasRedisServer ? describe : describe.skip)('an application with the queue', () => {
  it('transports the attempts of up to twenty deliveries in one job, or each in its own', async () => {
    const redis = await RedisServer.start();
    try {
      const { app, queue } = await createDeliveryQueue(redis.url);
      await eventually('a connection to Redis', () => queue.isReady());
      const jobs = Array.from({ length: 22 }, newJob);
      const together = jobs.slice(1).map(({ delayMs: _, ...job }) => job);
      // They fail after 250 ms on a busy machine, but the jobs that were sent are still processed.
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

  it('starts, writes nothing to the console and closes while Redis is unavailable', async () => {
    const consoleError = jest.spyOn(console, 'error').mockImplementation(() => undefined);
    try {
      const { app, queue } = await createDeliveryQueue(`redis://127.0.0.1:${await freePort()}`);
      await eventually('a failed connection', () => connectionOf(queue).status === 'reconnecting');
      expect(queue.isReady()).toBe(false);
      await expect(queue.add([])).rejects.toThrow('Redis is not reachable');
      await app.close();
      await queue.close();
      expect(consoleError).not.toHaveBeenCalled();
    } finally {
      consoleError.mockRestore();
    }
  });
});
