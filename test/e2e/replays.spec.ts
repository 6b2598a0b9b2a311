import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { commitWhenOthersWait } from '../support/with-concurrent-change.js';
import { eventually } from '../support/eventually.js';
import { insertOperator, signIn, type OperatorClient } from '../support/operator-client.js';
import { Receiver, respondWithStatus } from '../support/receiver.js';
import { TestInstance } from '../support/test-instance.js';
import { uniqueEmail } from '../support/unique-email.js';

let instance: TestInstance;
let receiver: Receiver;
/** The receiver at a developer's URL. */
let other: Receiver;
let admin: OperatorClient;
beforeAll(async () => {
  [receiver, other] = await Promise.all([Receiver.start(), Receiver.start()]);
  instance = await TestInstance.startShared();
  admin = await signIn(instance);
});
afterEach(() => instance.sql(`UPDATE webhook_endpoints SET status = 'deleted'`));
afterAll(async () => {
  await instance?.stop();
  await Promise.all([receiver?.stop(), other?.stop()]);
});

const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

const replay = (deliveryId: string, body: object, operator = admin) =>
  operator.request('POST', `/webhooks/deliveries/${deliveryId}/replay`, body);

const listReplays = async (query: string) =>
  (await admin.request('GET', `/webhooks/replays?${query}`)).body.data as Record<string, any>[];

/** Waits until a delivery's replays have all finished, and returns them. */
const finishedReplays = (deliveryId: string) =>
  eventually('the replays to finish', async () => {
    const replays = await listReplays(`delivery_id=${deliveryId}`);
    return replays.every(({ state }) => state !== 'pending') && replays;
  });

/** Delivers a customer registration to a new endpoint. */
async function deliver() {
  const headers = { authorization: 'Bearer topsecretvalue' };
  const { body } = await instance.requestWithSecretKey('POST', '/v1/webhooks/endpoints', {
    ...{ url: receiver.url, events: ['customer.created'], headers },
  });
  const endpointId = body.data.id as string;
  const before = receiver.requests.length;
  const { customer } = (await instance.register(uniqueEmail())).body;
  const request = await eventually('the delivery', () => receiver.requests[before]);
  const path = `/v1/webhooks/deliveries?endpoint_id=${endpointId}`;
  const [attempt] = await eventually('the attempt', async () => {
    const { data } = (await instance.requestWithSecretKey('GET', path)).body;
    return data.length > 0 && data;
  });
  return { endpointId, deliveryId: attempt.delivery_id as string, customerId: customer.id, request };
}

