import { decodeJwt } from 'jose';
import { refreshSession, registerCustomer, withSettings } from '../support/customers.js';
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

it('MF-01: a sign-in token opens one session, whose tokens name support and no recent proof', async () => {
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

it('MF-08: the audit log names the key that created the token for both steps, and the reason', async () => {
  const { id } = await registerCustomer(instance);
  const { body } = await create(id);
  await signIn(body.token);
  const entries = await instance.requestWithSecretKey('GET', `/api/v1/audit-log?targetId=${id}`);
  const [key] = await instance.sql(`SELECT id FROM api_keys WHERE scopes = '{customer:impersonate}'`);
  const actor = { actorType: 'key', actorId: key!['id'] };
  expect(entries.body.data).toMatchObject([
    { action: 'customer.sign_in_token_used', ...actor, details: {} },
    { action: 'customer.sign_in_token_created', ...actor, details: { reason: 'Ticket 4711' } },
  ]);
  expect(JSON.stringify(entries.body)).not.toContain(body.token);
});

it('MF-01: a token is invalid after five minutes, in another project, and without its customer', async () => {
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

it('MF-01: a refused sign-in does not consume the token', async () => {
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
  // The token is older than the disabling, which ended all access.
  expect((await signIn(other)).body.code).toBe('invalid_token');
  expect((await signIn((await create(id)).body.token)).status).toBe(200);
});

it('AK-06: only a key with customer:impersonate creates a token, and only with a reason', async () => {
  const { id } = await registerCustomer(instance);
  const refused = await create(id, undefined, instance.credentials.secretKey);
  expect(refused).toMatchObject({ status: 403, body: { code: 'insufficient_scope' } });
  for (const body of [{}, { reason: '' }, { reason: 'x'.repeat(501) }])
    expect((await create(id, body)).status).toBe(400);
});

it('a session of a sign-in token ends with a later required reauthentication, but not with an earlier one', async () => {
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

it('MF-05: a session of a sign-in token has a recent proof only after the password of the customer', async () => {
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
