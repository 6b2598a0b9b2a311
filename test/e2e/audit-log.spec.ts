import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { checkCases } from '../support/check-cases.js';
import { eventually } from '../support/eventually.js';
import { bearerHeader, TestInstance, PASSWORD, type TestResponse } from '../support/test-instance.js';
import { retryWhileRejected } from '../support/retry-while-rejected.js';
import { runGatehouse } from '../support/run-gatehouse.js';
import { Receiver } from '../support/receiver.js';
import { insertKey, insertOrganization, insertProject } from '../support/tenants.js';
import { uniqueEmail } from '../support/unique-email.js';

const PATH = '/api/v1/audit-log';
const DAY_MS = 86_400_000;

let instance: TestInstance;
let receiver: Receiver;
beforeAll(async () => {
  receiver = await Receiver.start();
  instance = await TestInstance.startShared({ workerEnv: { PERIODIC_JOBS: 'off' } });
});
afterAll(async () => {
  await instance?.stop();
  await receiver?.stop();
});

type Entry = Record<string, any>;
type Filter = Record<string, string>;

const list = (filter: Filter = {}, key = instance.credentials.secretKey): Promise<TestResponse> =>
  instance.requestWithBearer(key, 'GET', `${PATH}?${new URLSearchParams(filter)}`);
const entries = async (filter: Filter = {}, key?: string): Promise<Entry[]> =>
  (await list({ limit: '200', ...filter }, key)).body.data as Entry[];
const entriesOf = (response: TestResponse): Promise<Entry[]> =>
  entries({ requestId: response.headers.get('x-request-id')! });
const getKeyId = async (value = instance.credentials.secretKey): Promise<string> => {
  const hash = createHash('sha256').update(value).digest();
  return (await instance.sql('SELECT id FROM api_keys WHERE key_hash = $1', [hash]))[0]!['id'] as string;
};
const createCustomer = (headers: Record<string, string> = {}): Promise<TestResponse> =>
  instance.request('POST', '/api/v1/customers', {
    body: { email: uniqueEmail() },
    headers: { ...bearerHeader(instance.credentials.secretKey), ...headers },
  });

/** Returns a UUIDv7 with the given timestamp, in ms since the epoch. */
const uuidV7At = (time: number): string =>
  time
    .toString(16)
    .padStart(12, '0')
    .replace(/^(.{8})(.{4})$/, '$1-$2') + randomUUID().slice(13).replace(/^-./, '-7');

const createFinishedDelivery = async (): Promise<{ endpointId: string; delivery: string }> => {
  const { id } = await instance.createEndpoint(receiver.url, ['customer.created']);
  await createCustomer();
  const attempt = await eventually(
    'a delivery',
    async () => (await instance.listAttempts({ endpoint_id: id }))[0],
  );
  return { endpointId: id, delivery: attempt['delivery_id'] as string };
};

