import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { expectStatus } from '../support/customers.js';
import {
  receiveEmailCode,
  receiveEmailLink,
  useEmailLink,
  verifyEmailCode,
  wrongCode,
} from '../support/email-codes.js';
import { eventually } from '../support/eventually.js';
import { insertIdentity, insertProvider } from '../support/identity-providers/insert-provider.js';
import { waitForFeed } from '../support/wait-for-feed.js';
import { TestInstance, PASSWORD, bearerHeader, type TestResponse } from '../support/test-instance.js';
import { retryWhileRejected } from '../support/retry-while-rejected.js';
import { Receiver, respondWithStatus } from '../support/receiver.js';
import { dumpTables } from '../support/dump-tables.js';
import { uniqueEmail } from '../support/unique-email.js';

let instance: TestInstance;
let receiver: Receiver;
beforeAll(async () => {
  [instance, receiver] = [
    await TestInstance.startShared({ workerEnv: { PERIODIC_JOBS: 'off' } }),
    await Receiver.start(),
  ];
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

/** Waits for the logged attempt that delivered the first event of a type about a customer. */
const waitForAttempt = (customerId: string, type: string): Promise<Record<string, any>> =>
  eventually(`an attempt of ${type}`, async () => {
    const [row] = await instance.sql<{ id: string }>(
      `SELECT a.id FROM attempts a JOIN events e ON e.id = a.event_id WHERE e.body LIKE '%' || $1 || '%' AND e.type = $2`,
      [customerId, type],
    );
    if (!row) return null;
    const { body } = await instance.requestWithSecretKey('GET', `/v1/webhooks/deliveries/att_${row.id}`);
    return body.data as Record<string, any>;
  });

/** Inserts `count` events of a customer. `select` returns (id, body) for n. */
const insertEvents = ({ id, projectId }: Record<string, any>, count: number, select: string) =>
  instance.sql(
    `INSERT INTO events (organization_id, project_id, customer_id, type, created_at, id, body)
     SELECT $1, $2, $3, 'login.succeeded', '2026-01-01'::timestamptz, ${select} FROM generate_series(1, $4) n`,
    [instance.credentials.organizationId, projectId, id, count],
  );

describe('a deleted customer', () => {
  it('leaves nothing in the database except the id', async () => {
    const [firstName, lastName, externalId] = ['Ottoline', 'Quibblesworth', `crm-${randomUUID()}`];
    const [remark, responseText] = ['a private remark', 'a response from the target'];
    receiver.defaultResponder = (response, { event }) =>
      void response.end(event.type === 'customer.deleted' ? 'ok' : responseText);
    const email = uniqueEmail();
    const emailHash = createHash('sha256').update(email).digest('hex');
    const secrets = [firstName, lastName, externalId, remark, responseText, email, emailHash];
    const { body } = await instance.register(email, { firstName, lastName });
    const { id } = body.customer;
    const key = randomUUID();
    await withIdempotencyKey(`/api/v1/customers/${id}/enable`, key);
    await instance.requestWithSecretKey('PATCH', `/api/v1/customers/${id}`, {
      metadata: { remark },
      externalId,
    });
    await instance.requestWithPublishableKey('POST', '/api/v1/auth/forgot-password', { email });
    // Changed in the database, because a request to the API would cause an event.
    await instance.sql(`UPDATE projects SET settings = '{"signIn": {"emailCode": true}}'`);
    await verifyEmailCode(instance, wrongCode(await receiveEmailCode(instance, email)));
    await instance.requestWithPublishableKey('POST', '/api/v1/auth/login', { email, password: PASSWORD });
    await waitForAttempt(id, 'login.succeeded');
    await withIdempotencyKey(
      `/v1/webhooks/deliveries/${(await waitForAttempt(id, 'customer.updated'))['id']}/redeliver`,
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

  it('leaves no email that was sent to the address before the customer existed', async () => {
    const email = uniqueEmail();
    const redirectUrl = 'https://app.example.com/welcome';
    const settings = { signIn: { emailCode: true }, redirectUrls: [redirectUrl] };
    await instance.sql('UPDATE projects SET settings = $1', [settings]);
    const signedUp = await verifyEmailCode(instance, await receiveEmailCode(instance, email));
    await useEmailLink(instance, await receiveEmailLink(instance, email, redirectUrl));
    expect(await dumpTables(instance)).toContain(email);
    await remove(signedUp.body.customer.id);
    await eventually('the erasure', async () => !(await dumpTables(instance)).includes(email));
  });

  it('leaves neither an identity nor a provider sign-in that was not exchanged for a session', async () => {
    const [provider, image] = ['provider.example.com', `https://provider.example.com/${randomUUID()}.png`];
    const [subject, unlinked, otherEmail] = [randomUUID(), randomUUID(), `${randomUUID()}@${provider}`];
    const { id, projectId, email } = await create();
    const { id: providerId } = await insertProvider(instance);
    await insertIdentity(instance, id, { providerId, subject, email: otherEmail });
    const identityId = await insertIdentity(instance, id, { providerId, subject: unlinked });
    const path = `/api/v1/customers/${id}/identities/${identityId}/remove`;
    await instance.requestWithSecretKey('POST', path, { reason: 'test' });
    await instance.sql('UPDATE customers SET image_url = $2 WHERE id = $1', [id, image]);
    const profiles = [
      { subject, email: otherEmail },
      { subject: randomUUID(), email },
    ];
    for (const profile of profiles) {
      await instance.sql(
        `INSERT INTO sign_in_exchanges (code_hash, project_id, method, provider_id, profile, redirect_url, code_challenge,
           requested_at, expires_at)
         VALUES ($1, $2, 'provider', $3, $4, 'https://app.example.com/', '', now(), now() + interval '1 minute')`,
        [randomBytes(32), projectId, providerId, profile],
      );
      await instance.sql(
        `INSERT INTO sign_in_flows (secret_hash, project_id, provider_id, profile, redirect_url, code_challenge, requested_at,
           expires_at)
         VALUES ($1, $2, $3, $4, 'https://app.example.com/', '', now(), now() + interval '1 minute')`,
        [randomBytes(32), projectId, providerId, profile],
      );
    }
    await instance.sql(
      `INSERT INTO oauth_flows (state_hash, project_id, provider_id, purpose, customer_id, redirect_url, code_challenge, nonce,
         code_verifier, expires_at)
       VALUES ($1, $2, $3, 'link', $4, 'https://app.example.com/', '', '', '', now() + interval '1 minute')`,
      [randomBytes(32), projectId, providerId, id],
    );
    const secrets = [subject, unlinked, otherEmail, email, image, profiles[1]!.subject];
    const before = await dumpTables(instance);
    for (const secret of secrets) expect(before).toContain(secret);
    expect((await remove(id)).status).toBe(204);
    await eventually('the erasure', async () => {
      const after = await dumpTables(instance);
      return secrets.every((secret) => !after.includes(secret));
    });
    expect(await instance.sql('SELECT FROM oauth_flows WHERE customer_id = $1', [id])).toEqual([]);
  });

  it.each(['a server', 'the customer'])(
    'retains only the envelopes of the events when the customer is deleted by %s',
    async (actor) => {
      const { body } = await instance.register();
      const { id } = body.customer;
      const sent = await waitForAttempt(id, 'customer.created');
      const original = JSON.parse(sent['request'].body as string);
      if (actor === 'a server') await remove(id);
      else {
        await instance.requestWithAccessToken(body.tokens.accessToken, 'POST', '/api/v1/me/delete', {
          currentPassword: PASSWORD,
        });
      }
      const { body: shown } = await instance.requestWithSecretKey(
        'GET',
        `/v1/webhooks/deliveries/${sent['id']}`,
      );
      const erased = { ...original, data: { customer: { id } }, erased: true };
      expect(JSON.parse(shown.data.request.body)).toEqual(erased);
      expect(shown.data.attempts).toMatchObject([{ response_body: '', http_status: 200, success: true }]);
      expect(await instance.listAttempts({ event_id: sent['event_id'] })).toMatchObject([
        { response_body: '' },
      ]);
      expect(
        (await instance.requestWithSecretKey('GET', `/v1/events/${sent['event_id']}`)).body.data,
      ).toEqual(erased);
      const remaining = await instance.events(id);
      expect(remaining.at(-1)).toMatchObject({ type: 'customer.deleted' });
      expect(remaining.at(-1)).not.toHaveProperty('erased');
      expect(remaining.slice(0, -1).map(({ data, erased: isErased }) => [data, isErased])).toEqual(
        remaining.slice(0, -1).map(() => [{ customer: { id } }, true]),
      );
    },
  );

  it('has only one redeliverable event, the deletion itself', async () => {
    const { id } = await create();
    const sent = await waitForAttempt(id, 'customer.created');
    const redeliver = (deliveryId: string) =>
      instance.requestWithSecretKey('POST', `/v1/webhooks/deliveries/${deliveryId}/redeliver`);
    await remove(id);
    expect(await redeliver(sent['id'])).toMatchObject({ status: 409, body: { code: 'payload_erased' } });
    const deletion = await waitForAttempt(id, 'customer.deleted');
    expect((await redeliver(deletion['id'])).status).toBe(202);
    await eventually(
      'the second deletion',
      () => receiver.requests.filter(({ event }) => event.id === deletion['event_id']).length === 2,
    );
  });

  describe('the dead letters of a deleted customer', () => {
    const createDeadLetter = async (customerId: string, type: string): Promise<string> => {
      const { id } = await waitForAttempt(customerId, type);
      await instance.sql(
        `UPDATE deliveries SET state = 'failed', attempt = 5, last_http_status = 500, last_error = 'http_error',
           untold = true WHERE id = $1`,
        [id.slice(4)],
      );
      return id as string;
    };
    const getDelivery = async (id: string) =>
      (await instance.requestWithSecretKey('GET', `/v1/webhooks/deliveries/${id}`)).body.data;
    const isWaiting = async (id: string): Promise<boolean> => {
      const { body } = await instance.requestWithSecretKey(
        'GET',
        `/v1/webhooks/dead-letters?delivery_id=${id}`,
      );
      return body.data.length > 0;
    };

    it('have the resolution "erased", so that they can be neither redelivered nor discarded', async () => {
      const { id } = await create();
      const deadLetter = await createDeadLetter(id, 'customer.created');
      const { endpoint_id: endpoint } = await getDelivery(deadLetter);
      const plan = async () => {
        const filter = { endpoint_id: endpoint };
        const { body } = await instance.requestWithSecretKey('POST', '/v1/webhooks/redeliveries', { filter });
        return body.data.total as number;
      };
      const [before, isListedBefore] = [await plan(), await isWaiting(deadLetter)];
      expect(isListedBefore).toBe(true);
      await remove(id);
      expect([await plan(), await isWaiting(deadLetter)]).toEqual([before - 1, false]);
      const erased = { state: 'failed', resolution: 'erased', resolved_by: null, redelivered_as: null };
      expect(await getDelivery(deadLetter)).toMatchObject(erased);
      for (const [action, body, code] of [
        ['redeliver', { enable_endpoint: true }, 'payload_erased'],
        ['discard', { reason: 'not needed' }, 'conflict'],
      ] as const) {
        const path = `/v1/webhooks/deliveries/${deadLetter}/${action}`;
        expect(await instance.requestWithSecretKey('POST', path, body)).toMatchObject({
          status: 409,
          body: { code },
        });
      }
      expect(await getDelivery(deadLetter)).toMatchObject(erased);
      // The deletion event itself is not erased, so its dead letter stays open.
      expect(await isWaiting(await createDeadLetter(id, 'customer.deleted'))).toBe(true);
    });

    it('get the resolution "erased" from the worker if an earlier version left them open', async () => {
      const [deleted, other] = [await create(), await create()];
      const deadLetter = await createDeadLetter(deleted['id'], 'customer.created');
      const otherDeadLetter = await createDeadLetter(other['id'], 'customer.created');
      await remove(deleted['id']);
      await instance.sql('UPDATE deliveries SET resolution = NULL, untold = true WHERE id = $1', [
        deadLetter.slice(4),
      ]);
      expect(await isWaiting(deadLetter)).toBe(true);
      await instance.runJob('erased dead letters');
      expect([await isWaiting(deadLetter), await isWaiting(otherDeadLetter)]).toEqual([false, true]);
      expect(await getDelivery(deadLetter)).toMatchObject({ resolution: 'erased' });
    });
  });

  it('never causes a delivery of erased data, even if a redelivery runs during the deletion', async () => {
    const customers = await Promise.all(Array.from({ length: 8 }, () => create()));
    const sent = await Promise.all(
      customers.map(({ id }) => waitForAttempt(id as string, 'customer.created')),
    );
    const removed = Promise.all(customers.map(({ id }) => retryWhileRejected(() => remove(id as string))));
    await Promise.all(
      sent.map(({ id }) => instance.requestWithSecretKey('POST', `/v1/webhooks/deliveries/${id}/redeliver`)),
    );
    expect((await removed).map(({ status }) => status)).toEqual(Array(8).fill(204));
    for (const { id } of customers) await waitForAttempt(id as string, 'customer.deleted');
    const pending = await instance.sql(
      `SELECT 1 FROM deliveries d JOIN events e ON e.id = d.event_id
       WHERE e.customer_id = ANY ($1) AND d.state = 'pending' AND d.lease_until IS NULL`,
      [customers.map(({ id }) => id as string)],
    );
    expect(pending).toEqual([]);
    expect(receiver.requests.filter(({ body }) => body.includes('"erased"'))).toEqual([]);
  });

  it('leaves no response that a target sends after the deletion', async () => {
    let respond: (() => void) | undefined;
    receiver.defaultResponder = (response, { event }) => {
      const end = () => void response.writeHead(500).end('a word about the customer');
      if (event.type === 'customer.created') respond = end;
      else response.writeHead(200).end();
    };
    const { id } = await create();
    await eventually('the first attempt', () => respond);
    await remove(id);
    respond!();
    receiver.defaultResponder = respondWithStatus(200, 'ok');
    const finished = await waitForAttempt(id, 'customer.created');
    expect(finished).toMatchObject({
      ...{ state: 'cancelled', cancel_reason: 'customer_deleted' },
      attempts: [{ http_status: 500, response_body: '' }],
    });
    expect(await dumpTables(instance)).not.toContain('a word about the customer');
  });

  it('disappears from the stored responses of an Idempotency-Key', async () => {
    const [key, body] = [randomUUID(), { email: uniqueEmail() }];
    const first = await withIdempotencyKey('/api/v1/customers', key, body);
    const other = await withIdempotencyKey('/api/v1/customers', randomUUID(), { email: uniqueEmail() });
    await remove(first.body.id);
    const second = await withIdempotencyKey('/api/v1/customers', key, body);
    expect([second.status, second.headers.get('idempotent-replayed')]).toEqual([201, null]);
    expect(second.body.id).not.toBe(first.body.id);
    const stored = await instance.sql('SELECT 1 FROM idempotency_keys WHERE customer_id = $1', [
      other.body.id,
    ]);
    expect(stored).toHaveLength(1);
  });

  it('disappears from responses immediately, and the worker erases many events in batches', async () => {
    const customer = await create();
    const { id, projectId, email } = customer;
    const { organizationId } = instance.credentials;
    const nthId = `(lpad(to_hex(1767225600000 + n), 12, '0') || '70008000' || lpad(to_hex(n), 12, '0'))::uuid`;
    await insertEvents(customer, 1_300, `${nthId}, '{"data":{"customer":{"email":"${email}"}}}'`);
    const listUnerasedEvents = async (): Promise<string[]> => {
      const select = `SELECT id FROM events WHERE body LIKE '%' || $1 || '%' ORDER BY id`;
      return (await instance.sql(select, [email])).map((row) => row['id']);
    };
    // A worker processes pending erasures as soon as it starts.
    await Promise.all(instance.workers.map((worker) => worker.stop()));
    await remove(id);
    const unerased = await listUnerasedEvents();
    expect(unerased.length).toBeGreaterThan(500);
    for (const eventId of [unerased[0]!, unerased.at(-1)!]) {
      const { body } = await instance.requestWithSecretKey('GET', `/v1/events/evt_${eventId}`);
      expect(body.data).toEqual({
        id: `evt_${eventId}`,
        type: expect.any(String),
        created_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
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

    await instance.startWorker({ PERIODIC_JOBS: 'on' }).waitUntilReady();
    await eventually('the erasure', async () => (await instance.sql('SELECT 1 FROM erasures')).length === 0);
    expect(await listUnerasedEvents()).toEqual([]);
  });
});

describe('GET /api/v1/customers/{id}/export', () => {
  const exportCustomer = (id: string): Promise<TestResponse> =>
    instance.requestWithSecretKey('GET', `/api/v1/customers/${id}/export`);

  it('returns all data that is stored about a customer, and no secret', async () => {
    const email = uniqueEmail();
    const { body } = await instance.request('POST', '/api/v1/auth/register', {
      body: { email, password: PASSWORD, firstName: 'Ada' },
      headers: {
        'x-publishable-key': instance.credentials.publishableKey,
        'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
      },
    });
    const { id } = body.customer;
    await instance.requestWithSecretKey('PATCH', `/api/v1/customers/${id}`, { metadata: { plan: 'pro' } });
    await instance.requestWithAccessToken(body.tokens.accessToken, 'POST', '/api/v1/auth/logout');
    await instance.requestWithPublishableKey('POST', '/api/v1/auth/login', { email, password: PASSWORD });
    const verification = await instance.getVerificationToken(email);
    for (const type of ['customer.created', 'login.succeeded']) await waitForAttempt(id, type);
    const response = await exportCustomer(id);
    expect(response.status).toBe(200);
    const customer = (await instance.requestWithSecretKey('GET', `/api/v1/customers/${id}`)).body;
    expect(customer.metadata).toEqual({ plan: 'pro' });
    expect(response.body).toMatchObject({
      truncated: false,
      customer,
      registrationDevice: 'Firefox on Linux',
      secondFactors: { totp: [], recoveryCodes: 0 },
      sessions: [
        { ip: '127.0.0.1', amr: ['pwd'], authTime: expect.any(String), revokedAt: null, revokedReason: null },
        { revokedAt: expect.any(String), revokedReason: 'logout' },
      ],
      knownAddresses: [{ address: '127.0.0.1/32', lastLoginAt: expect.any(String) }],
      oneTimeTokens: [{ kind: 'verify-email', email, state: 'live', consumedAt: null, voidedAt: null }],
      mails: [{ kind: 'verify-email', to: email, state: expect.stringMatching(/pending|kept/) }],
    });
    const events = await instance.events(id);
    expect(response.body.events).toEqual([...events].reverse());
    expect(response.body.webhookAttempts).toContainEqual({
      id: expect.stringMatching(/^att_/),
      deliveryId: expect.stringMatching(/^dlv_/),
      eventId: events[0]!.id,
      event: 'customer.created',
      endpointId: expect.stringMatching(/^ep_/),
      targetUrl: receiver.url,
      attempt: 1,
      httpStatus: 200,
      success: true,
      error: null,
      createdAt: expect.stringMatching(/Z$/),
    });
    const text = JSON.stringify(response.body);
    for (const secret of [verification, body.tokens.refreshToken, PASSWORD])
      expect(text).not.toContain(secret);
    expect(text).not.toMatch(/hash|whsec_/i);
  });

  it('returns at most the newest 10,000 records of each kind', async () => {
    const { id } = await create();
    await instance.sql(
      `INSERT INTO customer_addresses (customer_id, address_block, last_login_at)
       SELECT $1, '2001:db8:' || to_hex(n) || '::/64', '2026-01-01'::timestamptz + n * interval '1 second'
       FROM generate_series(1, 10001) n`,
      [id],
    );
    const { body } = await exportCustomer(id);
    expect([body.truncated, body.knownAddresses.length]).toEqual([true, 10_000]);
    expect(body.knownAddresses[0].address).toBe('2001:db8:2711::/64');
    expect(body.knownAddresses.at(-1).address).toBe('2001:db8:2::/64');
  });

  it('returns at most the newest 10 MiB of events', async () => {
    const customer = await create();
    const nthId = `('ffffffff-ffff-7000-8000-' || lpad(n::text, 12, '0'))::uuid`;
    const longBody = `json_build_object('n', n, 'filling', repeat('x', 1048576))::text`;
    await insertEvents(customer, 12, `${nthId}, ${longBody}`);
    const { body } = await exportCustomer(customer['id']);
    expect(body.truncated).toBe(true);
    expect(body.events.map(({ n }: { n: number }) => n)).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4]);
  });

  it('does not return attempts at organization endpoints to a project key', async () => {
    const endpoint = { url: `${receiver.url}/organization`, level: 'organization' };
    await instance.requestWithSecretKey('POST', '/v1/webhooks/endpoints', endpoint);
    const { id } = await create();
    await eventually(
      'both requests',
      () => receiver.requests.filter(({ body }) => body.includes(id)).length === 2,
    );
    const listTargetUrls = async (key: string): Promise<string[]> => {
      const { body } = await instance.requestWithBearer(key, 'GET', `/api/v1/customers/${id}/export`);
      return body.webhookAttempts.map(({ targetUrl }: { targetUrl: string }) => targetUrl);
    };
    await eventually(
      'both attempts in the log',
      async () => (await listTargetUrls(instance.credentials.secretKey)).length === 2,
    );
    expect(await listTargetUrls(instance.credentials.projectSecretKey)).toEqual([receiver.url]);
  });
});
