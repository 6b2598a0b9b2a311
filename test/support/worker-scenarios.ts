import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { registerCustomers } from './customers.js';
import { emitEvents } from './dead-letters.js';
import { countInFlight, expireLeases, LONG_RETRY_SCHEDULE, makeDeliveriesDue } from './delivery-times.js';
import { eventually } from './eventually.js';
import { AT_ONCE, History, isSettled } from './history.js';
import { Receiver, respondWithStatus, type Responder } from './receiver.js';
import { findRedisPrefix } from './redis-prefix.js';
import { SilentProxy } from './silent-proxy.js';
import { availableQueues, TestInstance, type Queue as QueueName } from './test-instance.js';

/**
 * Leases end and retries begin only when a test triggers them (delivery-times.ts), so that results do not depend on the
 * machine's speed.
 */
const manualRetries = { PERIODIC_JOBS: 'off', WEBHOOK_RETRY_SCHEDULE: LONG_RETRY_SCHEDULE };
/** The same, with the longest allowed timeout. */
const patientWorker = { ...manualRetries, WEBHOOK_TIMEOUT: '60s' };

export let instance: TestInstance;
export let receiver: Receiver;
let history: History;
/** The queue and the worker settings of the running instance, or an empty string. */
let settings = '';
/**
 * Starts workers on an instance without data, with a new receiver. Reuses the previous instance and its idle workers if
 * they have the same queue and settings.
 */
export const start = async (
  queue: QueueName,
  workerEnv: Record<string, string>,
  workers = 1,
): Promise<void> => {
  receiver = await Receiver.start();
  const required = JSON.stringify([queue, workerEnv]);
  if (required === settings && (await isSettled(instance))) await startAgain(workers);
  else {
    await stop();
    instance = await TestInstance.startShared({ queue, workerEnv, workers });
    settings = required;
  }
  history = new History(instance, receiver);
};

/** Removes the data of the previous scenario, whose deliveries have ended, and leaves this number of workers. */
async function startAgain(workers: number): Promise<void> {
  const running = instance.workers.filter(({ isRunning }) => isRunning);
  await Promise.all(running.slice(workers).map((worker) => worker.stop('SIGKILL')));
  instance.workers = running.slice(0, workers);
  instance.processes.splice(0, Infinity, ...instance.workers);
  while (instance.workers.length < workers) await startWorker();
  await instance.sql(
    `BEGIN; SET LOCAL session_replication_role = replica;
     DELETE FROM attempts; DELETE FROM deliveries; DELETE FROM events; DELETE FROM webhook_endpoints;
     DELETE FROM sessions; DELETE FROM customers; COMMIT`,
  );
}

/** Stops the receiver. The instance keeps running for the next scenario. */
export const stopReceiver = async (): Promise<void> => receiver?.stop();

/** Stops the instance, if it is running. */
export async function stop(): Promise<void> {
  if (settings === '') return;
  settings = '';
  await instance.stop();
}

/** Starts another worker, with the same settings by default. */
export const startWorker = async (
  workerEnv: Record<string, string> = {},
): Promise<TestInstance['workers'][number]> => {
  const worker = instance.startWorker(workerEnv);
  await worker.waitUntilReady();
  return worker;
};
export const createEndpoint = (path = '') =>
  instance.createEndpoint(receiver.url + path, ['customer.created']);
/** Returns the attempts so far, as [number, status, error]. */
export const listOutcomes = async () =>
  (await instance.listAttempts()).map(({ attempt, http_status, error }) => [attempt, http_status, error]);
export const countEvents = () => new Set(receiver.requests.map(({ headers }) => headers['webhook-id'])).size;
export const check = () => history.check({ schedule: AT_ONCE });

/** A fault that every queue must tolerate. */
export interface WorkerScenario {
  title: string;
  /** The queue that is tested with every change. Nightly tests use the other one. */
  queue: QueueName;
  run(queue: QueueName): Promise<void>;
}

/** Returns the queue that is tested with every change on this machine. */
export const queueOf = ({ queue }: WorkerScenario): QueueName =>
  availableQueues.includes(queue) ? queue : 'postgresql';

const neverRespond: Responder = () => undefined;

