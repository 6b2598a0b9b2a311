import { randomUUID } from 'node:crypto';
import { expectStatus } from '../support/customers.js';
import { eventually } from '../support/eventually.js';
import { waitForFeed } from '../support/wait-for-feed.js';
import { TestInstance, PASSWORD, bearerHeader, type TestResponse } from '../support/test-instance.js';
import { retryWhileRejected } from '../support/retry-while-rejected.js';
import { Receiver, respondWithStatus } from '../support/receiver.js';
import { dumpTables } from '../support/dump-tables.js';
import { uniqueEmail } from '../support/unique-email.js';

let instance: TestInstance;
let receiver: Receiver;
beforeAll(async () => {
  [instance, receiver] = [await TestInstance.startShared(), await Receiver.start()];
  await instance.createEndpoint(receiver.url);
});
afterAll(async () => {
  await instance?.stop();
  await receiver?.stop();
});

const create = async (body: Record<string, unknown> = {}): Promise<Record<string, any>> => {
  const email = uniqueEmail();
  const request = () => instance.requestWithSecretKey('POST', '/api/v1/customers', { email, ...body });
  return expectStatus(201, await retryWhileRejected(request)).body;
};
const remove = (id: string): Promise<TestResponse> =>
  instance.requestWithSecretKey('DELETE', `/api/v1/customers/${id}`);
const withIdempotencyKey = (path: string, key: string, body?: unknown): Promise<TestResponse> =>
  instance.request('POST', path, {
    body,
    headers: { ...bearerHeader(instance.credentials.secretKey), 'idempotency-key': key },
  });

/** The attempt that carried the first event of a type about a customer, once it is in the log. */
const attemptAbout = (customerId: string, type: string): Promise<Record<string, any>> =>
  eventually(`an attempt of ${type}`, async () => {
    const [row] = await instance.sql<{ id: string }>(
      `SELECT a.id FROM attempts a JOIN events e ON e.id = a.event_id WHERE e.body LIKE '%' || $1 || '%' AND e.type = $2`,
      [customerId, type],
    );
    if (!row) return null;
    const { body } = await instance.requestWithSecretKey('GET', `/v1/webhooks/deliveries/att_${row.id}`);
    return body.data as Record<string, any>;
  });

/** Stores events of a customer. The select gives (id, body) of n. */
const insertEvents = ({ id, projectId }: Record<string, any>, count: number, select: string) =>
  instance.sql(
    `INSERT INTO events (organization_id, project_id, customer_id, type, created_at, id, body)
     SELECT $1, $2, $3, 'login.succeeded', '2026-01-01'::timestamptz, ${select} FROM generate_series(1, $4) n`,
    [instance.credentials.organizationId, projectId, id, count],
  );

