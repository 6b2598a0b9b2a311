import { randomUUID } from 'node:crypto';
import { checkCases } from '../support/check-cases.js';
import { profile } from '../support/customer-fields.js';
import {
  inviteCustomer,
  NEW_PASSWORD,
  registerCustomer,
  requestReset,
  submitToken,
} from '../support/customers.js';
import { Receiver } from '../support/receiver.js';
import { eventually } from '../support/eventually.js';
import { bearerHeader, TestInstance, PASSWORD, type TestResponse } from '../support/test-instance.js';
import { withConcurrentChange, type RunSql } from '../support/with-concurrent-change.js';
import { insertKey, insertOrganization, insertProject } from '../support/tenants.js';
import { uniqueEmail } from '../support/unique-email.js';

let instance: TestInstance;
beforeAll(
  async () =>
    (instance = await TestInstance.startShared({ workerEnv: { WEBHOOK_RETRY_SCHEDULE: '0s,1h,1h,1h,1h' } })),
);
afterAll(async () => instance?.stop());

const create = (body: Record<string, unknown> = {}): Promise<TestResponse> =>
  instance.requestWithSecretKey('POST', '/api/v1/customers', { email: uniqueEmail(), ...body });
const getCustomer = (id: string): Promise<TestResponse> =>
  instance.requestWithSecretKey('GET', `/api/v1/customers/${id}`);
const invalidCredentials = { status: 401, body: { code: 'invalid_credentials' } };

describe('creating a customer', () => {
  it('returns the same customer as a later GET and the event, even in another project', async () => {
    const { projectId } = await insertProject(instance, instance.credentials.organizationId);
    const email = uniqueEmail();
    const metadata = { plan: { tier: 2 }, toString: 'kept', hasOwnProperty: [1, null] };
    const fields = { externalId: `crm-${email}`, emailVerified: true, metadata, publicMetadata: { a: 1 } };
    const names = { ...profile, firstName: '  Grace ', lastName: '  ', locale: 'DE-at' };
    const { status, body } = await create({ ...fields, ...names, email: email.toUpperCase(), projectId });
    expect(status).toBe(201);
    expect(body).toEqual({
      ...fields,
      ...profile,
      id: expect.any(String),
      projectId,
      email,
      firstName: 'Grace',
      lastName: null,
      imageUrl: null,
      mfa: 'inherit',
      disabledAt: null,
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: expect.stringMatching(/Z$/),
      lastLoginAt: null,
    });
    expect((await getCustomer(body.id)).body).toEqual(body);
    expect((await instance.events(body.id)).map(({ type, data }) => [type, data])).toEqual([
      ['customer.created', { customer: body }],
    ]);
  });

  it('accepts null for metadata, which is then empty', async () => {
    const { status, body } = await create({ email: uniqueEmail(), metadata: null, publicMetadata: null });
    expect([status, body.metadata, body.publicMetadata]).toEqual([201, {}, {}]);
  });

  it('rejects integers in metadata that JSON numbers cannot represent, and reports the field', async () => {
    const email = uniqueEmail();
    const body = `{"email":"${email}","metadata":{"ids":[7,{"order":12345678901234567890}]}}`;
    const response = await instance.requestWithSecretKey('POST', '/api/v1/customers', body);
    expect(response).toMatchObject({
      status: 400,
      body: { code: 'invalid_json', errors: [{ field: 'metadata.ids[1].order', code: 'inexact_integer' }] },
    });
    expect(await instance.sql('SELECT FROM customers WHERE email = $1', [email])).toEqual([]);
  });

  it("rejects a taken email with its customer's id, a taken externalId, and any invalid field", async () => {
    const [email, externalId] = [uniqueEmail(), randomUUID()];
    const { id } = (await create({ email, externalId })).body;
    const registered = { code: 'email_already_registered', customerId: id };
    expect(await create({ email })).toMatchObject({ status: 409, body: registered });
    expect(await create({ externalId })).toMatchObject({ status: 409, body: { code: 'external_id_taken' } });

    const invalid: [string, unknown, object?][] = [
      ['metadata', 'text'],
      ['metadata', []],
      ['metadata', Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`k${index}`, 1]))],
      ['publicMetadata', { long: 'x'.repeat(8_200) }],
      ['externalId', ''],
      ['locale', ''],
      ['locale', 'de_AT'],
      ['locale', ['de']],
      ['locale', `de-x-${'abcdefgh-'.repeat(4)}`],
      ['sendInvite', 'yes'],
      ['sendInvite', true, { password: PASSWORD }],
      ['emailVerified', 1],
      ['projectId', 'mine'],
      ['role', 'admin'],
      ['passwordHash', 'md5$5f4dcc3b5aa765d61d8327deb882cf99'],
      // Verifying a hash with this cost would delay all other requests.
      ['passwordHash', `$2b$31$${'a'.repeat(53)}`],
      ['passwordHash', `$2b$04$${'a'.repeat(53)}`, { password: PASSWORD }],
    ];
    await checkCases(
      invalid.map(
        ([field, value, more]) => [`${field} ${JSON.stringify(value)}`, field, value, more] as const,
      ),
      async (field, value, more) => {
        const expected = { code: 'validation_failed', errors: [{ field }] };
        expect(await create({ ...more, [field]: value })).toMatchObject({ status: 400, body: expected });
      },
    );
  });
});