describe('an entry of the audit log', () => {
  it('contains the action, actor, target, client IP, time and request', async () => {
    const customer = (await createCustomer()).body as Entry;
    const requestId = `r-${randomUUID()}`;
    await instance.request('POST', `/api/v1/customers/${customer['id']}/disable`, {
      headers: {
        ...bearerHeader(instance.credentials.secretKey),
        'x-request-id': requestId,
        'user-agent': 'Shop/1.0',
        // X-Client-IP does not change the key's own client IP.
        'x-client-ip': '203.0.113.7',
      },
    });
    const response = await list({ requestId });
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response).toMatchObject({ status: 200, body: { nextCursor: null, hasMore: false } });
    expect(response.body.data).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
        organizationId: instance.credentials.organizationId,
        projectId: instance.credentials.projectId,
        action: 'customer.disabled',
        actorType: 'key',
        actorId: await getKeyId(),
        targetType: 'customer',
        targetId: customer['id'],
        ip: '127.0.0.1',
        userAgent: 'Shop/1.0',
        requestId,
        details: {},
        createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      },
    ]);
  });

  it('contains old and new settings, but no secrets or customer data', async () => {
    const secrets = [
      'Ada',
      'Lovelace',
      'ada-audit@example.com',
      PASSWORD,
      'T0/hook-credential',
      'header-value',
    ];
    const { body } = await instance.requestWithSecretKey('POST', '/api/v1/customers', {
      email: secrets[2],
      firstName: secrets[0],
      lastName: secrets[1],
      password: secrets[3],
    });
    const secret = `whsec_${randomBytes(32).toString('base64')}`;
    for (const legacySignIn of [{ url: `https://old.example/${secrets[4]}`, secret }, null]) {
      const path = `/api/v1/projects/${instance.credentials.projectId}`;
      const response = await instance.requestWithSecretKey('PATCH', path, { settings: { legacySignIn } });
      expect(response.status).toBe(200);
    }
    const [, added] = await entries({ action: 'project.updated' });
    expect(added!['details']).toMatchObject({
      changes: { 'settings.legacySignIn.url': { to: 'https://old.example/…' } },
    });
    await instance.requestWithSecretKey('PATCH', `/api/v1/projects/${instance.credentials.projectId}`, {
      name: 'Audited',
      settings: { accessTokenTtl: 600, branding: { color: '#123456' } },
    });
    const endpoint = await instance.createEndpoint('http://127.0.0.1:9/');
    await instance.requestWithSecretKey('PATCH', `/v1/webhooks/endpoints/${endpoint.id}`, {
      url: `https://audit.example/${secrets[4]}`,
      events: ['customer.created'],
      headers: { 'X-Shop': secrets[5] },
    });
    const keys = `/api/v1/projects/${instance.credentials.projectId}/api-keys`;
    const key = await instance.requestWithSecretKey('POST', keys, {
      name: 'Audited key',
      scopes: ['customer:read'],
    });
    const rotated = await instance.requestWithSecretKey('POST', `${keys}/${key.body.id}/rotate`);

    expect(await entries({ targetId: body.id as string })).toHaveLength(1);
    const [updated] = await entries({ action: 'project.updated' });
    expect(updated).toMatchObject({
      targetId: instance.credentials.projectId,
      details: {
        changed: ['name', 'settings.accessTokenTtl', 'settings.branding.color'],
        changes: {
          name: { from: expect.any(String), to: 'Audited' },
          'settings.accessTokenTtl': { from: expect.any(Number), to: 600 },
          'settings.branding.color': { from: null, to: '#123456' },
        },
      },
    });
    const [updatedEndpoint] = await entries({ action: 'webhook_endpoint.updated' });
    expect(updatedEndpoint).toMatchObject({ targetId: endpoint.id });
    expect(updatedEndpoint!['details']).toEqual({
      changed: ['url', 'events', 'headers'],
      changes: {
        name: { from: '127.0.0.1:9', to: 'audit.example' },
        url: { from: 'http://127.0.0.1:9/…', to: 'https://audit.example/…' },
        events: { from: ['*'], to: ['customer.created'] },
        headers: { from: [], to: ['x-shop'] },
      },
    });
    expect(await entriesOf(key)).toMatchObject([
      { details: { type: 'secret', access: 'project', scopes: ['customer:read'] } },
    ]);
    expect(await entriesOf(rotated)).toMatchObject([
      { targetId: key.body.id, details: { successorId: rotated.body.id } },
    ]);
    const text = JSON.stringify(await entries());
    const sensitiveValues = [...secrets, key.body.key, rotated.body.key, endpoint.secret];
    for (const secret of sensitiveValues) expect(text).not.toContain(secret);
  });

  it('contains the customer who changed their own data', async () => {
    const email = uniqueEmail();
    const { body } = await instance.register(email);
    const { accessToken } = body.tokens as { accessToken: string };
    const id = body.customer.id as string;
    const actions = async (): Promise<string[]> =>
      (await entries({ actorType: 'customer', actorId: id, targetId: id })).map(({ action }) => action);
    expect(await entries({ targetId: id })).toEqual([]);

    const newPassword = `${PASSWORD} again`;
    const postMe = (path: string, requestBody: unknown) =>
      instance.requestWithAccessToken(accessToken, 'POST', `/api/v1/me${path}`, requestBody);
    expect(
      (await instance.requestWithAccessToken(accessToken, 'PATCH', '/api/v1/me', { firstName: 'Ada' }))
        .status,
    ).toBe(200);
    expect((await postMe('/password', { currentPassword: PASSWORD, newPassword })).status).toBe(204);
    const newEmail = uniqueEmail();
    expect((await postMe('/email', { email: newEmail, password: newPassword })).status).toBe(202);
    for (const [address, kind] of [
      [email, 'change-email-current'],
      [newEmail, 'change-email-new'],
    ] as const) {
      const token = await instance.getMailToken(address, kind);
      const confirm = { body: { token } };
      expect((await instance.request('POST', '/api/v1/auth/confirm-email-change', confirm)).status).toBe(200);
    }
    await instance.requestWithPublishableKey('POST', '/api/v1/auth/forgot-password', { email: newEmail });
    const reset = {
      token: await instance.getMailToken(newEmail, 'reset-password'),
      password: `${newPassword} and again`,
    };
    // X-Client-IP does change the customer's client IP.
    const response = await instance.request('POST', '/api/v1/auth/reset-password', {
      body: reset,
      headers: {
        ...bearerHeader(instance.credentials.projectSecretKey),
        'x-publishable-key': instance.credentials.publishableKey,
        'x-client-ip': '203.0.113.7',
      },
    });
    expect(response.status).toBe(204);
    expect((await entriesOf(response))[0]).toMatchObject({ actorType: 'customer', ip: '203.0.113.7' });
    const login = await instance.login(newEmail, reset.password);
    expect(
      await instance.requestWithAccessToken(login.body.tokens.accessToken, 'POST', '/api/v1/me/delete', {
        currentPassword: reset.password,
      }),
    ).toMatchObject({ status: 204 });
    expect(await actions()).toEqual([
      'customer.deleted',
      'customer.password_reset',
      'customer.email_changed',
      'customer.password_changed',
      'customer.updated',
    ]);
    expect(JSON.stringify(await entries({ targetId: id }))).not.toContain('@example.com');
  });

  it('does not record logins, refreshes or logouts, because they are events', async () => {
    const [count] = await instance.sql<{ n: number }>('SELECT count(*)::int AS n FROM audit_log');
    const email = uniqueEmail();
    const { refreshToken } = (await instance.register(email)).body.tokens as { refreshToken: string };
    await instance.request('POST', '/api/v1/auth/refresh', { body: { refreshToken } });
    const { body } = await instance.requestWithPublishableKey('POST', '/api/v1/auth/login', {
      email,
      password: PASSWORD,
    });
    await instance.requestWithAccessToken(body.tokens.accessToken, 'POST', '/api/v1/auth/logout', {});
    expect(await instance.sql('SELECT count(*)::int AS n FROM audit_log')).toEqual([count]);
  });

  it('names the system as the actor of a command, in the audit log of each root organization', async () => {
    const [first] = await instance.sql(
      `SELECT actor_id FROM audit_log WHERE action = 'organization.created' AND actor_type = 'system'`,
    );
    expect(first).toEqual({ actor_id: null });
    const otherOrganization = await insertOrganization(instance);
    const child = await instance.requestWithSecretKey('POST', '/api/v1/organizations', {
      name: 'Child',
      slug: 'audit-child',
    });
    await runGatehouse(instance, ['rotate-signing-key']);
    const kid = (await instance.sql('SELECT kid FROM signing_keys ORDER BY activates_at DESC'))[0]!['kid'];
    const rotated = await entries({ action: 'signing_key.rotated' });
    expect(rotated).toMatchObject([
      {
        actorType: 'system',
        actorId: null,
        targetType: 'signing_key',
        targetId: kid,
        ip: null,
        userAgent: null,
        requestId: null,
        details: { atOnce: false },
      },
    ]);
    expect(await entries({ targetId: kid as string })).toEqual(rotated);
    const rows = await instance.sql(
      `SELECT organization_id FROM audit_log WHERE action = 'signing_key.rotated' ORDER BY 1`,
    );
    const owners = [instance.credentials.organizationId, otherOrganization.organizationId].sort();
    expect(rows.map((row) => row['organization_id'])).toEqual(owners);
    expect(owners).not.toContain(child.body.id);
  });
});

