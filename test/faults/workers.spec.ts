import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { registerCustomers } from '../support/customers.js';
import { emitEvents } from '../support/dead-letters.js';
import {
  expireLeases,
  countInFlight,
  LONG_RETRY_SCHEDULE,
  makeDeliveriesDue,
} from '../support/delivery-times.js';
import { eventually } from '../support/eventually.js';
import { recordMeasurements } from '../support/measurements.js';
import { AT_ONCE, History } from '../support/history.js';
import { findRedisPrefix } from '../support/redis-prefix.js';
import { Receiver, respondWithStatus, type Responder } from '../support/receiver.js';
import { availableQueues, TestInstance, type Queue as QueueName } from '../support/test-instance.js';

/**
 * Leases and retries take effect only when a test triggers them (delivery-times.ts), regardless of the speed
 * of the machine.
 */
const manualRetries = { PERIODIC_JOBS: 'off', WEBHOOK_RETRY_SCHEDULE: LONG_RETRY_SCHEDULE };
/** Retries without delay. */
const immediateRetries = { PERIODIC_JOBS: 'off', WEBHOOK_RETRY_SCHEDULE: '0s,0s,0s,0s,0s' };
/** The longest allowed timeout. */
const longestTimeout = { WEBHOOK_TIMEOUT: '60s' };

let instance: TestInstance;
let receiver: Receiver;
let history: History;
const start = async (queue: QueueName, workerEnv: Record<string, string>, workers = 1): Promise<void> => {
  receiver = await Receiver.start();
  instance = await TestInstance.startShared({ queue, workerEnv, workers });
  history = new History(instance, receiver);
};
afterEach(async () => {
  await instance?.stop();
  await receiver?.stop();
});

/** Starts another worker. */
const startWorker = async (workerEnv: Record<string, string>): Promise<TestInstance['workers'][number]> => {
  const worker = instance.startWorker(workerEnv);
  await worker.waitUntilReady();
  return worker;
};
const createEndpoint = (path = '') => instance.createEndpoint(receiver.url + path, ['customer.created']);
/** Returns the attempts so far as [number, status, error]. */
const listOutcomes = async () =>
  (await instance.listAttempts()).map(({ attempt, http_status, error }) => [attempt, http_status, error]);
const countEvents = () => new Set(receiver.requests.map(({ headers }) => headers['webhook-id'])).size;
const requestsFor = (eventId: string) => receiver.requests.filter(({ event }) => event.id === eventId);
const check = () => history.check({ schedule: AT_ONCE });

