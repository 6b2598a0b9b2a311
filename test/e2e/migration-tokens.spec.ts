import bcrypt from 'bcrypt';
import { decodeJwt } from 'jose';
import { enrollTotp } from '../support/customer-factors.js';
import {
  openSession,
  NEW_PASSWORD,
  refreshSession,
  registerCustomer,
  requestReset,
  submitToken,
  withSettings,
  type RegisteredCustomer,
} from '../support/customers.js';
import { markImported } from '../support/sign-in-methods.js';
import { insertKey } from '../support/tenants.js';
import { bearerHeader, PASSWORD, TestInstance, type TestResponse } from '../support/test-instance.js';
import { uniqueEmail } from '../support/unique-email.js';

const DAY = 86_400_000;

let instance: TestInstance;
let migrationKey: string;
beforeAll(async () => {
  instance = await TestInstance.startShared({ workers: 0 });
  const scopes = ['session:migrate'];
  migrationKey = await insertKey(instance, { ...instance.credentials, type: 'secret', scopes });
});
afterAll(async () => instance?.stop());

const ago = (ms: number): string => new Date(Date.now() - ms).toISOString();
const seconds = (time: string): number => Math.floor(Date.parse(time) / 1_000);

const create = (customerId: string, body: object = {}, key = migrationKey): Promise<TestResponse> =>
  instance.request('POST', `/api/v1/customers/${customerId}/sign-in-tokens`, {
    body: {
      ...{ purpose: 'migration', reason: 'Move from Auth0', amr: ['pwd'], authTime: ago(DAY) },
      ...body,
    },
    headers: bearerHeader(key),
  });

const signIn = (token: string): Promise<TestResponse> =>
  instance.requestWithPublishableKey('POST', '/api/v1/auth/sign-in-token', { token });

/** Moves a session. @returns the response to its token exchange */
const migrate = async (customerId: string, body?: object): Promise<TestResponse> =>
  signIn((await create(customerId, body)).body.token);

const createCustomer = async (): Promise<string> =>
  (await instance.requestWithSecretKey('POST', '/api/v1/customers', { email: uniqueEmail() })).body.id;

const invalidToken = { status: 400, body: { code: 'invalid_token' } };