describe('POST /api/v1/customers/{id}/invite', () => {
  const send = (id: string, headers: Record<string, string> = {}): Promise<TestResponse> =>
    instance.request('POST', `/api/v1/customers/${id}/invite`, {
      headers: { ...bearerHeader(instance.credentials.secretKey), ...headers },
    });

  it('sends the invitation again and voids the older link', async () => {
    const { id, email, token } = await inviteCustomer(instance);
    expect(await send(id)).toMatchObject({ status: 202, body: {} });
    const newer = await instance.getMailToken(email, 'accept-invite');
    expect(newer).not.toBe(token);
    expect(await submitToken(instance, 'reset-password', token)).toMatchObject({
      status: 400,
      body: { code: 'invalid_token' },
    });
    expect((await submitToken(instance, 'reset-password', newer)).status).toBe(204);
  });

  it('sends one email for one Idempotency-Key', async () => {
    const { id, email } = await inviteCustomer(instance);
    const key = { 'idempotency-key': randomUUID() };
    expect(await send(id, key)).toMatchObject({ status: 202, body: {} });
    const replayed = await send(id, key);
    expect(replayed).toMatchObject({ status: 202, body: {} });
    expect(replayed.headers.get('idempotent-replayed')).toBe('true');
    expect(await instance.listMailKinds(email)).toEqual(['accept-invite', 'accept-invite']);
  });

  it('rejects a sixth email, and customers who have a password, are disabled or do not exist', async () => {
    const registered = await registerCustomer(instance);
    expect(await send(registered.id)).toMatchObject({
      status: 409,
      body: {
        code: 'conflict',
        detail: 'The customer already has a password. Send a password reset email instead.',
      },
    });
    const { id, token } = await inviteCustomer(instance);
    await submitToken(instance, 'reset-password', token, PASSWORD);
    expect(await send(id)).toMatchObject({ status: 409, body: { code: 'conflict' } });
    const disabled = await inviteCustomer(instance);
    await instance.requestWithSecretKey('POST', `/api/v1/customers/${disabled.id}/disable`);
    expect(await send(disabled.id)).toMatchObject({ status: 409, body: { code: 'conflict' } });
    expect(await send(randomUUID())).toMatchObject({ status: 404 });
    const { secretKey } = await insertOrganization(instance);
    const foreign = await instance.requestWithBearer(secretKey, 'POST', '/api/v1/customers', {
      email: uniqueEmail(),
    });
    expect(await send(foreign.body.id)).toMatchObject({ status: 404 });

    const guest = await inviteCustomer(instance);
    const statuses = [];
    for (let count = 0; count < 5; count += 1) statuses.push((await send(guest.id)).status);
    expect(statuses).toEqual([202, 202, 202, 202, 429]);
    const limited = await send(guest.id);
    expect(limited.headers.get('ratelimit-policy')).toBe('"mail-recipient";q=5;w=3600');
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);
  });
});

