import { eventually } from '../support/eventually.js';
import { availableQueues, TestInstance, type Queue } from '../support/test-instance.js';
import { Receiver } from '../support/receiver.js';

/** More deliveries than one statement claims (200). */
const MANY = 300;
const CONCURRENCY = 20;

const workerEnv = { WEBHOOK_CONCURRENCY: String(CONCURRENCY), WEBHOOK_TIMEOUT: '60s' };

let instance: TestInstance;
let hanging: Receiver;
let responsive: Receiver;

function useInstance(queue: Queue = 'postgresql'): void {
  beforeEach(async () => {
    instance = await TestInstance.startShared({ queue, workers: 0 });
    [hanging, responsive] = [await Receiver.start(), await Receiver.start()];
    hanging.defaultResponder = () => undefined;
  });
  afterEach(async () => {
    // Receivers stop first, because a worker waits for requests in progress.
    await Promise.all([hanging?.stop(), responsive?.stop()]);
    await instance?.stop();
  });
}

/**
 * Inserts deliveries that have been due for a minute. `urgency` is 0 for first attempts, 1 for retries and 2 for
 * batches.
 */
async function seed({ id }: { id: string }, urgency = 0, count = MANY): Promise<void> {
  const { organizationId, projectId } = instance.credentials;
  await instance.sql(
    `WITH inserted AS (
       INSERT INTO events (id, organization_id, project_id, type, body, created_at)
       SELECT uuidv7(), $1, $2, 'session.revoked', format('{"data":{},"urgency":%s}', $5::int), now()
       FROM generate_series(1, $3::int) RETURNING id
     )
     INSERT INTO deliveries (id, organization_id, project_id, event_id, event_type, endpoint_id, target_url, urgency,
       attempt, next_attempt_at)
     SELECT uuidv7(), $1, $2, inserted.id, 'session.revoked', w.id, w.url, $5::int,
       CASE $5::int WHEN 1 THEN 1 ELSE 0 END, now() - interval '1 minute'
     FROM inserted, webhook_endpoints w WHERE w.id = $4`,
    [organizationId, projectId, count, id.slice(3), urgency],
  );
}

describe.each(availableQueues)('WH-13: fairness of deliveries through %s', (queue) => {
  useInstance(queue);

  it('limits a hanging endpoint to a quarter of the capacity, without delaying others', async () => {
    await seed(await instance.createEndpoint(hanging.url, ['session.revoked']));
    await instance.createEndpoint(responsive.url, ['customer.created']);
    instance.startWorker(workerEnv);
    await eventually('its share of the capacity', () => hanging.requests.length === CONCURRENCY / 4);
    const registered = await instance.register();
    const event = await eventually('the event of the other endpoint', () => responsive.requests[0]);
    expect(event.body).toContain(registered.body.customer.id);
    expect(hanging.requests).toHaveLength(CONCURRENCY / 4);
  });
});

describe('WH-13: fairness', () => {
  useInstance();

  it('reserves a quarter of the capacity for others if the endpoints of a project hang', async () => {
    for (let count = 0; count < 6; count += 1) {
      await seed(await instance.createEndpoint(hanging.url, ['session.revoked']), 0, 20);
    }
    const { body } = await instance.requestWithSecretKey('POST', '/api/v1/projects', {
      name: 'Other',
      slug: 'other',
    });
    await instance.requestWithSecretKey('POST', '/v1/webhooks/endpoints', {
      url: responsive.url,
      project_id: body.id,
      events: ['customer.created'],
    });
    instance.startWorker(workerEnv);
    await eventually('the capacity of the project', () => hanging.requests.length === (CONCURRENCY * 3) / 4);
    await instance.requestWithSecretKey('POST', '/api/v1/customers', {
      email: 'other@example.com',
      projectId: body.id,
    });
    await eventually('the event of the other endpoint', () => responsive.requests.length === 1);
    expect(hanging.requests).toHaveLength((CONCURRENCY * 3) / 4);
  });

  it('sends first attempts before retries, and retries before batches, and delivers them all', async () => {
    const endpoint = await instance.createEndpoint(responsive.url, ['session.revoked']);
    for (const urgency of [2, 1, 0]) await seed(endpoint, urgency, 30);
    instance.startWorker(workerEnv);
    await eventually('all 90 requests', () => responsive.requests.length === 90);
    const order = responsive.requests.map(({ body }) => (JSON.parse(body) as { urgency: number }).urgency);
    const [first, retry, batch] = [0, 1, 2].map((urgency) =>
      order.reduce((sum, each, position) => sum + (each === urgency ? position : 0), 0),
    );
    expect(first).toBeLessThan(retry!);
    expect(retry).toBeLessThan(batch!);
  });
});