describe('a sign-in token for a migration', () => {
  it('opens only one session, which can be refreshed, with the given amr and time', async () => {
    const id = await createCustomer();
    const authTime = ago(DAY);
    const { token } = (await create(id, { amr: ['pwd', 'otp'], authTime })).body;
    const responses = await Promise.all(Array.from({ length: 5 }, () => signIn(token)));
    const [opened, ...others] = responses.sort((one, other) => one.status - other.status);
    expect(opened).toMatchObject({ status: 200, body: { customer: { id }, challenge: null } });
    for (const other of others) expect(other).toMatchObject(invalidToken);
    const { tokens } = opened!.body;
    const expectedClaims = { sub: id, amr: ['pwd', 'otp', 'mfa'], auth_time: seconds(authTime) };
    expect(decodeJwt(tokens.accessToken)).toMatchObject(expectedClaims);
    const refreshed = await refreshSession(instance, tokens.refreshToken);
    expect(decodeJwt(refreshed.body.tokens.accessToken)).toMatchObject(expectedClaims);
    const me = await instance.requestWithAccessToken(tokens.accessToken, 'GET', '/api/v1/me');
    expect(me).toMatchObject({ status: 200, body: { lastLoginAt: expect.any(String) } });
    const events = await instance.events(id);
    expect(events.map(({ type }) => type)).toEqual([
      'customer.created',
      'login.succeeded',
      'session.created',
    ]);
    expect(events[1]).toMatchObject({ data: { methods: expectedClaims.amr } });
  });

  it('MF-08: appears in the audit log with the key as its actor, and opens no support session', async () => {
    const id = await createCustomer();
    const authTime = ago(DAY);
    const { body } = await create(id, { authTime });
    const { accessToken } = (await signIn(body.token)).body.tokens;
    await instance.requestWithAccessToken(accessToken, 'PATCH', '/api/v1/me', { firstName: 'Ada' });
    const [key] = await instance.sql(`SELECT id FROM api_keys WHERE scopes = '{session:migrate}'`);
    const byKey = {
      ...{ actorType: 'key', actorId: key!['id'] },
      details: { reason: 'Move from Auth0', purpose: 'migration', amr: ['pwd'], authTime },
    };
    const { data } = (await instance.requestWithSecretKey('GET', `/api/v1/audit-log?targetId=${id}`)).body;
    expect(data.slice(0, 3)).toMatchObject([
      { action: 'customer.updated', actorType: 'customer', actorId: id },
      { action: 'customer.sign_in_token_used', ...byKey },
      { action: 'customer.sign_in_token_created', ...byKey },
    ]);
    expect(data[0].details).not.toHaveProperty('support');
  });

  it('opens a session that ends as if it had begun in Gatehouse', async () => {
    const id = await createCustomer();
    expect((await migrate(id, { authTime: ago(80 * DAY) })).status).toBe(200);
    const [session] = await instance.sql(
      `SELECT extract(epoch FROM absolute_expires_at - auth_time)::int AS lifetime,
         extract(epoch FROM absolute_expires_at - now()) BETWEEN 9 * 86400 AND 10 * 86400 AS "isShorter"
       FROM sessions WHERE customer_id = $1`,
      [id],
    );
    expect(session).toMatchObject({ isShorter: true });
    expect(Math.abs(session!['lifetime'] - 90 * 86_400)).toBeLessThanOrEqual(2);
  });

  it('does not require a second factor, and leaves an existing one unchanged', async () => {
    await withSettings(instance, { mfa: 'optional' }, async () => {
      const customer = await enrollTotp(instance, await registerCustomer(instance));
      await markImported(instance, customer.id);
      const { status, body } = await migrate(customer.id, { authTime: new Date().toISOString() });
      expect([status, decodeJwt(body.tokens.accessToken)['amr']]).toEqual([200, ['pwd']]);
      const factors = await instance.requestWithSecretKey('GET', `/api/v1/customers/${customer.id}/factors`);
      expect(factors.body.totp).toHaveLength(1);
    });
  });

  it('accepts a time that is slightly ahead, but stores at most the current time', async () => {
    const id = await createCustomer();
    const { body } = await migrate(id, { authTime: ago(-30_000) });
    const { auth_time: authTime } = decodeJwt(body.tokens.accessToken);
    expect(Number(authTime)).toBeLessThanOrEqual(Math.floor(Date.now() / 1_000));
  });

  it.each<[string, object]>([
    ['amr', { amr: [] }],
    ['amr', { amr: undefined }],
    ['amr', { amr: ['support'] }],
    ['amr', { amr: ['pwd', 'pwd'] }],
    ['amr', { amr: ['password'] }],
    ['authTime', { authTime: undefined }],
    ['authTime', { authTime: 'yesterday' }],
    ['authTime', { authTime: ago(-120_000) }],
    ['authTime', { authTime: ago(91 * DAY) }],
    ['purpose', { purpose: 'other' }],
    ['reason', { reason: undefined }],
  ])('rejects an invalid %s: %j', async (field, body) => {
    expect(await create(await createCustomer(), body)).toMatchObject({
      status: 400,
      body: { code: 'validation_failed', errors: [{ field }] },
    });
  });

  it('AK-06: requires session:migrate, which is independent of customer:impersonate', async () => {
    const id = await createCustomer();
    const scopes = ['customer:impersonate'];
    const supportKey = await insertKey(instance, { ...instance.credentials, type: 'secret', scopes });
    const insufficient = (scope: string) => ({
      status: 403,
      body: { code: 'insufficient_scope', requiredScopes: [scope] },
    });
    expect(await create(id, {}, supportKey)).toMatchObject(insufficient('session:migrate'));
    const support = { purpose: undefined, amr: undefined, authTime: undefined };
    expect(await create(id, support)).toMatchObject(insufficient('customer:impersonate'));
    expect((await create(id, support, supportKey)).status).toBe(201);
    expect(await create(id, { purpose: 'support' }, supportKey)).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'amr', code: 'not_allowed' }] },
    });
    expect((await create(id, {}, instance.credentials.secretKey)).status).toBe(403);
  });
});

