import { eventually } from '../support/eventually.js';
import { availableQueues, TestInstance, type Queue } from '../support/test-instance.js';
import { Receiver } from '../support/receiver.js';

/** More than one statement claims (200). */
const MANY = 300;
const CONCURRENCY = 20;

const workerEnv = { WEBHOOK_CONCURRENCY: String(CONCURRENCY), WEBHOOK_TIMEOUT: '60s' };

let instance: TestInstance;
let hanging: Receiver;
let behaved: Receiver;

function live(queue: Queue = 'postgresql'): void {
  beforeEach(async () => {
    instance = await TestInstance.startShared({ queue, workers: 0 });
    [hanging, behaved] = [await Receiver.start(), await Receiver.start()];
    hanging.defaultResponder = () => undefined;
  });
  afterEach(async () => {
    // First what hangs: a worker would wait for it.
    await Promise.all([hanging?.stop(), behaved?.stop()]);
    await instance?.stop();
  });
}

/** Deliveries that have been due for a minute. `urgency` 0: first attempts, 1: retries, 2: of a batch. */
async function seed({ id }: { id: string }, urgency = 0, count = MANY): Promise<void> {
  const { organizationId, projectId } = instance.credentials;
  await instance.sql(
    `WITH made AS (
       INSERT INTO events (id, organization_id, project_id, type, body, created_at)
       SELECT uuidv7(), $1, $2, 'session.revoked', format('{"data":{},"urgency":%s}', $5::int), now()
       FROM generate_series(1, $3::int) RETURNING id
     )
     INSERT INTO deliveries (id, organization_id, project_id, event_id, event_type, endpoint_id, target_url, urgency,
       attempt, next_attempt_at)
     SELECT uuidv7(), $1, $2, made.id, 'session.revoked', w.id, w.url, $5::int,
       CASE $5::int WHEN 1 THEN 1 ELSE 0 END, now() - interval '1 minute'
     FROM made, webhook_endpoints w WHERE w.id = $4`,
    [organizationId, projectId, count, id.slice(3), urgency],
  );
}

describe.each(availableQueues)('fairness, deliveries carried by %s (WH-13)', (queue) => {
  live(queue);

  it('an endpoint that hangs holds a quarter of the room, and no other waits for it', async () => {
    await seed(await instance.createEndpoint(hanging.url, ['session.revoked']));
    await instance.createEndpoint(behaved.url, ['customer.created']);
    instance.startWorker(workerEnv);
    await eventually('its share of the room', () => hanging.requests.length === CONCURRENCY / 4);
    const registered = await instance.register();
    const event = await eventually('the event of the other', () => behaved.requests[0]);
    expect(event.body).toContain(registered.body.customer.id);
    expect(hanging.requests).toHaveLength(CONCURRENCY / 4);
  });
});

describe('fairness (WH-13)', () => {
  live();

  it('a project of endpoints that hang leaves a quarter to the others', async () => {
    for (let nth = 0; nth < 6; nth += 1) {
      await seed(await instance.createEndpoint(hanging.url, ['session.revoked']), 0, 20);
    }
    const { body } = await instance.requestWithSecretKey('POST', '/api/v1/projects', {
      name: 'Other',
      slug: 'other',
    });
    await instance.requestWithSecretKey('POST', '/v1/webhooks/endpoints', {
      url: behaved.url,
      project_id: body.id,
      events: ['customer.created'],
    });
    instance.startWorker(workerEnv);
    await eventually('the room of the project', () => hanging.requests.length === (CONCURRENCY * 3) / 4);
    await instance.requestWithSecretKey('POST', '/api/v1/customers', {
      email: 'other@example.com',
      projectId: body.id,
    });
    await eventually('the event of the other', () => behaved.requests.length === 1);
    expect(hanging.requests).toHaveLength((CONCURRENCY * 3) / 4);
  });

  it('first attempts go before retries, and retries before batches; all of them arrive', async () => {
    const endpoint = await instance.createEndpoint(behaved.url, ['session.revoked']);
    for (const urgency of [2, 1, 0]) await seed(endpoint, urgency, 30);
    instance.startWorker(workerEnv);
    await eventually('all of them', () => behaved.requests.length === 90);
    const order = behaved.requests.map(({ body }) => (JSON.parse(body) as { urgency: number }).urgency);
    const [first, retry, batch] = [0, 1, 2].map((urgency) =>
      order.reduce((sum, each, place) => sum + (each === urgency ? place : 0), 0),
    );
    expect(first).toBeLessThan(retry!);
    expect(retry).toBeLessThan(batch!);
  });
});
