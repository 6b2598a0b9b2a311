import { decodeJwt } from 'jose';
import { NEW_PASSWORD, refreshSession, registerCustomer, withSettings } from '../support/customers.js';
import { insertOperator } from '../support/operator-client.js';
import { insertKey } from '../support/tenants.js';
import { bearerHeader, PASSWORD, TestInstance, type TestResponse } from '../support/test-instance.js';

let instance: TestInstance;
let supportKey: string;
beforeAll(async () => {
  instance = await TestInstance.startShared({ workers: 0 });
  const scopes = ['customer:impersonate'];
  supportKey = await insertKey(instance, { ...instance.credentials, type: 'secret', scopes });
});
afterAll(async () => instance?.stop());

const create = (customerId: string, body: object = { reason: 'Ticket 4711' }, key = supportKey) =>
  instance.request('POST', `/api/v1/customers/${customerId}/sign-in-tokens`, {
    body,
    headers: bearerHeader(key),
  });

const signIn = (token: string): Promise<TestResponse> =>
  instance.requestWithPublishableKey('POST', '/api/v1/auth/sign-in-token', { token });

const invalid = { status: 400, body: { code: 'invalid_token' } };

it('MF-01: a token opens one session, whose claims contain support but no verification', async () => {
  const { id } = await registerCustomer(instance);
  const created = await create(id);
  expect(created).toMatchObject({ status: 201, body: { token: expect.any(String) } });
  const [{ seconds }] = await instance.sql<any>(
    'SELECT extract(epoch FROM expires_at - created_at)::int AS seconds FROM sign_in_tokens WHERE customer_id = $1',
    [id],
  );
  expect(seconds).toBe(300);
  const before = await instance.sql('SELECT * FROM customer_addresses WHERE customer_id = $1', [id]);
  const [{ last_login_at: lastLogin }] = await instance.sql<any>(
    'SELECT last_login_at FROM customers WHERE id = $1',
    [id],
  );

  const responses = await Promise.all(Array.from({ length: 20 }, () => signIn(created.body.token)));
  const [opened, ...others] = responses.sort((one, other) => one.status - other.status);
  expect(opened).toMatchObject({ status: 200, body: { customer: { id } } });
  for (const other of others) expect(other).toMatchObject(invalid);
  const { tokens } = opened!.body;
  expect(decodeJwt(tokens.accessToken)).toMatchObject({ sub: id, amr: ['support'], auth_time: 0 });
  const refreshed = await refreshSession(instance, tokens.refreshToken);
  expect(decodeJwt(refreshed.body.tokens.accessToken)).toMatchObject({ amr: ['support'], auth_time: 0 });

  expect(await instance.sql('SELECT * FROM customer_addresses WHERE customer_id = $1', [id])).toEqual(before);
  expect(await instance.sql('SELECT last_login_at FROM customers WHERE id = $1', [id])).toEqual([
    { last_login_at: lastLogin },
  ]);
  const [event] = await instance.events(id, 'login.succeeded');
  expect(event).toMatchObject({ data: { methods: ['support'] } });
});

it('MF-08: both creation and use of a token are audited with its key and the reason', async () => {
  const { id } = await registerCustomer(instance);
  const { body } = await create(id);
  await signIn(body.token);
  const entries = await instance.requestWithSecretKey('GET', `/api/v1/audit-log?targetId=${id}`);
  const [key] = await instance.sql(`SELECT id FROM api_keys WHERE scopes = '{customer:impersonate}'`);
  const actor = { actorType: 'key', actorId: key!['id'] };
  expect(entries.body.data).toMatchObject([
    { action: 'customer.sign_in_token_used', ...actor, details: { reason: 'Ticket 4711' } },
    { action: 'customer.sign_in_token_created', ...actor, details: { reason: 'Ticket 4711' } },
  ]);
  expect(JSON.stringify(entries.body)).not.toContain(body.token);
});

describe('a change in a session of a sign-in token', () => {
  it('names support as the actor in the audit log and timeline, with key, session and reason', async () => {
    const { id, email } = await registerCustomer(instance);
    const { accessToken } = (await signIn((await create(id)).body.token)).body.tokens;
    const send = (method: string, path: string, body?: object) =>
      instance.requestWithAccessToken(accessToken, method, `/api/v1/${path}`, body);
    const list = async () =>
      (await instance.requestWithSecretKey('GET', `/api/v1/audit-log?targetId=${id}`)).body.data;
    const changes = [
      ['PATCH', 'me', { firstName: 'Ada' }, 'customer.updated'],
      [
        'POST',
        'me/password',
        { currentPassword: PASSWORD, newPassword: NEW_PASSWORD },
        'customer.password_changed',
      ],
      ['POST', 'auth/logout', { scope: 'this' }, 'customer.sessions_revoked'],
    ] as const;
    const [key] = await instance.sql(`SELECT id, name FROM api_keys WHERE scopes = '{customer:impersonate}'`);
    const sessionId = decodeJwt(accessToken)['sid'];
    const support = { sessionId, reason: 'Ticket 4711' };
    for (const [method, path, body, action] of changes) {
      expect((await send(method, path, body)).status).toBeLessThan(300);
      const [entry] = await list();
      expect(entry).toMatchObject({
        action,
        actorType: 'support',
        actorId: key!['id'],
        details: { support },
      });
      expect(entry.ip).toBe('127.0.0.1');
    }
    const filtered = await instance.requestWithSecretKey(
      'GET',
      `/api/v1/audit-log?targetId=${id}&actorType=support&actorId=${key!['id']}`,
    );
    expect(filtered.body.data).toHaveLength(changes.length);

    const viewer = await insertOperator(instance, 'viewer');
    const { body } = await viewer.request('GET', `/customers/${id}/timeline`);
    const actor = { type: 'support', id: key!['id'], name: key!['name'] };
    const shown = body.data.filter((entry: any) => entry.actor?.type === 'support');
    expect(shown).toMatchObject(
      changes.map(([, , , type]) => ({ type, actor, details: { support } })).reverse(),
    );
    const { body: logged } = await viewer.request('GET', `/audit-log?targetId=${id}&actorType=support`);
    expect(logged.data[0]).toMatchObject({ actorName: key!['name'] });

    const own = (await instance.login(email, NEW_PASSWORD)).body.tokens;
    await instance.requestWithAccessToken(own.accessToken, 'PATCH', '/api/v1/me', { firstName: 'Bea' });
    const [entry] = await list();
    expect(entry).toMatchObject({ actorType: 'customer', actorId: id, details: { changed: ['firstName'] } });
    expect(entry.details).not.toHaveProperty('support');
  });

  it('names support without a key as the actor if an earlier version opened the session', async () => {
    const { id } = await registerCustomer(instance);
    const { accessToken } = (await signIn((await create(id)).body.token)).body.tokens;
    await instance.sql(
      `UPDATE sessions SET support_key_id = NULL, support_reason = NULL WHERE customer_id = $1`,
      [id],
    );
    const path = '/api/v1/me';
    expect(
      (await instance.requestWithAccessToken(accessToken, 'PATCH', path, { firstName: 'Ada' })).status,
    ).toBe(200);
    const { body } = await instance.requestWithSecretKey('GET', `/api/v1/audit-log?targetId=${id}`);
    expect(body.data[0]).toMatchObject({
      actorType: 'support',
      actorId: null,
      details: { support: { sessionId: decodeJwt(accessToken)['sid'], reason: null } },
    });
  });
});

