import { Webhook } from 'standardwebhooks';
import { TestInstance } from '../support/test-instance.js';
import { eventually } from '../support/eventually.js';
import { Receiver, type ReceivedRequest } from '../support/receiver.js';

const base = '/v1/webhooks/endpoints';

/** Returns true if a receiver with this secret accepts the request. */
function accepts(secret: string, { body, headers }: ReceivedRequest): boolean {
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
}

let instance: TestInstance;
let receiver: Receiver;

beforeAll(async () => {
  // All times are divided by 10, so workers poll for due retries every 100 ms.
  const workerEnv = { TIME_SCALE: '10', WEBHOOK_RETRY_SCHEDULE: '0s,5s,5s,5s,5s', WEBHOOK_TIMEOUT: '60s' };
  instance = await TestInstance.startShared({ workerEnv });
});
beforeEach(async () => (receiver = await Receiver.start()));
afterEach(async () => {
  await instance.sql(`UPDATE webhook_endpoints SET status = 'deleted'`);
  await receiver.stop();
});
afterAll(async () => instance?.stop());

const postAction = (id: string, action: string) =>
  instance.requestWithSecretKey('POST', `${base}/${id}/${action}`);
const listAuditActions = async (id: string): Promise<string[]> =>
  (
    (await instance.requestWithSecretKey('GET', `/api/v1/audit-log?targetId=${id}`)).body.data as {
      action: string;
    }[]
  )
    .map(({ action }) => action)
    .reverse();
const sendTest = async (id: string): Promise<ReceivedRequest> => {
  const before = receiver.requests.length;
  expect((await postAction(id, 'test')).status).toBe(202);
  return eventually('a request', () => receiver.requests[before]);
};

