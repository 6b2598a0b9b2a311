import { Redis } from 'ioredis';
import { availableQueues, PASSWORD, TestInstance, type Queue } from '../support/test-instance.js';
import { eventually } from '../support/eventually.js';
import { Receiver, respondWithStatus } from '../support/receiver.js';
import { uniqueEmail } from '../support/unique-email.js';

let instance: TestInstance;
let receiver: Receiver;

function useInstance(queue: Queue = 'postgresql'): void {
  beforeAll(async () => {
    // All times are divided by 10, so workers poll for due retries every 100 ms.
    const workerEnv = {
      TIME_SCALE: '10',
      WEBHOOK_RETRY_SCHEDULE: '0s,3s,6s,0s,0s',
      WEBHOOK_TIMEOUT: '60s',
    };
    instance = await TestInstance.startShared({ queue, workerEnv });
  });
  beforeEach(async () => (receiver = await Receiver.start()));
  afterEach(async () => {
    await instance.sql(`UPDATE webhook_endpoints SET status = 'deleted'`);
    await receiver.stop();
  });
  afterAll(async () => instance?.stop());
}

it.each(availableQueues)(
  'a delivery is announced after the commit, so that no worker has to poll for it: %s',
  async (queue) => {
    const instanceWithoutWorker = await TestInstance.startShared({ queue, workers: 0 });
    const listener = await instanceWithoutWorker.db.connect();
    const redis = queue === 'redis' ? new Redis(instanceWithoutWorker.env['REDIS_URL']!) : null;
    try {
      const channels: string[] = [];
      listener.on('notification', ({ channel }) => channels.push(channel));
      await listener.query('LISTEN gatehouse_deliveries');
      await instanceWithoutWorker.createEndpoint('http://127.0.0.1:9/', ['customer.created']);
      await instanceWithoutWorker.register();
      const [delivery] = await instanceWithoutWorker.sql<{ id: string }>('SELECT id FROM deliveries');
      const isAnnounced = async () =>
        redis
          ? (await redis.keys(`gatehouse:*:deliveries:${delivery!.id}-1`)).length === 1
          : channels.length > 0;
      await eventually('the announcement', isAnnounced);
    } finally {
      redis?.disconnect();
      listener.release(true);
      await instanceWithoutWorker.stop();
    }
  },
);

describe.each(availableQueues)('delivery through %s', (queue) => {
  useInstance(queue);

  it('WH-08, WH-10: retries after two 500 responses on schedule, with the same id and new times', async () => {
    receiver.respondWith(respondWithStatus(500, 'first'), respondWithStatus(500, 'second'));
    const endpoint = await instance.createEndpoint(receiver.url, ['customer.created']);
    await instance.register();
    const attempts = await eventually('the delivery to finish', async () => {
      const found = await instance.listAttempts({ endpoint_id: endpoint.id });
      return found.length > 0 && found.every(({ delivery_state }) => delivery_state !== 'pending') && found;
    });
    expect(
      attempts.map(({ attempt, http_status, success, error, response_body }) => [
        attempt,
        http_status,
        success,
        error,
        response_body,
      ]),
    ).toEqual([
      [1, 500, false, 'http_error', 'first'],
      [2, 500, false, 'http_error', 'second'],
      [3, 200, true, null, 'ok'],
    ]);
    const [first, second, third] = receiver.requests.map(({ at }) => at) as [number, number, number];
    expect(second - first).toBeGreaterThanOrEqual(270);
    expect(third - second).toBeGreaterThanOrEqual(540);
    const ids = receiver.requests.flatMap(({ headers, event }) => [headers['webhook-id'], event.id]);
    expect(new Set(ids).size).toBe(1);
    expect(new Set(receiver.requests.map(({ body }) => body)).size).toBe(1);
    const signatures = new Set(receiver.requests.map(({ headers }) => headers['webhook-signature']));
    const timestamps = new Set(receiver.requests.map(({ headers }) => headers['webhook-timestamp']));
    expect(signatures.size).toBe(timestamps.size);
  });
});

describe('delivery', () => {
  useInstance();

  it('sends no traceparent without OTEL_EXPORTER_OTLP_ENDPOINT, even if the request has one', async () => {
    await instance.createEndpoint(receiver.url, ['customer.created']);
    const headers = {
      'x-publishable-key': instance.credentials.publishableKey,
      traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
    };
    const body = { email: uniqueEmail(), password: PASSWORD };
    await instance.request('POST', '/api/v1/auth/register', { body, headers });
    const [webhook] = await eventually(
      'the webhook',
      () => receiver.requests.length > 0 && receiver.requests,
    );
    expect(webhook!.headers).not.toHaveProperty('traceparent');
    expect(instance.api.log.filter((line) => 'trace_id' in line)).toEqual([]);
  });

  it('sends only the event types that an endpoint lists, and `*` excludes login.failed', async () => {
    const [all, customers, failures] = await Promise.all([0, 1, 2].map(() => Receiver.start()));
    await instance.createEndpoint(all!.url);
    await instance.createEndpoint(customers!.url, ['customer.*']);
    await instance.createEndpoint(failures!.url, ['login.failed']);
    const email = uniqueEmail();
    await instance.register(email);
    for (let attempts = 0; attempts < 3; attempts += 1) {
      await instance.login(email, 'wrong password');
    }
    await instance.login(email);
    await eventually('every event', () => all!.requests.length === 5);
    for (const each of [customers!, failures!]) await eventually('the event', () => each.requests.length > 0);
    expect(all!.requests.map(({ event }) => event.type).sort()).toEqual([
      'customer.created',
      'login.succeeded',
      'session.created',
      'session.created',
      'verification.requested',
    ]);
    expect(customers!.requests.map(({ event }) => event.type)).toEqual(['customer.created']);
    expect(failures!.requests.map(({ event }) => event.type)).toEqual(['login.failed']);
    await Promise.all([all, customers, failures].map((each) => each!.stop()));
  });
});
