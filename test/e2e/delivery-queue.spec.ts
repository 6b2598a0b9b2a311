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

(hasRedisServer ? describe : describe.skip)('a worker of the queue that takes nothing more', () => {
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

  const newJob = () => ({
    deliveryId: randomUUID(),
    endpointId: randomUUID(),
    projectId: randomUUID(),
    attempt: 1,
    delayMs: 0,
  });

  it('is replaced while jobs wait, and one that has nothing to do is left alone', async () => {
    const taken: string[] = [];
    queue.process(2, async ({ deliveryId }: DeliveryJob) => void taken.push(deliveryId));
    const inner = queue as unknown as {
      worker: { pause: (now: boolean) => Promise<void> };
      takenAt: number;
    };
    const first = inner.worker;
    const before = newJob();
    await queue.add([before]).catch(() => undefined);
    await eventually('the first job', () => taken.includes(before.deliveryId));

    // As after a reconnection that BullMQ has missed: connected, and deaf.
    await first.pause(true);
    const jobs = [newJob(), newJob(), newJob()];
    // It gives up after 250 ms; what was sent goes on.
    await queue.add(jobs).catch(() => undefined);
    await eventually('the jobs', () => jobs.every(({ deliveryId }) => taken.includes(deliveryId)));
    expect(taken).toHaveLength(4);
    const second = inner.worker;
    expect(second).not.toBe(first);

    // No job was taken for any length of time: the next check counts from now on, instead of replacing the worker.
    inner.takenAt = -Infinity;
    await eventually('a check of the idle worker', () => inner.takenAt > -Infinity);
    expect(inner.worker).toBe(second);
  });
});

const connectionOf = (queue: DeliveryQueue): Redis => (queue as unknown as { connection: Redis }).connection;

(hasRedisServer ? describe : describe.skip)('an application with the queue', () => {
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
    const written = jest.spyOn(console, 'error').mockImplementation(() => undefined);
    try {
      const { app, queue } = await createDeliveryQueue(`redis://127.0.0.1:${await freePort()}`);
      await eventually('a failed connection', () => connectionOf(queue).status === 'reconnecting');
      expect(queue.isReady()).toBe(false);
      await expect(queue.add([])).rejects.toThrow('Redis is not reachable');
      await app.close();
      await queue.close();
      expect(written).not.toHaveBeenCalled();
    } finally {
      written.mockRestore();
    }
  });
});
