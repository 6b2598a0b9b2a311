import { registerCustomers } from '../support/customers.js';
import { countInFlight } from '../support/delivery-times.js';
import { eventually } from '../support/eventually.js';
import { formatSeconds, recordMeasurements } from '../support/measurements.js';
import { History } from '../support/history.js';
import { Receiver, type Responder } from '../support/receiver.js';
import { SilentProxy } from '../support/silent-proxy.js';
import { availableQueues, TestInstance } from '../support/test-instance.js';

/** Accepts a request and never responds. */
const neverRespond: Responder = () => undefined;

const settings = { WEBHOOK_TIMEOUT: '60s', WEBHOOK_RETRY_SCHEDULE: '0s,1s,1s,1s,1s' };

describe('workers', () => {
  let setups: { instance: TestInstance; receiver: Receiver }[] = [];
  let proxied: TestInstance;
  beforeAll(async () => {
    proxied = await TestInstance.start({ workers: 0 });
    for (const queue of availableQueues) {
      const instance = await TestInstance.startShared({ queue, workerEnv: settings });
      setups.push({ instance, receiver: await Receiver.start() });
    }
  });
  afterAll(async () => {
    await proxied?.stop();
    for (const { instance, receiver } of setups) {
      await instance.stop();
      await receiver.stop();
    }
    setups = [];
  });

  // All run concurrently, because most of the time is spent waiting.
  it('a worker receives SIGTERM while 20 targets hold their requests: requests are aborted, nothing stays leased, exit 0, another worker delivers; with an unresponsive PostgreSQL as well: exit 0', async () => {
    const stopped = setups.map(({ instance, receiver }) => stopWithRequestsHeld(instance, receiver));
    await Promise.all([...stopped, stopWithSilentDatabase(proxied)]);
  });
});

async function stopWithRequestsHeld(instance: TestInstance, receiver: Receiver): Promise<void> {
  const history = new History(instance, receiver);
  await instance.createEndpoint(receiver.url, ['customer.created']);
  receiver.respondWith(...Array.from({ length: 20 }, () => neverRespond));
  await registerCustomers(instance, 20);
  await eventually('20 requests', () => receiver.requests.length === 20);
  const signaledAt = Date.now();
  expect(await instance.workers[0]!.stop('SIGTERM')).toBe(0);
  recordMeasurements({ 'ended after': formatSeconds(Date.now() - signaledAt) });
  expect(await countInFlight(instance)).toBe(0);
  expect(new Set((await instance.listAttempts()).map(({ error }) => error))).toEqual(
    new Set(['worker_lost']),
  );
  // No worker runs until the next one has started.
  instance.startWorker(settings);
  const schedule = [0, 1_000, 1_000, 1_000, 1_000];
  expect((await history.check({ schedule })).requests).toBe(40);
}

async function stopWithSilentDatabase(instance: TestInstance): Promise<void> {
  const receiver = await Receiver.start();
  const url = new URL(instance.env['DATABASE_URL']!);
  const proxy = await SilentProxy.start({ host: url.hostname, port: Number(url.port) });
  try {
    url.host = `127.0.0.1:${proxy.port}`;
    receiver.defaultResponder = neverRespond;
    await instance.createEndpoint(receiver.url, ['customer.created']);
    const worker = instance.startWorker({ DATABASE_URL: url.href, WEBHOOK_TIMEOUT: '60s' });
    await instance.register();
    await eventually('the request', () => receiver.requests.length === 1);
    proxy.pause();
    // Otherwise the process ends itself with exit code 1.
    expect(await worker.stop('SIGTERM')).toBe(0);
  } finally {
    proxy.resume();
    await instance.workers[0]?.stop('SIGKILL');
    await receiver.stop();
    await proxy.stop();
  }
}