describe('audit log entries', () => {
  it('commit together with their changes or not at all', async () => {
    const email = uniqueEmail();
    await instance.sql(
      `ALTER TABLE audit_log ADD CONSTRAINT broken CHECK (action <> 'customer.created') NOT VALID`,
    );
    try {
      expect((await instance.requestWithSecretKey('POST', '/api/v1/customers', { email })).status).toBe(500);
    } finally {
      await instance.sql('ALTER TABLE audit_log DROP CONSTRAINT broken');
    }
    expect(await instance.sql('SELECT 1 FROM customers WHERE email = $1', [email])).toEqual([]);

    // Makes a change fail at the commit.
    await instance.sql(`
      CREATE FUNCTION fail_late() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE ''late''; END';
      CREATE CONSTRAINT TRIGGER late AFTER INSERT ON customers DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION fail_late()`);
    const late = await instance.requestWithSecretKey('POST', '/api/v1/customers', { email });
    await instance.sql('DROP TRIGGER late ON customers; DROP FUNCTION fail_late()');
    expect(late.status).toBe(500);
    expect(await entriesOf(late)).toEqual([]);

    await instance.requestWithSecretKey('POST', '/api/v1/customers', { email });
    const taken = await instance.requestWithSecretKey('POST', '/api/v1/customers', { email });
    expect(taken.status).toBe(409);
    expect(await entriesOf(taken)).toEqual([]);
  });

  it('WH-14: exist for each of 20 parallel redeliveries, 19 of them with the outcome refused', async () => {
    const { endpointId, delivery } = await createFinishedDelivery();
    const path = `/v1/webhooks/deliveries/${delivery}/redeliver`;
    const reason = 'the target is up again';
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        retryWhileRejected(() =>
          instance.request('POST', path, {
            body: { reason },
            headers: {
              ...bearerHeader(instance.credentials.secretKey),
              // Half of the requests run in an Idempotency-Key transaction.
              ...(index % 2 ? { 'idempotency-key': randomUUID() } : {}),
            },
          }),
        ),
      ),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([202, ...Array(19).fill(409)]);
    const recorded = await entries({ action: 'webhook_delivery.redelivered', targetId: delivery });
    expect(recorded).toHaveLength(20);
    for (const response of responses) {
      const entry = recorded.find(({ requestId }) => requestId === response.headers.get('x-request-id'))!;
      const details =
        response.status === 202
          ? { outcome: 'redelivered', redeliveredAs: response.body.data.id, reason }
          : { outcome: 'refused', code: response.body.code };
      expect(entry).toMatchObject({ actorType: 'key', actorId: await getKeyId(), details });
    }

    await instance.requestWithSecretKey('DELETE', `/v1/webhooks/endpoints/${endpointId}`);
    const rejected = await instance.requestWithSecretKey('POST', path);
    expect(rejected.status).toBe(409);
    expect(await entriesOf(rejected)).toMatchObject([
      { targetId: delivery, details: { outcome: 'refused' } },
    ]);
  });
});