it('every customer route requires its scope (AK-06)', async () => {
  const { id } = (await create()).body;
  const customerPath = `customers/${id}`;
  const newCustomer = { email: uniqueEmail() };
  const routes: [string, string, string, object?][] = [
    ['GET', 'customers', 'customer:read'],
    ['POST', 'customers', 'customer:write', newCustomer],
    ['GET', customerPath, 'customer:read'],
    ['PATCH', customerPath, 'customer:write', { firstName: 'X' }],
    ['DELETE', customerPath, 'customer:delete'],
    ['GET', `${customerPath}/export`, 'customer:read'],
    ...['disable', 'enable', 'unlock'].map((action): [string, string, string] => [
      'POST',
      `${customerPath}/${action}`,
      'customer:write',
    ]),
    ['GET', `${customerPath}/sessions`, 'session:read'],
    ['DELETE', `${customerPath}/sessions`, 'session:revoke'],
    ['POST', 'customers/import', 'customer:write', { customers: [newCustomer] }],
    ['GET', `imports/${randomUUID()}`, 'customer:write'],
  ];
  const scopes = [...new Set(routes.map(([, , scope]) => scope))];
  await checkCases(
    routes.map(([method, path, scope, body]) => [`${method} ${path}`, method, path, scope, body] as const),
    async (method, path, scope, body) => {
      const others = scopes.filter((other) => other !== scope);
      const key = await insertKey(instance, { ...instance.credentials, type: 'secret', scopes: others });
      const expected = { code: 'insufficient_scope', requiredScopes: [scope] };
      const response = await instance.requestWithBearer(key, method, `/api/v1/${path}`, body);
      expect(response).toMatchObject({ status: 403, body: expected });
    },
  );
  expect((await getCustomer(id)).body).toMatchObject({ firstName: null, disabledAt: null });
});

it('a disabled customer cannot sign in, and all sessions and links stay void (TK-10)', async () => {
  const { id, email, tokens } = await registerCustomer(instance);
  const token = await requestReset(instance, email);
  const runAction = (action: string, body?: object) =>
    instance.requestWithSecretKey('POST', `/api/v1/customers/${id}/${action}`, body);
  // Routes without a body reject a body with members.
  const unknownField = { errors: [{ field: 'reason', code: 'unknown_field' }] };
  expect(await runAction('disable', { reason: 'spam' })).toMatchObject({ status: 400, body: unknownField });

  const disabled = await runAction('disable', {});
  expect(disabled.body.disabledAt).toMatch(/Z$/);
  expect(await instance.login(email)).toMatchObject({ status: 403, body: { code: 'customer_disabled' } });
  expect((await submitToken(instance, 'reset-password', token)).body.code).toBe('invalid_token');
  expect((await runAction('disable')).body).toEqual(disabled.body);

  expect((await runAction('enable')).body.disabledAt).toBeNull();
  expect((await instance.requestWithAccessToken(tokens.accessToken, 'GET', '/api/v1/me')).status).toBe(401);
  expect((await submitToken(instance, 'reset-password', token)).body.code).toBe('invalid_token');
  expect((await instance.login(email)).status).toBe(200);
  for (const type of ['customer.disabled', 'customer.enabled', 'session.revoked'])
    expect([type, (await instance.events(id, type)).length]).toEqual([type, 1]);
});

