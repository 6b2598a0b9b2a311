import { eventually } from '../support/eventually.js';
import { waitForFeed } from '../support/wait-for-feed.js';
import { TestInstance } from '../support/test-instance.js';
import { Receiver, respondWithStatus } from '../support/receiver.js';
import { insertProject } from '../support/tenants.js';

const base = '/v1/webhooks/endpoints';

/** Settings with which workers poll for due retries every 100 ms. */
const workerEnv = {
  TIME_SCALE: '10',
  PERIODIC_JOBS: 'off',
  WEBHOOK_TIMEOUT: '60s',
  WEBHOOK_RETRY_SCHEDULE: '0s,0s,0s,0s,0s',
};

let instance: TestInstance;
let failing: Receiver;
let watcher: Receiver;
beforeAll(async () => {
  instance = await TestInstance.startShared({ workerEnv });
});
beforeEach(async () => {
  [failing, watcher] = [await Receiver.start(), await Receiver.start()];
  failing.defaultResponder = respondWithStatus(500);
});
afterEach(async () => {
  await instance.sql(`UPDATE webhook_endpoints SET status = 'deleted'`);
  await Promise.all([failing.stop(), watcher.stop()]);
});
afterAll(async () => instance?.stop());

const create = async (body: object): Promise<string> =>
  (await instance.requestWithSecretKey('POST', base, body)).body.data.id as string;
const deadLetters = async (id: string): Promise<string[]> => {
  const rows = await instance.sql<{ id: string }>(
    `SELECT 'dlv_' || id AS id FROM deliveries WHERE endpoint_id = $1 AND state = 'failed' ORDER BY 1`,
    [id.slice(3)],
  );
  return rows.map((row) => row.id);
};
const expectAllNotified = async () =>
  expect(await instance.sql('SELECT FROM deliveries WHERE untold')).toEqual([]);
/** Returns the dead letter ids in the received events. */
const notifiedIds = (): string[] =>
  watcher.requests.map(({ event }) => (event.data['delivery'] as { id: string }).id).sort();
/** Runs every worker's dead letter notifier at the same time. */
const notifyDeadLetters = () =>
  Promise.all(
    instance.workers
      .filter(({ isRunning }) => isRunning)
      .map((worker) => worker.runJob('DeadLetterNotifier')),
  );
/** Waits until no delivery is pending, so that no more requests follow. */
const waitUntilIdle = () =>
  eventually(
    'the end of all deliveries',
    async () => (await instance.sql(`SELECT FROM deliveries WHERE state = 'pending'`)).length === 0,
  );
/** Returns the number of events of a type. */
const count = async (type: string): Promise<number> =>
  (await instance.sql('SELECT id FROM events WHERE type = $1', [type])).length;