describe('the log line of an entry', () => {
  const linesOf = (response: TestResponse): Entry[] =>
    instance.api.log.filter(
      ({ message, requestId }) =>
        message === 'audit entry written' && requestId === response.headers.get('x-request-id'),
    );

  it('OP-05: contains the id and the fields of the entry', async () => {
    const response = await createCustomer({ 'user-agent': 'Shop/1.0 {"message":"forged"}' });
    const disabled = await instance.requestWithSecretKey(
      'POST',
      `/api/v1/customers/${response.body.id}/disable`,
    );
    for (const each of [response, disabled]) {
      const [{ id, ...fields }] = (await entriesOf(each)) as [Entry];
      const lines = await eventually('the log line', () => linesOf(each).length > 0 && linesOf(each));
      expect(lines).toEqual([
        {
          level: 'info',
          time: expect.any(String),
          service: 'api',
          pid: expect.any(Number),
          message: 'audit entry written',
          auditEntryId: id,
          ...fields,
        },
      ]);
    }
  });

  it('OP-05: appears once for each of 20 parallel entries', async () => {
    const { delivery } = await createFinishedDelivery();
    const responses = await Promise.all(
      Array.from({ length: 20 }, () =>
        retryWhileRejected(() =>
          instance.requestWithSecretKey('POST', `/v1/webhooks/deliveries/${delivery}/redeliver`),
        ),
      ),
    );
    const stored = await entries({ action: 'webhook_delivery.redelivered', targetId: delivery });
    expect(stored).toHaveLength(20);
    const logged = await eventually('20 log lines', () => {
      const lines = responses.flatMap(linesOf);
      return lines.length >= 20 && lines;
    });
    expect(logged.map(({ auditEntryId }) => auditEntryId).sort()).toEqual(stored.map(({ id }) => id).sort());
  });

  it('OP-05: does not appear if the transaction is rolled back', async () => {
    const first = await createCustomer();
    const taken = await instance.requestWithSecretKey('POST', '/api/v1/customers', {
      email: first.body.email,
    });
    expect(taken.status).toBe(409);
    // Makes the change fail at the commit, after the entry has been inserted.
    await instance.sql(`
      CREATE FUNCTION fail_late() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE ''late''; END';
      CREATE CONSTRAINT TRIGGER late AFTER INSERT ON customers DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION fail_late()`);
    const late = await createCustomer();
    await instance.sql('DROP TRIGGER late ON customers; DROP FUNCTION fail_late()');
    expect(late.status).toBe(500);
    const last = await createCustomer();
    await eventually('the line of a later entry', () => linesOf(last).length === 1);
    expect([taken, late].flatMap(linesOf)).toEqual([]);
  });
});