describe('deleting a customer', () => {
  it('frees the address after a deletion by a server, and sends only ids in the event', async () => {
    const { id, email } = await registerCustomer(instance);
    const remove = () => instance.requestWithSecretKey('DELETE', `/api/v1/customers/${id}`);
    expect(await remove()).toMatchObject({ status: 204, body: '' });
    expect([(await getCustomer(id)).status, (await remove()).status]).toEqual([404, 404]);
    const [event] = await instance.events(id, 'customer.deleted');
    const { projectId } = instance.credentials;
    expect(event!.data).toEqual({ customer: { id, projectId, externalId: null } });
    expect((await instance.register(email)).status).toBe(201);
  });

  it('requires the password for a deletion by the customer', async () => {
    const { email, tokens } = await registerCustomer(instance);
    const remove = (currentPassword: string): Promise<TestResponse> =>
      instance.requestWithAccessToken(tokens.accessToken, 'POST', '/api/v1/me/delete', { currentPassword });
    expect(await remove('wrong password')).toMatchObject(invalidCredentials);
    expect((await remove(PASSWORD)).status).toBe(204);
    expect((await instance.requestWithAccessToken(tokens.accessToken, 'GET', '/api/v1/me')).status).toBe(401);
    expect((await instance.login(email)).status).toBe(401);
  });

  it("cancels pending retries of the customer's events, but still delivers the deletion event", async () => {
    const receiver = await Receiver.start();
    receiver.defaultResponder = (response) => void response.writeHead(500).end();
    try {
      const endpoint = await instance.createEndpoint(receiver.url, ['customer.*']);
      const { body } = await create();
      const waitForFirst = (state: string, condition = 'true') =>
        eventually(`a delivery that is ${state}`, async () => {
          const sql = `SELECT state, ${condition} AS holds FROM deliveries WHERE endpoint_id = $1 ORDER BY id`;
          const [row] = await instance.sql(sql, [endpoint.id.replace('ep_', '')]);
          return row!['state'] === state && row!['holds'];
        });
      await eventually('the first attempt', () => receiver.requests.length > 0);
      await waitForFirst('pending', 'lease_until IS NULL');
      await instance.requestWithSecretKey('DELETE', `/api/v1/customers/${body.id}`);
      await waitForFirst('cancelled');
      await eventually('the deletion', () => receiver.listByType('customer.deleted').length > 0);
      expect(receiver.listByType('customer.created')).toHaveLength(1);
    } finally {
      await receiver.stop();
    }
  });
});