describe('webhook.dead_lettered', () => {
  it('reaches subscribed endpoints once per dead letter, but not the failed endpoint', async () => {
    const before = await count('webhook.dead_lettered');
    const id = await create({ url: failing.url, events: ['customer.created', 'webhook.*'] });
    await create({ url: watcher.url, events: ['webhook.dead_lettered'] });
    const everything = await Receiver.start();
    await create({ url: everything.url, events: ['*'] });
    await instance.register();
    await instance.register();
    await waitUntilIdle();
    await notifyDeadLetters();
    await waitUntilIdle();
    expect(notifiedIds()).toEqual(await deadLetters(id));
    const [{ event }] = watcher.requests as [(typeof watcher.requests)[0]];
    const delivery = event.data['delivery'] as { id: string };
    const shown = (await instance.requestWithSecretKey('GET', `/v1/webhooks/deliveries/${delivery.id}`)).body
      .data;
    expect(event).toMatchObject({
      type: 'webhook.dead_lettered',
      project_id: instance.credentials.projectId,
      data: { endpoint: (await instance.requestWithSecretKey('GET', `${base}/${id}`)).body.data },
    });
    expect(delivery).toEqual({
      ...Object.fromEntries(Object.keys(delivery).map((key) => [key, shown[key]])),
      attempts: 5,
      last_http_status: 500,
      last_error: 'http_error',
    });
    await notifyDeadLetters();
    await waitUntilIdle();
    expect(watcher.requests).toHaveLength(2);
    expect(await count('webhook.dead_lettered')).toBe(before + 2);
    for (const receiver of [failing, everything])
      expect(receiver.requests.filter((request) => request.event.type.startsWith('webhook.'))).toEqual([]);
    await everything.stop();
  });

  it('is not sent about the dead letter of a webhook event, so that events do not multiply', async () => {
    const before = await count('webhook.dead_lettered');
    const id = await create({ url: failing.url, events: ['*', 'webhook.*'] });
    const other = await create({ url: failing.url, events: ['webhook.*'] });
    await instance.requestWithSecretKey('POST', `${base}/${id}/test`);
    await waitUntilIdle();
    await notifyDeadLetters();
    expect(await deadLetters(id)).toHaveLength(1);
    expect(await count('webhook.dead_lettered')).toBe(before);
    await instance.requestWithSecretKey('POST', '/api/v1/customers', {
      email: `storm-${Date.now()}@example.com`,
    });
    for (let round = 0; round < 3; round += 1) {
      await waitUntilIdle();
      await notifyDeadLetters();
    }
    await waitUntilIdle();
    const customerDeliveries = await instance.sql(
      `SELECT id FROM deliveries WHERE endpoint_id = $1 AND event_type NOT LIKE 'webhook.%'`,
      [id.slice(3)],
    );
    expect(customerDeliveries.length).toBeGreaterThan(0);
    // There is one event for each delivery of a customer event. There is none for the test event, or for events that
    // failed at the other endpoint.
    expect(await count('webhook.dead_lettered')).toBe(before + customerDeliveries.length);
    expect(await deadLetters(other)).toHaveLength(customerDeliveries.length);
    await expectAllNotified();
  });

  it('stays at organization level for an organization endpoint', async () => {
    const { projectId, secretKey } = await insertProject(instance, instance.credentials.organizationId);
    await create({ url: failing.url, level: 'organization', events: ['customer.created'] });
    await create({ url: watcher.url, project_id: projectId, events: ['webhook.*'] });
    const organizationReceiver = await Receiver.start();
    await create({ url: organizationReceiver.url, level: 'organization', events: ['webhook.*'] });
    const headers = { authorization: `Bearer ${secretKey}` };
    await instance.request('POST', '/api/v1/customers', { headers, body: { email: 'heard@example.com' } });
    await waitUntilIdle();
    await notifyDeadLetters();
    await waitUntilIdle();
    const [notification] = organizationReceiver.requests;
    expect(notification!.event).toMatchObject({
      project_id: null,
      data: { delivery: { project_id: projectId } },
    });
    await waitForFeed(instance);
    const { body } = await instance.request('GET', '/v1/events', { headers });
    expect(body.data).toMatchObject([{ type: 'customer.created' }]);
    expect(watcher.requests).toEqual([]);
    await organizationReceiver.stop();
  });

  it('survives a crash of the worker that recorded the last outcome, and is sent once', async () => {
    const id = await create({ url: failing.url, events: ['customer.created'] });
    await create({ url: watcher.url, events: ['webhook.dead_lettered'] });
    for (const worker of instance.workers) await worker.stop('SIGKILL');
    const before = await count('webhook.dead_lettered');
    for (let index = 0; index < 30; index += 1) await instance.register();
    // Simulates a worker that crashed between recording the outcome and creating the event.
    await instance.sql(
      `UPDATE deliveries SET state = 'failed', attempt = 5, next_attempt_at = NULL, finished_at = now(), untold = true,
         last_http_status = 0, last_error = 'worker_lost' WHERE endpoint_id = $1`,
      [id.slice(3)],
    );
    instance.startWorker(workerEnv);
    instance.startWorker(workerEnv);
    await instance.waitUntilReady();
    await notifyDeadLetters();
    await notifyDeadLetters();
    await waitUntilIdle();
    expect(notifiedIds()).toEqual(await deadLetters(id));
    expect(new Set(notifiedIds()).size).toBe(30);
    expect(await count('webhook.dead_lettered')).toBe(before + 30);
    await expectAllNotified();
  });
});
