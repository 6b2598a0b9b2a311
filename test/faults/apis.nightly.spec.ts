import { setTimeout as sleep } from 'node:timers/promises';
import { registerCustomer } from '../support/customers.js';
import { eventually } from '../support/eventually.js';
import { formatSeconds, recordMeasurements } from '../support/measurements.js';
import { History, ON_TIME } from '../support/history.js';
import { mixedRequests } from '../support/mixed-requests.js';
import { pausesSince } from '../support/process-pauses.js';
import { Receiver } from '../support/receiver.js';
import { RetryingProxy } from '../support/retrying-proxy.js';
import { freePort } from '../support/server-process.mjs';
import { SteadyLoad } from '../support/steady-load.js';
import { availableQueues, TestInstance, type InstanceOptions } from '../support/test-instance.js';

let instance: TestInstance;
let receiver: Receiver;
let history: History;
async function start(options: InstanceOptions = {}): Promise<void> {
  receiver = await Receiver.start();
  instance = await TestInstance.start({ ...options, env: { RATE_LIMITS: 'off', ...options.env } });
  history = new History(instance, receiver);
  await instance.createEndpoint(receiver.url, ['customer.created', 'login.succeeded']);
}
afterEach(async () => {
  await instance?.stop();
  await receiver?.stop();
});

describe.each(availableQueues)('API processes within time limits, deliveries with %s', (queue) => {
  it('an API process is killed after the commit: the event is delivered within 10 s without it', async () => {
    await start({ queue, env: { FAILPOINTS: 'delivery.before-enqueue' } });
    const sentAt = Date.now();
    await expect(instance.register()).rejects.toThrow();
    expect(await instance.api.waitForExit()).toBeNull();
    await eventually('the event', () => receiver.requests.length === 1);
    recordMeasurements({ 'arrived after': formatSeconds(receiver.requests[0]!.at - sentAt) });
    expect((await history.check({ ...ON_TIME, lateMs: 10_000 })).requests).toBe(1);
  });
});

describe('API processes under load', () => {
  it('an API process receives SIGTERM at 100 requests per second: every request completes', async () => {
    await start();
    const customer = await registerCustomer(instance);
    const load = new SteadyLoad(100, mixedRequests(instance, customer), 50);
    await sleep(2_000);
    const signaledAt = Date.now();
    const ended = instance.api.stop('SIGTERM');
    const readiness = await eventually('the API to become unready', async () => {
      const response = await instance.request('GET', '/readyz').catch(() => null);
      return response?.status === 503 && response.headers.get('connection') === 'close' && response;
    });
    // A client that honors Connection: close sends no more requests. Every request sent so far must get a response.
    const stopped = load.stop();
    expect(readiness.body).toEqual({ status: 'unavailable' });
    expect(await ended).toBe(0);
    const endMs = Date.now() - signaledAt;
    expect(endMs).toBeLessThan(15_000);
    const total = await stopped;
    // The API closes its listening socket after 100 ms without a request. If this test process pauses for that long,
    // its next requests are refused.
    const [pause] = pausesSince(signaledAt).filter(({ ms }) => ms > 50);
    const accepted = history.exchanges.filter(({ at }) => at < (pause?.at ?? Infinity));
    expect(accepted.some(({ at }) => at >= signaledAt)).toBe(true);
    const failed = accepted.filter(
      ({ path, response }) => path !== '/readyz' && (!response || response.status >= 400),
    );
    expect(failed.map(({ path, response, error }) => [path, response?.status, error])).toEqual([]);
    const inProgress = history.exchanges.filter(
      ({ at, ms }) => at < signaledAt && at + ms > signaledAt,
    ).length;
    recordMeasurements({
      requests: total,
      'in progress at SIGTERM': inProgress,
      failed: failed.length,
      'ended after': formatSeconds(endMs),
    });
    instance.startApi();
    await instance.waitUntilReady();
    await history.check({ ...ON_TIME, lateMs: 10_000 });
  });

  it('all processes restart in turn at 50 requests per second behind a proxy: no request fails', async () => {
    await start({ workers: 3, env: { DATABASE_POOL: '8' } });
    const customer = await registerCustomer(instance);
    const ports = [Number(instance.env['PORT']), await freePort()];
    // Both replicas must issue tokens with the same issuer.
    const publicUrl = instance.baseUrl;
    const startReplica = (index: number) =>
      instance.startApi({ PORT: String(ports[index]), PUBLIC_URL: publicUrl });
    const replicas = [instance.api, startReplica(1)];
    const proxy = await RetryingProxy.start(ports);
    // From here on, requests go through the proxy.
    instance.env['PUBLIC_URL'] = proxy.url;
    try {
      const isReady = (port: number) =>
        fetch(`http://127.0.0.1:${port}/readyz`).then(
          ({ ok }) => ok,
          () => false,
        );
      await eventually('the replica', () => isReady(ports[1]!));
      const load = new SteadyLoad(50, mixedRequests(instance, customer), 25);
      await sleep(1_000);
      for (const index of [0, 1, 2]) {
        if (index < replicas.length) {
          expect(await replicas[index]!.stop('SIGTERM')).toBe(0);
          replicas[index] = startReplica(index);
          await eventually('the replica', () => isReady(ports[index]!));
        }
        expect(await instance.workers[index]!.stop('SIGTERM')).toBe(0);
        instance.startWorker();
        await sleep(500);
      }
      await sleep(1_000);
      const requests = await load.stop();
      const failed = history.exchanges.filter(({ response }) => !response || response.status >= 400);
      expect(
        failed.map(({ method, path, response, error }) => [method, path, response?.status, error]),
      ).toEqual([]);
      recordMeasurements({ requests, failed: failed.length });
      await history.check(ON_TIME);
    } finally {
      await proxy.stop();
    }
  });
});