describe('the list of entries', () => {
  it('returns pages, newest first, and filters by the fields of an entry', async () => {
    const tenant = await insertProject(instance, instance.credentials.organizationId);
    const { projectId } = tenant;
    const created: TestResponse[] = [];
    for (let index = 0; index < 5; index += 1) {
      created.push(
        await instance.requestWithSecretKey('POST', '/api/v1/customers', {
          email: `${randomUUID()}@example.com`,
          projectId,
        }),
      );
    }
    const customer = created[0]!.body.id as string;
    await instance.requestWithSecretKey('POST', `/api/v1/customers/${customer}/disable`);
    await instance.requestWithSecretKey('POST', `/api/v1/projects/${projectId}/api-keys`, {
      name: 'Service',
    });

    const all = await entries({ projectId });
    expect(all).toHaveLength(7);
    expect(all.map(({ id }) => id)).toEqual(
      all
        .map(({ id }) => id as string)
        .sort()
        .reverse(),
    );
    const pages: Entry[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const { body }: TestResponse = await list({ projectId, limit: '3', ...(cursor ? { cursor } : {}) });
      expect(body.hasMore).toBe(body.nextCursor !== null);
      pages.push(...(body.data as Entry[]));
      cursor = body.nextCursor as string | null;
    }
    expect(pages).toEqual(all);

    const actor = await getKeyId();
    const middle = all[3]!;
    const filters: [Filter, Entry[]][] = [
      [{ action: 'customer.*' }, all.slice(1)],
      [{ action: 'customer.disabled' }, [all[1]!]],
      [{ action: 'project.*' }, []],
      [{ actorType: 'key' }, all],
      [{ actorType: 'operator' }, []],
      [{ actorId: actor }, all],
      [{ actorId: randomUUID() }, []],
      [{ targetType: 'api_key' }, [all[0]!]],
      [{ targetType: 'customer', targetId: customer }, [all[1]!, all[6]!]],
      [{ requestId: created[2]!.headers.get('x-request-id')! }, [all[4]!]],
      [
        { createdAfter: middle['createdAt'] as string },
        all.filter(({ createdAt }) => createdAt > middle['createdAt']),
      ],
      [
        { createdBefore: middle['createdAt'] as string },
        all.filter(({ createdAt }) => createdAt < middle['createdAt']),
      ],
      [{ createdAfter: '0001-01-01T00:00:00Z', createdBefore: '9999-12-31T23:59:59Z' }, all],
      [{ createdBefore: '0001-01-01T00:00:00Z' }, []],
    ];
    for (const [filter, expected] of filters) {
      expect({ filter, data: await entries({ projectId, ...filter }) }).toEqual({ filter, data: expected });
    }
  });

  it('rejects unknown values, fields and limits, and reports the field', async () => {
    const cases = [
      ['action', 'customer.seen'],
      ['action', '*'],
      ['action', 'nobody.*'],
      ['actorType', 'user'],
      ['actorId', 'x'],
      ['targetType', 'thing'],
      ['targetId', 'a%20b'],
      ['requestId', ''],
      ['projectId', 'x'],
      ['createdAfter', 'yesterday'],
      ['createdBefore', '2026'],
      ['limit', '0'],
      ['target', 'x'],
    ].map(([field, value]) => [`${field}=${value}`, field!, `${field}=${value}`] as const);
    await checkCases(cases, async (field: string, query: string) => {
      const { status, body } = await instance.requestWithSecretKey('GET', `${PATH}?${query}`);
      const fields = body.errors?.map((each: Entry) => each['field']);
      expect([status, body.code, fields]).toEqual([400, 'validation_failed', [field]]);
    });
    const { nextCursor: cursor } = (await list({ limit: '1' })).body as { nextCursor: string };
    expect(await list({ cursor, actorType: 'key' })).toMatchObject({
      status: 400,
      body: { code: 'invalid_cursor' },
    });
  });

  it("AK-04: contains the entries of the key's project or organization, and no others", async () => {
    const sibling = await insertProject(instance, instance.credentials.organizationId);
    const otherOrganization = await insertOrganization(instance);
    const create = async (key: string): Promise<string> =>
      (await instance.requestWithBearer(key, 'POST', '/api/v1/customers', { email: uniqueEmail() })).body.id;
    const ownCustomer = await create(instance.credentials.projectSecretKey);
    const siblingCustomer = await create(sibling.secretKey);
    const foreignCustomer = await create(otherOrganization.secretKey);
    const child = await instance.requestWithSecretKey('POST', '/api/v1/organizations', {
      name: 'Child',
      slug: 'audit-reach',
    });
    const listVisible = async (key: string): Promise<string[]> => {
      const targets = new Set((await entries({}, key)).map(({ targetId }) => targetId as string));
      return [ownCustomer, siblingCustomer, foreignCustomer, child.body.id as string].filter((id) =>
        targets.has(id),
      );
    };
    expect(await listVisible(instance.credentials.secretKey)).toEqual([
      ownCustomer,
      siblingCustomer,
      child.body.id,
    ]);
    expect(await listVisible(instance.credentials.projectSecretKey)).toEqual([ownCustomer]);
    expect(await listVisible(otherOrganization.secretKey)).toEqual([foreignCustomer]);
    const otherOrganizationKey = await insertKey(instance, {
      ...otherOrganization,
      type: 'secret',
      access: 'organization',
    });
    expect(await listVisible(otherOrganizationKey)).toEqual([foreignCustomer]);
  });
});