it('MF-01: a token fails after five minutes, in another project, and for a deleted customer', async () => {
  const { id } = await registerCustomer(instance);
  const expired = (await create(id)).body.token;
  await instance.sql(
    `UPDATE sign_in_tokens SET expires_at = now() - interval '1 ms' WHERE customer_id = $1`,
    [id],
  );
  expect(await signIn(expired)).toMatchObject(invalid);

  const { token } = (await create(id)).body;
  const { body: other } = await instance.requestWithSecretKey('POST', '/api/v1/projects', { name: 'Other' });
  const path = `/api/v1/projects/${other.id}/api-keys`;
  const { key } = (await instance.requestWithSecretKey('POST', path, { name: 'Web', type: 'publishable' }))
    .body;
  const foreign = await instance.request('POST', '/api/v1/auth/sign-in-token', {
    body: { token },
    headers: { 'x-publishable-key': key },
  });
  expect(foreign).toMatchObject(invalid);
  for (const text of ['', 'x', `${token}=`]) expect((await signIn(text)).status).toBe(400);

  await instance.requestWithSecretKey('DELETE', `/api/v1/customers/${id}`);
  expect(await signIn(token)).toMatchObject(invalid);
});

it('MF-01: a rejected sign-in does not consume the token', async () => {
  const { id } = await registerCustomer(instance);
  const { token } = (await create(id)).body;
  await withSettings(instance, { requireVerifiedEmail: true }, async () => {
    expect(await signIn(token)).toMatchObject({ status: 403, body: { code: 'email_not_verified' } });
  });
  const other = (await create(id)).body.token as string;
  expect((await signIn(token)).status).toBe(200);
  await instance.requestWithSecretKey('POST', `/api/v1/customers/${id}/disable`);
  expect(await signIn(other)).toMatchObject({ status: 403, body: { code: 'customer_disabled' } });
  expect(await create(id)).toMatchObject({ status: 409, body: { code: 'conflict' } });
  await instance.requestWithSecretKey('POST', `/api/v1/customers/${id}/enable`);
  // Disabling the customer ended all access, including tokens that were created before.
  expect((await signIn(other)).body.code).toBe('invalid_token');
  expect((await signIn((await create(id)).body.token)).status).toBe(200);
});

it('AK-06: a support token requires the scope customer:impersonate and a reason', async () => {
  const { id } = await registerCustomer(instance);
  const rejected = await create(id, undefined, instance.credentials.secretKey);
  expect(rejected).toMatchObject({ status: 403, body: { code: 'insufficient_scope' } });
  for (const body of [{}, { reason: '' }, { reason: 'x'.repeat(501) }])
    expect((await create(id, body)).status).toBe(400);
});

it('the session ends if reauthentication is required after it began, but not before', async () => {
  const { id } = await registerCustomer(instance);
  const openSession = async () => (await signIn((await create(id)).body.token)).body.tokens;
  const earlier = await openSession();
  await instance.requestWithSecretKey('POST', `/api/v1/customers/${id}/require-reauthentication`);
  await instance.sql(`UPDATE sessions SET created_at = created_at - interval '1 ms' WHERE customer_id = $1`, [
    id,
  ]);
  expect(await refreshSession(instance, earlier.refreshToken)).toMatchObject({
    status: 401,
    body: { code: 'reauthentication_required' },
  });
  const later = await openSession();
  expect((await refreshSession(instance, later.refreshToken)).status).toBe(200);
});

it("MF-05: the session has a recent verification only after the customer's password is entered", async () => {
  const { id } = await registerCustomer(instance);
  const { tokens } = (await signIn((await create(id)).body.token)).body;
  const { body } = await instance.requestWithAccessToken(
    tokens.accessToken,
    'POST',
    '/api/v1/me/reauthenticate',
    { method: 'password', password: PASSWORD },
  );
  const claims = decodeJwt(body.accessToken);
  expect(claims['amr']).toEqual(['support', 'pwd']);
  expect(Number(claims['auth_time'])).toBeGreaterThan(0);
});