describe.each(availableQueues)('workers, deliveries with %s', (queue) => {
  it('a worker is killed while the target holds the request: worker_lost at the end of the lease, then the next attempt on schedule', async () => {
    await start(queue, manualRetries);
    await createEndpoint();
    receiver.respondWith(() => void instance.workers[0]!.stop('SIGKILL'));
    await instance.register();
    await eventually('the request', () => receiver.requests.length === 1);
    await instance.workers[0]!.waitForExit();
    const next = await startWorker(manualRetries);
    const [lease] = await instance.sql<{ seconds: number }>(
      'SELECT extract(epoch FROM lease_until - started_at)::float8 AS seconds FROM deliveries',
    );
    expect(lease!.seconds).toBeGreaterThanOrEqual(30);
    expect(lease!.seconds).toBeLessThan(35);
    await next.runJob('Sweeper');
    expect(await listOutcomes()).toEqual([]);
    await expireLeases(instance, next);
    expect(await listOutcomes()).toEqual([[1, 0, 'worker_lost']]);
    const [retry] = await instance.sql<{ hours: number }>(
      `SELECT extract(epoch FROM d.next_attempt_at - a.closed_at)::float8 / 3600 AS hours
       FROM deliveries d JOIN attempts a ON a.delivery_id = d.id`,
    );
    expect(Math.abs(retry!.hours - 1)).toBeLessThanOrEqual(0.101);
    await makeDeliveriesDue(instance);
    await check();
    expect(await listOutcomes()).toEqual([
      [1, 0, 'worker_lost'],
      [2, 200, null],
    ]);
    expect(countEvents()).toBe(1);
    const [first, second] = receiver.requests.map(({ headers }) => Number(headers['webhook-timestamp']));
    expect(second).toBeGreaterThanOrEqual(first!);
  });

  it('a worker is suspended for longer than its lease: its late result changes nothing, another worker delivers', async () => {
    const settings = { ...immediateRetries, ...longestTimeout };
    await start(queue, settings);
    await createEndpoint();
    const [frozen] = instance.workers as [TestInstance['workers'][number]];
    let respondLate!: () => void;
    receiver.respondWith((response) => {
      frozen.freeze();
      respondLate = () => response.end('late');
    });
    await instance.register();
    await eventually('the request', () => receiver.requests.length === 1);
    await expireLeases(instance, await startWorker(settings));
    await eventually('another attempt', () => receiver.requests.length === 2);
    respondLate();
    frozen.thaw();
    await eventually('the late result', () =>
      frozen.log.some(({ deliveryState }) => deliveryState === 'claim lost'),
    );
    await check();
    expect(await listOutcomes()).toEqual([
      [1, 0, 'worker_lost'],
      [2, 200, null],
    ]);
    expect(frozen.isRunning).toBe(true);
  });

  it('a worker receives SIGTERM with 20 requests in flight: they finish, nothing new is claimed, nothing stays leased, exit 0', async () => {
    await start(queue, longestTimeout);
    const [worker] = instance.workers as [TestInstance['workers'][number]];
    await createEndpoint();
    const held: (() => void)[] = [];
    receiver.defaultResponder = (response) => void held.push(() => response.end('late'));
    await registerCustomers(instance, 20);
    await eventually('20 requests', () => held.length === 20);
    const ended = worker.stop('SIGTERM');
    await eventually('the worker to stop', () => worker.log.some(({ message }) => message === 'stopping'));
    await registerCustomers(instance, 1);
    for (const respond of held) respond();
    expect(await ended).toBe(0);
    expect(receiver.requests).toHaveLength(20);
    expect(await countInFlight(instance)).toBe(0);
    receiver.defaultResponder = respondWithStatus(200);
    await startWorker({});
    await makeDeliveriesDue(instance);
    expect(await check()).toMatchObject({ deliveries: 21, requests: 21 });
  });

  it('endpoints are deleted and disabled with retries pending: no further request, pending deliveries are cancelled, the log is kept', async () => {
    await start(queue, manualRetries);
    const [deleted, disabled] = await Promise.all(
      ['/deleted', '/disabled', '/unchanged'].map(createEndpoint),
    );
    const requestsTo = (path: string) => receiver.requests.filter((request) => request.path.endsWith(path));
    receiver.defaultResponder = respondWithStatus(500);
    await emitEvents(instance, 5);
    await eventually('15 failures', async () => (await instance.listAttempts()).length === 15);
    const change = (method: string, path: string) =>
      instance.requestWithSecretKey(method, `/v1/webhooks/endpoints/${path}`);
    expect((await change('DELETE', deleted!.id)).status).toBe(204);
    expect((await change('POST', `${disabled!.id}/disable`)).status).toBe(200);
    receiver.defaultResponder = respondWithStatus(200);
    // All retries become due at once, those of the unchanged endpoint last: their requests prove that the
    // others were processed.
    await makeDeliveriesDue(instance);
    if (queue === 'redis') await runDelayedJobs();
    expect(await check()).toMatchObject({ cancelled: 10, deadLetters: 0, requests: 20 });
    expect(['/deleted', '/disabled', '/unchanged'].map((path) => requestsTo(path).length)).toEqual([
      5, 5, 10,
    ]);
    expect(await instance.listAttempts()).toHaveLength(20);
  });

  it('three workers and 300 deliveries: 300 requests, each first attempt once', async () => {
    await start(queue, longestTimeout, 3);
    await createEndpoint();
    await emitEvents(instance, 300);
    const { requests, attempts } = await check();
    expect([requests, attempts]).toEqual([300, 300]);
  });
});