it('the audit log table rejects all changes to recent entries, even with the retention setting', async () => {
  await createCustomer();
  const rows = () => instance.sql('SELECT * FROM audit_log ORDER BY id');
  const before = await rows();
  const failures: string[] = [];
  for (const statement of [
    `UPDATE audit_log SET action = 'customer.created'`,
    `UPDATE audit_log SET ip = NULL`,
    'DELETE FROM audit_log',
    'TRUNCATE audit_log',
    // The retention setting does not permit changes to recent entries.
    `SET LOCAL gatehouse.audit_retention = 'on'; DELETE FROM audit_log`,
    `SET LOCAL gatehouse.audit_retention = 'on'; UPDATE audit_log SET created_at = created_at - interval '9 years'`,
    `SET LOCAL gatehouse.audit_retention = 'on'; TRUNCATE audit_log`,
  ]) {
    const outcome = await instance.sql(statement).then(
      () => 'accepted',
      ({ code, message }) => `${code} ${message}`,
    );
    if (outcome !== '42501 the audit log is append-only') failures.push(`${statement}: ${outcome}`);
  }
  expect(failures).toEqual([]);
  expect(await rows()).toEqual(before);
});

describe('the retention of the audit log', () => {
  it('removes entries older than AUDIT_RETENTION and nothing else', async () => {
    const insert = (time: number) =>
      instance.sql(
        `INSERT INTO audit_log (id, organization_id, actor_type, action, target_type, target_id, created_at)
         VALUES ($1, $2, 'system', 'customer.created', 'customer', 'retention', $3)`,
        [uuidV7At(time), instance.credentials.organizationId, new Date(time)],
      );
    const now = Date.now();
    const ages = [1, 3 * DAY_MS - 60_000, 3 * DAY_MS + 60_000, 400 * DAY_MS];
    for (const age of ages) await insert(now - age);
    // These are more rows than one statement deletes.
    await instance.sql(
      `INSERT INTO audit_log (id, organization_id, actor_type, action, target_type, target_id, created_at)
       SELECT overlay(gen_random_uuid()::text placing '00000000-0001-7' from 1 for 15)::uuid, $1, 'system',
         'customer.created', 'customer', 'retention', to_timestamp(0) FROM generate_series(1, 4500)`,
      [instance.credentials.organizationId],
    );
    const others = await instance.sql(`SELECT id FROM audit_log WHERE target_id <> 'retention' ORDER BY id`);
    const worker = instance.startWorker({ AUDIT_RETENTION: '3d', PERIODIC_JOBS: 'off' });
    await worker.waitUntilReady();
    // The API stores AUDIT_RETENTION as the table owner, and the worker cannot shorten it.
    await expect(worker.runJob('audit log')).rejects.toThrow('younger than');
    await instance.sql('UPDATE audit_retention SET age_ms = $1', [3 * DAY_MS]);
    await worker.runJob('audit log');
    const listRemaining = () =>
      instance.sql(`SELECT created_at FROM audit_log WHERE target_id = 'retention' ORDER BY id`);
    expect((await listRemaining()).map((row) => now - (row['created_at'] as Date).getTime())).toEqual([
      ages[1],
      ages[0],
    ]);
    expect(await instance.sql(`SELECT id FROM audit_log WHERE target_id <> 'retention' ORDER BY id`)).toEqual(
      others,
    );
  });
});