describe('a deleted customer', () => {
  it('leaves nothing in the database but the id', async () => {
    const [firstName, lastName, externalId] = ['Ottoline', 'Quibblesworth', `crm-${randomUUID()}`];
    const [remark, answered] = ['a private remark', 'answered by the target'];
    receiver.defaultResponder = (response, { event }) =>
      void response.end(event.type === 'customer.deleted' ? 'ok' : answered);
    const email = uniqueEmail();
    const secrets = [firstName, lastName, externalId, remark, answered, email];
    const { body } = await instance.register(email, { firstName, lastName });
    const { id } = body.customer;
    const key = randomUUID();
    await withIdempotencyKey(`/api/v1/customers/${id}/enable`, key);
    await instance.requestWithSecretKey('PATCH', `/api/v1/customers/${id}`, {
      metadata: { remark },
      externalId,
    });
    await instance.requestWithPublishableKey('POST', '/api/v1/auth/forgot-password', { email });
    await instance.requestWithPublishableKey('POST', '/api/v1/auth/login', { email, password: PASSWORD });
    await attemptAbout(id, 'login.succeeded');
    await withIdempotencyKey(
      `/v1/webhooks/deliveries/${(await attemptAbout(id, 'customer.updated'))['id']}/redeliver`,
      key,
    );
    await instance.requestWithSecretKey('PATCH', `/api/v1/customers/${id}`, { externalId: null });
    const before = await dumpTables(instance);
    for (const secret of secrets) expect(before).toContain(secret);

    expect((await remove(id)).status).toBe(204);
    await eventually('the deletion', () =>
      receiver.listByType('customer.deleted').some(({ body: sent }) => sent.includes(id)),
    );
    const after = await dumpTables(instance);
    for (const secret of secrets) expect(after).not.toContain(secret);
    expect(after).toContain(id);
    expect(await instance.sql('SELECT 1 FROM idempotency_keys WHERE answer IS NOT NULL')).toEqual([]);
    expect(await instance.sql('SELECT 1 FROM erasures')).toEqual([]);
  });

  it.each(['a server', 'the customer'])(
    'of whom the events keep their envelope, deleted by %s',
    async (who) => {
      const { body } = await instance.register();
      const { id } = body.customer;
      const sent = await attemptAbout(id, 'customer.created');
      const told = JSON.parse(sent['request'].body as string);
      if (who === 'a server') await remove(id);
      else {
        await instance.requestWithAccessToken(body.tokens.accessToken, 'POST', '/api/v1/me/delete', {
          currentPassword: PASSWORD,
        });
      }
      const { body: shown } = await instance.requestWithSecretKey(
        'GET',
        `/v1/webhooks/deliveries/${sent['id']}`,
      );
      const erased = { ...told, data: { customer: { id } }, erased: true };
      expect(JSON.parse(shown.data.request.body)).toEqual(erased);
      expect(shown.data.attempts).toMatchObject([{ response_body: '', http_status: 200, success: true }]);
      expect(await instance.listAttempts({ event_id: sent['event_id'] })).toMatchObject([
        { response_body: '' },
      ]);
      expect(
        (await instance.requestWithSecretKey('GET', `/v1/events/${sent['event_id']}`)).body.data,
      ).toEqual(erased);
      const rest = await instance.events(id);
      expect(rest.at(-1)).toMatchObject({ type: 'customer.deleted' });
      expect(rest.at(-1)).not.toHaveProperty('erased');
      expect(rest.slice(0, -1).map(({ data, erased: isErased }) => [data, isErased])).toEqual(
        rest.slice(0, -1).map(() => [{ customer: { id } }, true]),
      );
    },
  );

  it('whose events cannot be redelivered, but for the deletion itself', async () => {
    const { id } = await create();
    const sent = await attemptAbout(id, 'customer.created');
    const again = (deliveryId: string) =>
      instance.requestWithSecretKey('POST', `/v1/webhooks/deliveries/${deliveryId}/redeliver`);
    await remove(id);
    expect(await again(sent['id'])).toMatchObject({ status: 409, body: { code: 'payload_erased' } });
    const deletion = await attemptAbout(id, 'customer.deleted');
    expect((await again(deletion['id'])).status).toBe(202);
    await eventually(
      'the second deletion',
      () => receiver.requests.filter(({ event }) => event.id === deletion['event_id']).length === 2,
    );
  });

  it('of redelivery and deletion at the same time neither sends what is erased', async () => {
    const customers = await Promise.all(Array.from({ length: 8 }, () => create()));
    const sent = await Promise.all(customers.map(({ id }) => attemptAbout(id as string, 'customer.created')));
    const removed = Promise.all(customers.map(({ id }) => retryWhileRejected(() => remove(id as string))));
    await Promise.all(
      sent.map(({ id }) => instance.requestWithSecretKey('POST', `/v1/webhooks/deliveries/${id}/redeliver`)),
    );
    expect((await removed).map(({ status }) => status)).toEqual(Array(8).fill(204));
    for (const { id } of customers) await attemptAbout(id as string, 'customer.deleted');
    const pending = await instance.sql(
      `SELECT 1 FROM deliveries d JOIN events e ON e.id = d.event_id
       WHERE e.customer_id = ANY ($1) AND d.state = 'pending' AND d.lease_until IS NULL`,
      [customers.map(({ id }) => id as string)],
    );
    expect(pending).toEqual([]);
    expect(receiver.requests.filter(({ body }) => body.includes('"erased"'))).toEqual([]);
  });

  it('about whom a target answers only now: the answer is not kept', async () => {
    let answer: (() => void) | undefined;
    receiver.defaultResponder = (response, { event }) => {
      const end = () => void response.writeHead(500).end('a word about the customer');
      if (event.type === 'customer.created') answer = end;
      else response.writeHead(200).end();
    };
    const { id } = await create();
    await eventually('the first attempt', () => answer);
    await remove(id);
    answer!();
    receiver.defaultResponder = respondWithStatus(200, 'ok');
    const closed = await attemptAbout(id, 'customer.created');
    expect(closed).toMatchObject({ state: 'cancelled', attempts: [{ http_status: 500, response_body: '' }] });
    expect(await dumpTables(instance)).not.toContain('a word about the customer');
  });

  it('is not remembered by answers to an Idempotency-Key', async () => {
    const [key, body] = [randomUUID(), { email: uniqueEmail() }];
    const first = await withIdempotencyKey('/api/v1/customers', key, body);
    const other = await withIdempotencyKey('/api/v1/customers', randomUUID(), { email: uniqueEmail() });
    await remove(first.body.id);
    const second = await withIdempotencyKey('/api/v1/customers', key, body);
    expect([second.status, second.headers.get('idempotent-replayed')]).toEqual([201, null]);
    expect(second.body.id).not.toBe(first.body.id);
    const kept = await instance.sql('SELECT 1 FROM idempotency_keys WHERE customer_id = $1', [other.body.id]);
    expect(kept).toHaveLength(1);
  });

  it('with very many events is erased for readers at once, and by the worker bit by bit', async () => {
    const customer = await create();
    const { id, projectId, email } = customer;
    const { organizationId } = instance.credentials;
    const inOrder = `(lpad(to_hex(1767225600000 + n), 12, '0') || '70008000' || lpad(to_hex(n), 12, '0'))::uuid`;
    await insertEvents(customer, 1_300, `${inOrder}, '{"data":{"customer":{"email":"${email}"}}}'`);
    const inClear = async (): Promise<string[]> => {
      const select = `SELECT id FROM events WHERE body LIKE '%' || $1 || '%' ORDER BY id`;
      return (await instance.sql(select, [email])).map((row) => row['id']);
    };
    // A worker looks for erasures as soon as it has started.
    await Promise.all(instance.workers.map((worker) => worker.stop()));
    await remove(id);
    const left = await inClear();
    expect(left.length).toBeGreaterThan(500);
    for (const eventId of [left[0]!, left.at(-1)!]) {
      const { body } = await instance.requestWithSecretKey('GET', `/v1/events/evt_${eventId}`);
      expect(body.data).toEqual({
        id: `evt_${eventId}`,
        type: expect.any(String),
        created_at: expect.stringMatching(/^2026-.*\.\d{3}Z$|Z$/),
        project_id: projectId,
        organization_id: organizationId,
        data: { customer: { id } },
        erased: true,
      });
    }
    const types = new URLSearchParams({ types: 'login.succeeded', limit: '200' });
    await waitForFeed(instance);
    const { body: feed } = await instance.requestWithSecretKey('GET', `/v1/events?${types}`);
    expect(feed.data.length).toBeGreaterThan(0);
    expect(JSON.stringify(feed)).not.toContain(email);

    await instance.startWorker().waitUntilReady();
    await eventually('the erasure', async () => (await instance.sql('SELECT 1 FROM erasures')).length === 0);
    expect(await inClear()).toEqual([]);
  });
});