describe('EX-01: a migrated session that began before an access revocation', () => {
  const withSecretKey = (method: string, path: string) =>
    instance.requestWithSecretKey(method, `/api/v1/customers/${path}`);

  it.each<[string, (id: string) => Promise<unknown>]>([
    ['the revocation of all sessions', (id) => withSecretKey('DELETE', `${id}/sessions`)],
    ['a required reauthentication', (id) => withSecretKey('POST', `${id}/require-reauthentication`)],
  ])('does not open after %s', async (_, revokeAccess) => {
    const { id } = await registerCustomer(instance);
    await markImported(instance, id);
    const authTime = ago(0);
    const { token } = (await create(id, { authTime })).body;
    await revokeAccess(id);
    expect(await create(id, { authTime })).toMatchObject({ status: 409, body: { code: 'conflict' } });
    expect(await signIn(token)).toMatchObject(invalidToken);
  });

  it('does not open for a disabled customer', async () => {
    const id = await createCustomer();
    await withSecretKey('POST', `${id}/disable`);
    expect(await create(id)).toMatchObject({ status: 409, body: { code: 'conflict' } });
  });

  it('does not open once its lifetime has passed', async () => {
    const id = await createCustomer();
    const { token } = (await create(id)).body;
    await instance.sql(
      `UPDATE sign_in_tokens SET auth_time = now() - interval '90 days' WHERE customer_id = $1`,
      [id],
    );
    expect(await signIn(token)).toMatchObject(invalidToken);
  });
});

describe('EX-01: a session that begins in the other system after a change in Gatehouse', () => {
  /** Imports a customer with a password from another system. */
  async function importCustomer(): Promise<Pick<RegisteredCustomer, 'id' | 'email'>> {
    const email = uniqueEmail();
    const customers = [{ email, emailVerified: true, passwordHash: bcrypt.hashSync(PASSWORD, 4) }];
    const { body } = await instance.requestWithSecretKey('POST', '/api/v1/customers/import', { customers });
    return { id: body.results[0].id, email };
  }

  type Change = (email: string) => Promise<unknown>;
  const reset: Change = async (email) =>
    submitToken(instance, 'reset-password', await requestReset(instance, email));
  const changePassword: Change = async (email) => {
    const { accessToken } = await openSession(instance, email);
    const body = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD };
    await instance.requestWithAccessToken(accessToken, 'POST', '/api/v1/me/password', body);
  };

  it.each<[string, Change]>([
    ['a password reset', reset],
    ['a password change', changePassword],
  ])('does not open after %s', async (_, change) => {
    const { id, email } = await importCustomer();
    const { token } = (await create(id)).body;
    await change(email);
    expect(await create(id, { authTime: ago(-30_000) })).toMatchObject({
      status: 409,
      body: { code: 'conflict', detail: expect.stringContaining('password in Gatehouse') },
    });
    await instance.sql(
      `UPDATE sign_in_tokens SET auth_time = now() + interval '30 seconds' WHERE customer_id = $1`,
      [id],
    );
    expect(await signIn(token)).toMatchObject(invalidToken);
  });

  it('does not open for a customer who has registered with a password', async () => {
    const { id } = await registerCustomer(instance);
    expect(await create(id)).toMatchObject({ status: 409, body: { code: 'conflict' } });
  });

  it('does not open once the owner has verified the address', async () => {
    const { email, id } = await registerCustomer(instance);
    await markImported(instance, id);
    await submitToken(instance, 'disown', await instance.getVerificationToken(email));
    expect(await create(id, { authTime: ago(-30_000) })).toMatchObject({ status: 409 });
  });

  it('opens after a sign-in with the imported password, which replaces its hash', async () => {
    const { id, email } = await importCustomer();
    await openSession(instance, email);
    expect((await migrate(id)).status).toBe(200);
  });
});

it('the previous version cannot mistake a stored migration token for a support token', async () => {
  const id = await createCustomer();
  const { token } = (await create(id)).body;
  const [stored] = await instance.sql(
    `SELECT token_hash = sha256(convert_to($2, 'UTF8')) AS "isPlain" FROM sign_in_tokens WHERE customer_id = $1`,
    [id, token],
  );
  expect(stored).toEqual({ isPlain: false });
});