/** Successive scenarios with the same queue and settings use the same workers (`start`). */
export const workerScenarios: WorkerScenario[] = [
  {
    title: 'a worker is suspended for longer than its lease: another worker delivers',
    queue: 'postgresql',
    async run(queue) {
      await start(queue, patientWorker);
      await createEndpoint();
      const [frozen] = instance.workers as [TestInstance['workers'][number]];
      let respondLate!: () => void;
      receiver.respondWith((response) => {
        frozen.freeze();
        respondLate = () => response.end('late');
      });
      await instance.register();
      await eventually('the request', () => receiver.requests.length === 1);
      await expireLeases(instance, await startWorker());
      await makeDeliveriesDue(instance);
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
    },
  },
  {
    title: 'two workers process 200 deliveries: each is sent exactly once',
    queue: 'postgresql',
    async run(queue) {
      await start(queue, patientWorker, 2);
      await createEndpoint();
      await emitEvents(instance, 200);
      const { requests, attempts } = await check();
      expect([requests, attempts]).toEqual([200, 200]);
    },
  },
  {
    title: 'a worker receives SIGTERM while the target holds 20 requests: another worker delivers',
    queue: 'postgresql',
    async run(queue) {
      await start(queue, patientWorker);
      const [worker] = instance.workers as [TestInstance['workers'][number]];
      await createEndpoint();
      receiver.respondWith(...Array.from({ length: 21 }, () => neverRespond));
      await registerCustomers(instance, 20);
      await eventually('20 requests', () => receiver.requests.length === 20);
      const ended = worker.stop('SIGTERM');
      await eventually('the worker to stop', () => worker.log.some(({ message }) => message === 'stopping'));
      await stopWithSilentDatabase();
      expect(await ended).toBe(0);
      // This claim belongs to the worker whose database did not respond.
      expect(await countInFlight(instance)).toBe(1);
      expect(await listOutcomes()).toEqual(Array(20).fill([1, 0, 'worker_lost']));
      await expireLeases(instance, await startWorker());
      await makeDeliveriesDue(instance);
      expect((await check()).requests).toBe(42);
    },
  },
  {
    title: 'a worker receives SIGTERM with 20 requests in flight: they complete before it exits',
    queue: 'redis',
    async run(queue) {
      await start(queue, patientWorker);
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
      await startWorker();
      await makeDeliveriesDue(instance);
      expect(await check()).toMatchObject({ deliveries: 21, requests: 21 });
    },
  },
  {
    title: 'endpoints are deleted or disabled with retries pending: they get no further requests',
    queue: 'redis',
    async run(queue) {
      await start(queue, patientWorker);
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
      // All retries become due immediately. The unchanged endpoint is last, so its requests prove that the retries
      // to the other endpoints were processed.
      await makeDeliveriesDue(instance);
      if (queue === 'redis') await runDelayedJobs();
      expect(await check()).toMatchObject({ cancelled: 10, deadLetters: 0, requests: 20 });
      expect(['/deleted', '/disabled', '/unchanged'].map((path) => requestsTo(path).length)).toEqual([
        5, 5, 10,
      ]);
      expect(await instance.listAttempts()).toHaveLength(20);
    },
  },
  {
    title: 'a worker is killed while the target holds the request: the next attempt is on schedule',
    queue: 'redis',
    async run(queue) {
      await start(queue, manualRetries);
      await createEndpoint();
      receiver.respondWith(() => void instance.workers[0]!.stop('SIGKILL'));
      await instance.register();
      await eventually('the request', () => receiver.requests.length === 1);
      await instance.workers[0]!.waitForExit();
      const next = await startWorker();
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
    },
  },
];

/** Stops a worker that has a request in flight and whose database does not respond. */
async function stopWithSilentDatabase(): Promise<void> {
  const url = new URL(instance.env['DATABASE_URL']!);
  const proxy = await SilentProxy.start({ host: url.hostname, port: Number(url.port) });
  url.host = `127.0.0.1:${proxy.port}`;
  const worker = await startWorker({ DATABASE_URL: url.href });
  try {
    const before = receiver.requests.length;
    await registerCustomers(instance, 1);
    await eventually('the request', () => receiver.requests.length === before + 1);
    proxy.pause();
    // If the shutdown did not complete, the process would end itself with exit code 1.
    expect(await worker.stop('SIGTERM')).toBe(0);
  } finally {
    proxy.resume();
    await worker.stop('SIGKILL');
    await proxy.stop();
  }
}

/** Runs all delayed BullMQ jobs now. Resolves when they have finished. */
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