describe('a replay to another URL', () => {
  it('sends the same event once, signed with the given secret and without custom headers', async () => {
    const { endpointId, deliveryId, request } = await deliver();
    const path = `/v1/webhooks/deliveries/${deliveryId}`;
    const delivery = (await instance.requestWithSecretKey('GET', path)).body.data;
    await instance.requestWithSecretKey('POST', `/v1/webhooks/endpoints/${endpointId}/disable`);
    other.respondWith(respondWithStatus(500, 'not today'));
    const secret = newSecret();
    const url = `${other.url}?token=topsecrettoken`;
    const created = await replay(deliveryId, { url, secret, reason: 'Debugging' });
    expect(created).toMatchObject({
      status: 201,
      body: { data: { delivery_id: deliveryId, url, state: 'pending', http_status: null } },
    });

    const [finished] = await finishedReplays(deliveryId);
    expect(finished).toMatchObject({
      id: created.body.data.id,
      event: 'customer.created',
      endpoint_id: endpointId,
      state: 'failed',
      http_status: 500,
      error: 'http_error',
      response_body: 'not today',
      created_by_name: admin.operator.email,
    });
    expect(await listReplays(`endpoint_id=${endpointId}`)).toEqual([finished]);
    const [received, ...more] = other.requests.splice(0);
    expect(more).toEqual([]);
    expect([received!.body, received!.headers['webhook-id']]).toEqual([
      request.body,
      request.headers['webhook-id'],
    ]);
    expect(received!.headers['authorization']).toBeUndefined();
    new Webhook(secret).verify(received!.body, received!.headers as Record<string, string>);

    // The delivery, its endpoint and their metrics do not change.
    expect((await instance.requestWithSecretKey('GET', path)).body.data).toEqual(delivery);
    const metrics = await admin.request('GET', `/webhooks/endpoints/${endpointId}/metrics`);
    expect(metrics.body.data.totals).toMatchObject({ attempts: 1, failed: 0 });
    const [entry] = await instance.sql(
      `SELECT actor_id, details FROM audit_log WHERE action = 'webhook_delivery.replayed' AND target_id = $1`,
      [deliveryId],
    );
    expect(entry).toEqual({
      actor_id: admin.operator.id,
      details: { origin: new URL(url).origin, reason: 'Debugging' },
    });
    const stored = await instance.sql('SELECT secret FROM webhook_replays WHERE id = $1', [finished!['id']]);
    expect(stored).toEqual([{ secret: null }]);
  });

  it('requires an admin, a permitted URL, a signing secret and a delivery', async () => {
    const { deliveryId } = await deliver();
    const valid = { url: other.url, secret: newSecret() };
    const operator = await insertOperator(instance, 'operator');
    expect((await replay(deliveryId, valid, operator)).status).toBe(403);
    for (const [invalid, field] of [
      [{ url: 'http://169.254.169.254/' }, 'url'],
      [{ url: 'ftp://example.com/' }, 'url'],
      [{ url: undefined }, 'url'],
      [{ secret: 'whsec_short' }, 'secret'],
      [{ secret: undefined }, 'secret'],
    ] as const) {
      const { status, body } = await replay(deliveryId, { ...valid, ...invalid });
      expect([invalid, status, body.errors?.[0]?.field]).toEqual([invalid, 400, field]);
    }
    expect((await replay(deliveryId.replace(/.{12}$/, '0'.repeat(12)), valid)).status).toBe(404);
    expect(await listReplays(`delivery_id=${deliveryId}`)).toEqual([]);
  });

  it('fails, is canceled or loses its response once the customer is deleted', async () => {
    const { deliveryId, customerId } = await deliver();
    const body = { url: other.url, secret: newSecret() };
    other.respondWith(respondWithStatus(200, 'Hello'));
    await replay(deliveryId, body);
    await finishedReplays(deliveryId);
    // Inserts a replay that the worker has not started yet.
    await instance.sql(
      `INSERT INTO webhook_replays (id, organization_id, project_id, delivery_id, event_id, endpoint_id, url, secret, created_by, started_at)
       SELECT gen_random_uuid(), organization_id, project_id, delivery_id, event_id, endpoint_id, url, 'x', created_by, 'infinity'
       FROM webhook_replays WHERE delivery_id = $1`,
      [deliveryId.slice('dlv_'.length)],
    );
    await instance.requestWithSecretKey('DELETE', `/api/v1/customers/${customerId}`);
    await instance.sql(`UPDATE webhook_replays SET started_at = NULL WHERE started_at = 'infinity'`);
    const replays = await finishedReplays(deliveryId);
    expect(replays.map(({ state }) => state).sort()).toEqual(['cancelled', 'succeeded']);
    const stored = await instance.sql(
      `SELECT coalesce(response_body, '') AS body, secret FROM webhook_replays WHERE delivery_id = $1`,
      [deliveryId.slice('dlv_'.length)],
    );
    expect(stored).toEqual([
      { body: '', secret: null },
      { body: '', secret: null },
    ]);
    expect(await replay(deliveryId, body)).toMatchObject({ status: 409, body: { code: 'payload_erased' } });
  });

  it('does not store the response if the customer is deleted before the outcome is recorded', async () => {
    const { deliveryId, customerId } = await deliver();
    const holder = await instance.db.connect();
    await holder.query('BEGIN');
    let respond = (): void => undefined;
    other.respondWith((response) => {
      respond = () => void response.end('Hello');
    });
    const before = other.requests.length;
    await replay(deliveryId, { url: other.url, secret: newSecret() });
    await eventually('the replay', () => other.requests[before]);
    await holder.query('DELETE FROM customers WHERE id = $1', [customerId]);
    respond();
    await commitWhenOthersWait(holder, 1);
    holder.release();
    await finishedReplays(deliveryId);
    const id = deliveryId.slice('dlv_'.length);
    expect(
      await instance.sql('SELECT response_body AS body FROM webhook_replays WHERE delivery_id = $1', [id]),
    ).toEqual([{ body: '' }]);
  });

  it('is rejected while 100 other replays of the project are unfinished', async () => {
    const { deliveryId } = await deliver();
    const body = { url: other.url, secret: newSecret() };
    await replay(deliveryId, body);
    await finishedReplays(deliveryId);
    const id = deliveryId.slice('dlv_'.length);
    await instance.sql(
      `INSERT INTO webhook_replays (id, organization_id, project_id, delivery_id, event_id, endpoint_id, url, created_by, started_at)
       SELECT gen_random_uuid(), organization_id, project_id, delivery_id, event_id, endpoint_id, url, created_by, now()
       FROM webhook_replays CROSS JOIN generate_series(1, 100) WHERE delivery_id = $1`,
      [id],
    );
    expect(await replay(deliveryId, body)).toMatchObject({ status: 409, body: { code: 'conflict' } });
    await instance.sql('DELETE FROM webhook_replays WHERE delivery_id = $1 AND finished_at IS NULL', [id]);
    expect((await replay(deliveryId, body)).status).toBe(201);
  });

  it('ends as lost if its worker has not recorded an outcome within the lease', async () => {
    const { deliveryId } = await deliver();
    await replay(deliveryId, { url: other.url, secret: newSecret() });
    await finishedReplays(deliveryId);
    await instance.sql(
      `UPDATE webhook_replays SET finished_at = NULL, success = NULL, lease_until = now() WHERE delivery_id = $1`,
      [deliveryId.slice('dlv_'.length)],
    );
    const [lost] = await finishedReplays(deliveryId);
    expect(lost).toMatchObject({ state: 'failed', http_status: 0, error: 'worker_lost' });
  });
});