describe('workers', () => {
  it("a worker is killed after the target's 200, before it is recorded: worker_lost, and the target gets the event again, as documented", async () => {
    await start('postgresql', { FAILPOINTS: 'delivery.before-record' });
    await createEndpoint();
    await instance.register();
    expect(await instance.workers[0]!.waitForExit()).toBeNull();
    expect(receiver.requests.map(({ response }) => response?.status)).toEqual([200]);
    await expireLeases(instance, await startWorker({ ...immediateRetries, FAILPOINTS: '' }));
    expect((await check()).repeats).toBe(1);
    expect(await listOutcomes()).toEqual([
      [1, 0, 'worker_lost'],
      [2, 200, null],
    ]);
    expect(countEvents()).toBe(1);
  });

  it('a worker is killed during attempt 5: no sixth request, a dead letter that can be redelivered; 20 concurrent redeliveries create one new delivery, 19 return 409, and the audit log contains all 20', async () => {
    // The due poller finds a retry within 0.1 s.
    const settings = { ...immediateRetries, ...longestTimeout, TIME_SCALE: '10' };
    await start('postgresql', settings);
    await createEndpoint();
    const kill: Responder = () => void instance.workers[0]!.stop('SIGKILL');
    receiver.respondWith(
      respondWithStatus(500),
      respondWithStatus(500),
      respondWithStatus(500),
      respondWithStatus(500),
      kill,
    );
    await instance.register();
    await eventually('attempt 5', () => receiver.requests.length === 5);
    await instance.workers[0]!.waitForExit();
    await expireLeases(instance, await startWorker(settings));
    const attempts = await instance.listAttempts();
    expect(attempts).toHaveLength(5);
    expect(attempts[4]).toMatchObject({ attempt: 5, error: 'worker_lost', delivery_state: 'failed' });
    // Later events are delivered: a sixth request would have been sent before.
    await makeDeliveriesDue(instance);
    await emitEvents(instance, 1);
    await eventually('the next event', () => countEvents() === 2);
    const { event } = receiver.requests[0]!;
    expect(requestsFor(event.id)).toHaveLength(5);
    const deadLetterId = attempts[0]!['delivery_id'] as string;
    const path = `/v1/webhooks/deliveries/${deadLetterId}/redeliver`;
    const redeliveries = await Promise.all(
      Array.from({ length: 20 }, () => instance.requestWithSecretKey('POST', path)),
    );
    expect(redeliveries.map(({ status }) => status).sort()).toEqual([202, ...Array<number>(19).fill(409)]);
    const audited = await instance.sql(
      `SELECT FROM audit_log WHERE action = 'webhook_delivery.redelivered' AND target_id = $1`,
      [deadLetterId],
    );
    expect(audited).toHaveLength(20);
    recordMeasurements({ redeliveries: redeliveries.length });
    expect(await check()).toMatchObject({ deliveries: 3, requests: 7, deadLetters: 1 });
    expect(requestsFor(event.id)).toHaveLength(6);
  });
});

/** Runs the delayed BullMQ jobs now. Resolves when all have finished. */
async function runDelayedJobs(): Promise<void> {
  const { hostname, port, pathname } = new URL(instance.env['REDIS_URL']!);
  const connection = { host: hostname, port: Number(port), db: Number(pathname.slice(1) || 0) };
  const redis = new Redis(connection);
  const prefix = await findRedisPrefix(redis).finally(() => redis.disconnect());
  const queue = new Queue('deliveries', { connection, prefix });
  try {
    await queue.promoteJobs();
    await eventually(
      'the queue to be empty',
      async () => (await queue.getJobCountByTypes('delayed', 'wait', 'prioritized', 'active')) === 0,
    );
  } finally {
    await queue.close();
  }
}