describe('GET /api/v1/customers/{id}/export', () => {
  const exported = (id: string): Promise<TestResponse> =>
    instance.requestWithSecretKey('GET', `/api/v1/customers/${id}/export`);

  it('gives everything that is kept about a customer, and no secret', async () => {
    const email = uniqueEmail();
    const { body } = await instance.register(email, { firstName: 'Ada' });
    const { id } = body.customer;
    await instance.requestWithSecretKey('PATCH', `/api/v1/customers/${id}`, { metadata: { plan: 'pro' } });
    await instance.requestWithAccessToken(body.tokens.accessToken, 'POST', '/api/v1/auth/logout');
    await instance.requestWithPublishableKey('POST', '/api/v1/auth/login', { email, password: PASSWORD });
    const verification = await instance.getVerificationToken(email);
    for (const type of ['customer.created', 'login.succeeded']) await attemptAbout(id, type);
    const answer = await exported(id);
    expect(answer.status).toBe(200);
    const customer = (await instance.requestWithSecretKey('GET', `/api/v1/customers/${id}`)).body;
    expect(customer.metadata).toEqual({ plan: 'pro' });
    expect(answer.body).toMatchObject({
      truncated: false,
      customer,
      sessions: [
        { ip: '127.0.0.1', revokedAt: null, revokedReason: null },
        { revokedAt: expect.any(String), revokedReason: 'logout' },
      ],
      knownAddresses: [{ address: '127.0.0.1/32', lastLoginAt: expect.any(String) }],
      oneTimeTokens: [{ kind: 'verify-email', email, state: 'live', consumedAt: null, voidedAt: null }],
      mails: [{ kind: 'verify-email', to: email, state: expect.stringMatching(/pending|kept/) }],
    });
    const told = await instance.events(id);
    expect(answer.body.events).toEqual([...told].reverse());
    expect(answer.body.webhookAttempts).toContainEqual({
      id: expect.stringMatching(/^att_/),
      deliveryId: expect.stringMatching(/^dlv_/),
      eventId: told[0]!.id,
      event: 'customer.created',
      endpointId: expect.stringMatching(/^ep_/),
      targetUrl: receiver.url,
      attempt: 1,
      httpStatus: 200,
      success: true,
      error: null,
      createdAt: expect.stringMatching(/Z$/),
    });
    const text = JSON.stringify(answer.body);
    for (const secret of [verification, body.tokens.refreshToken, PASSWORD])
      expect(text).not.toContain(secret);
    expect(text).not.toMatch(/hash|whsec_/i);
  });

  it('is cut at 10,000 of each, the newest', async () => {
    const { id } = await create();
    await instance.sql(
      `INSERT INTO customer_addresses (customer_id, address_block, last_login_at)
       SELECT $1, '2001:db8:' || to_hex(n) || '::/64', '2026-01-01'::timestamptz + n * interval '1 second'
       FROM generate_series(1, 10001) n`,
      [id],
    );
    const { body } = await exported(id);
    expect([body.truncated, body.knownAddresses.length]).toEqual([true, 10_000]);
    expect(body.knownAddresses[0].address).toBe('2001:db8:2711::/64');
    expect(body.knownAddresses.at(-1).address).toBe('2001:db8:2::/64');
  });

  it('holds 10 MiB of events, the newest', async () => {
    const customer = await create();
    const inOrder = `('ffffffff-ffff-7000-8000-' || lpad(n::text, 12, '0'))::uuid`;
    const long = `json_build_object('n', n, 'filling', repeat('x', 1048576))::text`;
    await insertEvents(customer, 12, `${inOrder}, ${long}`);
    const { body } = await exported(customer['id']);
    expect(body.truncated).toBe(true);
    expect(body.events.map(({ n }: { n: number }) => n)).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4]);
  });

  it('shows a project key nothing of endpoints of the organization', async () => {
    const level = { url: `${receiver.url}/organization`, level: 'organization' };
    await instance.requestWithSecretKey('POST', '/v1/webhooks/endpoints', level);
    const { id } = await create();
    await eventually('both', () => receiver.requests.filter(({ body }) => body.includes(id)).length === 2);
    const attempts = async (key: string): Promise<string[]> => {
      const { body } = await instance.requestWithBearer(key, 'GET', `/api/v1/customers/${id}/export`);
      return body.webhookAttempts.map(({ targetUrl }: { targetUrl: string }) => targetUrl);
    };
    await eventually(
      'both in the log',
      async () => (await attempts(instance.credentials.secretKey)).length === 2,
    );
    expect(await attempts(instance.credentials.projectSecretKey)).toEqual([receiver.url]);
  });
});