describe('an action on an endpoint', () => {
  it('disables an endpoint with 25,000 pending deliveries: cancels all and sends none', async () => {
    const { id } = await instance.createEndpoint(receiver.url, ['session.revoked']);
    const { organizationId, projectId } = instance.credentials;
    await instance.sql(
      `WITH inserted AS (
         INSERT INTO events (id, organization_id, project_id, type, body, created_at)
         SELECT uuidv7(), $1, $2, 'session.revoked', '{"data":{}}', now() FROM generate_series(1, 25000) RETURNING id
       )
       INSERT INTO deliveries (id, organization_id, project_id, event_id, event_type, endpoint_id, target_url,
         next_attempt_at)
       SELECT uuidv7(), $1, $2, inserted.id, 'session.revoked', $3, $4, now() + interval '1 hour' FROM inserted`,
      [organizationId, projectId, id.slice(3), receiver.url],
    );
    expect((await postAction(id, 'disable')).status).toBe(200);
    // Makes the remaining deliveries due. They are locked first, in the same order as in the server.
    const client = await instance.db.connect();
    const pending = `endpoint_id = $1 AND state = 'pending'`;
    await client.query('BEGIN');
    await client.query(`SELECT FROM deliveries WHERE ${pending} ORDER BY id FOR NO KEY UPDATE`, [
      id.slice(3),
    ]);
    await client.query(`UPDATE deliveries SET next_attempt_at = now() WHERE ${pending}`, [id.slice(3)]);
    await client.query('COMMIT');
    client.release();
    await eventually('the cancellation of all deliveries', async () => {
      const states = await instance.sql(
        `SELECT count(*)::int AS count FROM deliveries WHERE endpoint_id = $1 AND state = 'cancelled'`,
        [id.slice(3)],
      );
      return states[0]!['count'] === 25_000;
    });
    expect(receiver.requests).toHaveLength(0);
    const [canceled] = await instance.sql('SELECT id FROM deliveries WHERE endpoint_id = $1 LIMIT 1', [
      id.slice(3),
    ]);
    const path = `/v1/webhooks/deliveries/dlv_${canceled!['id']}`;
    expect((await instance.requestWithSecretKey('GET', path)).body.data).toMatchObject({
      ...{ state: 'cancelled', cancel_reason: 'endpoint_inactive' },
    });
  });

  it('ignores a repeated enable or disable, and reports only changes', async () => {
    const watcher = await instance.createEndpoint(receiver.url, ['webhook.endpoint_disabled']);
    const { id } = await instance.createEndpoint(receiver.url, ['webhook.*', '*']);
    const enabled = await postAction(id, 'enable');
    expect(enabled).toMatchObject({ status: 200, body: { data: { status: 'enabled' } } });
    const first = await postAction(id, 'disable');
    expect(first.body.data).toMatchObject({ id, status: 'disabled', disabled_reason: 'manual' });
    expect((await postAction(id, 'test')).body.code).toBe('endpoint_disabled');
    const second = await postAction(id, 'disable');
    expect(second).toMatchObject({ status: 200, body: first.body });
    for (let times = 0; times < 2; times += 1) {
      const again = await postAction(id, 'enable');
      expect(again).toMatchObject({
        status: 200,
        body: { data: { status: 'enabled', disabled_reason: null } },
      });
    }
    expect(await listAuditActions(id)).toEqual([
      'webhook_endpoint.created',
      'webhook_endpoint.disabled',
      'webhook_endpoint.enabled',
    ]);
    const notification = await eventually(
      'the event',
      () => receiver.listByType('webhook.endpoint_disabled')[0],
    );
    expect(notification.event).toMatchObject({
      project_id: instance.credentials.projectId,
      data: { endpoint: first.body.data },
    });
    expect(accepts(watcher.secret, notification)).toBe(true);
    expect(receiver.listByType('webhook.endpoint_disabled')).toHaveLength(1);
  });

  it('WH-09: signs with both secrets for 24 h, and a second rotation drops the oldest', async () => {
    const { id, secret: oldest } = await instance.createEndpoint(receiver.url);
    const rotate = async (): Promise<string> => {
      const { status, body } = await postAction(id, 'rotate-secret');
      expect(status).toBe(200);
      expect(body.data).toEqual({
        ...(await instance.requestWithSecretKey('GET', `${base}/${id}`)).body.data,
        secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
      });
      return body.data.secret;
    };
    const first = await sendTest(id);
    expect(accepts(oldest, first)).toBe(true);
    expect((first.headers['webhook-signature'] as string).split(' ')).toHaveLength(1);

    const newer = await rotate();
    const second = await sendTest(id);
    expect([oldest, newer].map((secret) => accepts(secret, second))).toEqual([true, true]);
    const signatures = (second.headers['webhook-signature'] as string).split(' ');
    const newestOnly = { ...second.headers, 'webhook-signature': signatures[0]! };
    expect(signatures).toHaveLength(2);
    expect(accepts(newer, { ...second, headers: newestOnly })).toBe(true);
    expect(accepts(oldest, { ...second, headers: newestOnly })).toBe(false);

    const newest = await rotate();
    const third = await sendTest(id);
    expect([oldest, newer, newest].map((secret) => accepts(secret, third))).toEqual([false, true, true]);

    const rows = await instance.sql(
      `SELECT round(extract(epoch FROM previous_secret_until - now()) / 3600)::int AS hours
       FROM webhook_endpoints WHERE id = $1`,
      [id.slice(3)],
    );
    expect(rows).toEqual([{ hours: 24 }]);
    await instance.sql(`UPDATE webhook_endpoints SET previous_secret_until = now() WHERE id = $1`, [
      id.slice(3),
    ]);
    const fourth = await sendTest(id);
    expect([newer, newest].map((secret) => accepts(secret, fourth))).toEqual([false, true]);
    const [row] = await instance.sql('SELECT w::text AS line FROM webhook_endpoints w WHERE id = $1', [
      id.slice(3),
    ]);
    for (const secret of [oldest, newer, newest])
      expect(row!['line']).not.toContain(Buffer.from(secret).toString('hex'));
  });

  it('WH-07, WH-08: retries with the same id and bytes after a rotation, with both secrets', async () => {
    let fail: (() => void) | undefined;
    receiver.respondWith((response) => (fail = () => response.writeHead(500).end()));
    const { id, secret } = await instance.createEndpoint(receiver.url, ['customer.created']);
    await instance.register();
    const failFirst = await eventually('the first attempt', () => fail);
    const rotated = (await postAction(id, 'rotate-secret')).body.data.secret as string;
    failFirst();
    const [first, second] = await eventually(
      'the retry',
      () => receiver.requests.length === 2 && receiver.requests,
    );
    expect(second!.headers['webhook-id']).toBe(first!.headers['webhook-id']);
    expect(second!.body).toBe(first!.body);
    expect([secret, rotated].map((each) => accepts(each, first!))).toEqual([true, false]);
    expect([secret, rotated].map((each) => accepts(each, second!))).toEqual([true, true]);
  });

  it('sends a test only to this endpoint, whatever its event types, and returns the delivery', async () => {
    const other = await Receiver.start();
    await instance.createEndpoint(other.url, ['webhook.test', 'webhook.*', '*']);
    const { id, secret } = await instance.createEndpoint(receiver.url, ['project.archived']);
    const response = await postAction(id, 'test');
    expect(response).toMatchObject({
      status: 202,
      body: { data: { event: 'webhook.test', endpoint_id: id } },
    });
    const request = await eventually('the test', () => receiver.requests[0]);
    expect(accepts(secret, request)).toBe(true);
    expect(request.event).toMatchObject({
      id: response.body.data.event_id,
      type: 'webhook.test',
      data: { endpoint: (await instance.requestWithSecretKey('GET', `${base}/${id}`)).body.data },
    });

    const organizationEndpoint = await instance.createEndpoint(receiver.url, ['project.created'], {
      level: 'organization',
    });
    expect((await sendTest(organizationEndpoint.id)).event).toMatchObject({
      project_id: null,
      organization_id: instance.credentials.organizationId,
      data: { endpoint: { level: 'organization', project_id: null } },
    });
    expect(other.requests).toEqual([]);
    await other.stop();
  });
});