describe('a request during a concurrent change of the customer', () => {
  const deleteCustomer = (id: string) => (sql: RunSql) => sql('DELETE FROM customers WHERE id = $1', [id]);

  it.each(['disable', 'enable', 'unlock'])(
    'returns 404 for %s if the customer is deleted in the meantime',
    async (action) => {
      const { body } = await create();
      const send = () => instance.requestWithSecretKey('POST', `/api/v1/customers/${body.id}/${action}`);
      const response = await withConcurrentChange(instance, deleteCustomer(body.id), send);
      expect(response).toMatchObject({ status: 404, body: { code: 'not_found' } });
    },
  );

  it.each([
    ['password', 'password_hash = password_hash || 0'],
    ['email', 'password_hash = password_hash || 0'],
    ['delete', 'password_hash = password_hash || 0'],
    ['delete', 'disabled_at = now()'],
  ])('rejects a password in /me/%s that has become invalid in the meantime: %s', async (path, change) => {
    const { id, tokens } = await registerCustomer(instance);
    const bodies: Record<string, unknown> = {
      password: { currentPassword: PASSWORD, newPassword: NEW_PASSWORD },
      email: { email: uniqueEmail(), password: PASSWORD },
      delete: { currentPassword: PASSWORD },
    };
    const response = await withConcurrentChange(
      instance,
      (sql) => sql(`UPDATE customers SET ${change} WHERE id = $1`, [id]),
      () => instance.requestWithAccessToken(tokens.accessToken, 'POST', `/api/v1/me/${path}`, bodies[path]),
    );
    expect(response).toMatchObject(invalidCredentials);
    expect((await getCustomer(id)).status).toBe(200);
  });

  it("rejects another customer's password in /me/delete after the address was taken", async () => {
    const [caller, newOwner] = [await registerCustomer(instance), await registerCustomer(instance)];
    const response = await withConcurrentChange(
      instance,
      async (sql) => {
        // At this point, the caller is identified, and the password is checked next.
        await sql('LOCK TABLE login_attempts IN ACCESS EXCLUSIVE MODE');
        await sql('UPDATE customers SET email = $2 WHERE id = $1', [caller.id, uniqueEmail()]);
        await sql('UPDATE customers SET email = $2 WHERE id = $1', [newOwner.id, caller.email]);
      },
      () =>
        instance.requestWithAccessToken(caller.tokens.accessToken, 'POST', '/api/v1/me/delete', {
          currentPassword: PASSWORD,
        }),
    );
    expect(response).toMatchObject({ status: 401, body: { errors: [{ field: 'currentPassword' }] } });
    for (const { id } of [caller, newOwner]) expect((await getCustomer(id)).status).toBe(200);
  });

  it.each([
    ['forgot-password', 'deleted', 'DELETE FROM customers WHERE id = $1'],
    ['forgot-password', 'disabled', 'UPDATE customers SET disabled_at = now() WHERE id = $1'],
    ['forgot-password', 'given another address', `UPDATE customers SET email = 'to.' || email WHERE id = $1`],
    ['resend-verification', 'deleted', 'DELETE FROM customers WHERE id = $1'],
    ['resend-verification', 'verified', 'UPDATE customers SET email_verified = true WHERE id = $1'],
  ])(
    'responds the same to %s, without an email, if the customer is %s in the meantime',
    async (path, _, change) => {
      const email = uniqueEmail();
      const { body } = await create({ email });
      const send = () => instance.requestWithPublishableKey('POST', `/api/v1/auth/${path}`, { email });
      expect(await withConcurrentChange(instance, (sql) => sql(change, [body.id]), send)).toMatchObject({
        status: 202,
        body: {},
      });
      expect(await instance.sql('SELECT 1 FROM mails WHERE recipient LIKE $1', [`%${email}`])).toEqual([]);
    },
  );

  it('responds the same to a resent invitation if the customer is deleted in the meantime', async () => {
    const email = uniqueEmail();
    const { body } = await create({ email, sendInvite: true });
    const token = await instance.getMailToken(email, 'accept-invite');
    await instance.sql(
      `UPDATE one_time_tokens SET expires_at = now() - interval '1 ms' WHERE customer_id = $1`,
      [body.id],
    );
    const form = new URLSearchParams({ token, renew: '1' });
    const renew = () => fetch(`${instance.baseUrl}/accept-invite`, { method: 'POST', body: form });
    const page = await withConcurrentChange(instance, deleteCustomer(body.id), renew);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain('Check your inbox');
  });
});

it('PATCH /me changes names, emits the previous ones, and rejects other fields (IN-07)', async () => {
  const { body } = await instance.register(uniqueEmail(), { firstName: 'Ada', lastName: 'Byron' });
  const patch = (changes: object): Promise<TestResponse> =>
    instance.requestWithAccessToken(body.tokens.accessToken, 'PATCH', '/api/v1/me', changes);
  const names = { firstName: 'Ada', lastName: 'Lovelace' };
  expect((await patch({ lastName: 'Lovelace' })).body).toMatchObject(names);
  expect((await patch({ firstName: null })).body).toMatchObject({ ...names, firstName: null });
  for (const noChange of [{ lastName: 'Lovelace' }, {}]) expect((await patch(noChange)).status).toBe(200);
  const events = await instance.events(body.customer.id, 'customer.updated');
  expect(events.map(({ data }) => data.previous)).toEqual([{ lastName: 'Byron' }, { firstName: 'Ada' }]);
  for (const field of ['email', 'emailVerified', 'publicMetadata', 'id', 'password']) {
    const expected = { errors: [{ field, code: 'unknown_field' }] };
    expect(await patch({ [field]: 'x' })).toMatchObject({ status: 400, body: expected });
  }
});
