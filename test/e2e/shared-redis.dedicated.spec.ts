import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { eventually } from '../support/eventually.js';
import { Receiver } from '../support/receiver.js';
import { redisDatabase } from '../support/redis-database.mjs';
import { availableQueues, TestInstance } from '../support/test-instance.js';

/** Settings with which only jobs start attempts. The due poller runs after an hour. */
const workerEnv = { WEBHOOK_SWEEP_INTERVAL: '1h', PERIODIC_JOBS: 'off' };

(availableQueues.includes('redis') ? describe : describe.skip)('two installations on one Redis', () => {
  let redis: Redis;
  let receivers: Receiver[];
  let first: TestInstance;
  let second: TestInstance;
  beforeAll(async () => {
    const url = await redisDatabase();
    redis = new Redis(url);
    receivers = await Promise.all([Receiver.start(), Receiver.start()]);
    // Both databases are copies of one template, like a restored backup.
    const options = { env: { REDIS_URL: url }, workerEnv };
    [first, second] = await Promise.all([
      TestInstance.start({ ...options, workers: 0 }),
      TestInstance.start(options),
    ]);
    await first.createEndpoint(receivers[0]!.url, ['customer.created']);
    await second.createEndpoint(receivers[1]!.url, ['customer.created']);
  });
  afterAll(async () => {
    redis?.disconnect();
    await Promise.all([first, second].map((instance) => instance?.stop()));
    await Promise.all(receivers.map((receiver) => receiver.stop()));
  });

  const register = async (instance: TestInstance): Promise<void> =>
    void expect((await instance.register()).status).toBe(201);
  const received = () => receivers.map(({ requests }) => requests.length);
  const findPending = async (instance: TestInstance) => {
    const [pending] = await instance.sql<Record<'deliveryId' | 'endpointId' | 'projectId', string>>(
      `SELECT id AS "deliveryId", endpoint_id AS "endpointId", project_id AS "projectId" FROM deliveries
       WHERE state = 'pending'`,
    );
    return pending!;
  };

  it("process each database's jobs only in its own worker", async () => {
    await register(first);
    const { deliveryId } = await findPending(first);
    await register(second);
    await eventually('the delivery of the running worker', () => received()[1] === 1);
    // The queue is ordered, so a worker that served both databases would have taken the first job by now.
    const [job] = await redis.keys(`gatehouse*:deliveries:${deliveryId}-1`);
    expect(await redis.hexists(job ?? '', 'processedOn')).toBe(0);
    expect({ job, received: received() }).toEqual({ job: expect.any(String), received: [0, 1] });

    await first.startWorker().waitUntilReady();
    await eventually('the delivery of the other worker', () => received()[0] === 1);
    await register(first);
    await register(second);
    await eventually('the deliveries of both', () => received().join() === '2,2');
  });

  it('process jobs of the previous version under the shared prefix', async () => {
    await Promise.all([first, second].map((instance) => instance.workers[0]!.stop('SIGTERM')));
    await register(first);
    await redis.flushdb();
    const { hostname, port, pathname } = new URL(first.env['REDIS_URL']!);
    const connection = { host: hostname, port: Number(port), db: Number(pathname.slice(1)) };
    const queue = new Queue('deliveries', { connection, prefix: 'gatehouse' });
    try {
      const options = { removeOnComplete: true, removeOnFail: true };
      await queue.add('deliver', { ...(await findPending(first)), attempt: 1 }, options);
      await first.startWorker().waitUntilReady();
      await eventually('the delivery', () => received()[0] === 3);
      await eventually('an empty queue', async () => (await queue.getJobCountByTypes()) === 0);
    } finally {
      await queue.close();
    }
  });
});
