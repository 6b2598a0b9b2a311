import { randomUUID } from 'node:crypto';
import { createLocalJWKSet, jwtVerify } from 'jose';
import {
  inviteCustomer,
  NEW_PASSWORD,
  openSession,
  refreshSession,
  registerCustomer,
  requestEmailChange,
  requestReset,
  submitToken,
  withSettings,
  type RegisteredCustomer,
  type Tokens,
} from '../support/customers.js';
import { checkCases } from '../support/check-cases.js';
import { TestInstance, PASSWORD, bearerHeader, type TestResponse } from '../support/test-instance.js';
import { retryWhileRejected } from '../support/retry-while-rejected.js';
import { insertSessions } from '../support/insert-sessions.js';
import { startReplica } from '../support/start-replica.js';
import { insertKey } from '../support/tenants.js';

let instance: TestInstance;
let replica: Awaited<ReturnType<typeof startReplica>>;
beforeAll(async () => {
  instance = await TestInstance.startShared({ workers: 0 });
  replica = await startReplica(instance);
});
afterAll(async () => instance?.stop());

const chrome =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36';

const logIn = (email: string, headers?: Record<string, string>): Promise<Tokens> =>
  openSession(instance, email, headers);

const createCustomerWithSessions = async (
  count: number,
): Promise<Omit<RegisteredCustomer, 'tokens'> & { logins: Tokens[] }> => {
  const { tokens, ...customer } = await registerCustomer(instance);
  const logins = [tokens];
  while (logins.length < count) logins.push(await logIn(customer.email));
  return { ...customer, logins };
};

const isActive = async ({ accessToken }: Tokens, baseUrl = instance.baseUrl): Promise<boolean> =>
  (await instance.request('GET', '/api/v1/me', { headers: bearerHeader(accessToken), baseUrl })).status ===
  200;
const areActive = (logins: Tokens[]): Promise<boolean[]> =>
  Promise.all(logins.map((login) => isActive(login)));
const logout = (login: Tokens, body?: unknown): Promise<TestResponse> =>
  instance.requestWithAccessToken(login.accessToken, 'POST', '/api/v1/auth/logout', body);
const listSessions = async (login: Tokens, query = ''): Promise<TestResponse> =>
  instance.requestWithAccessToken(login.accessToken, 'GET', `/api/v1/me/sessions${query}`);
const listRevocations = async (id: string): Promise<any[]> =>
  (await instance.events(id, 'session.revoked')).map(({ data }) => data);

describe('logout', () => {
  it('ends its own session by default, others or all by scope, and none for an invalid scope', async () => {
    const { id, logins } = await createCustomerWithSessions(4);
    const [first, second] = logins as [Tokens, Tokens];
    for (const body of [{ scope: 'none' }, { scope: null }, { scope: ['all'] }, { everywhere: true }])
      expect(await logout(first, body)).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
    expect(await areActive(logins)).toEqual([true, true, true, true]);

    expect(await logout(first)).toMatchObject({ status: 204, body: '' });
    expect(await areActive(logins)).toEqual([false, true, true, true]);
    const refreshed = await refreshSession(instance, first.refreshToken);
    expect(refreshed).toMatchObject({ status: 401, body: { code: 'invalid_refresh_token' } });
    expect(await logout(first)).toMatchObject({ status: 401, body: { code: 'invalid_access_token' } });
    const [event] = await listRevocations(id);
    expect(event).toMatchObject({ customer: { id }, reason: 'logout', session: { id: expect.any(String) } });

    expect((await logout(second, { scope: 'others' })).status).toBe(204);
    expect(await areActive(logins)).toEqual([false, true, false, false]);
    expect((await logout(second, { scope: 'all' })).status).toBe(204);
    expect(await areActive(logins)).toEqual([false, false, false, false]);
    expect(await listRevocations(id)).toHaveLength(4);
  });
});

describe('the limit of 100 sessions', () => {
  const listActiveIds = async (customerId: string): Promise<string[]> => {
    const { body } = await instance.requestWithSecretKey(
      'GET',
      `/api/v1/customers/${customerId}/sessions?limit=200`,
    );
    return body.data.map(({ id }: { id: string }) => id);
  };

  it('ends the least recently used active session, and none below the limit', async () => {
    const { id, email, logins } = await createCustomerWithSessions(1);
    const [revoked, expired, used, leastRecentlyUsed, ...others] = await insertSessions(instance, id, 100);
    await instance.sql('UPDATE sessions SET revoked_at = now() WHERE id = $1', [revoked]);
    await instance.sql(`UPDATE sessions SET idle_expires_at = now() - interval '1 ms' WHERE id = $1`, [
      expired,
    ]);
    await instance.sql('UPDATE sessions SET rotated_at = now() WHERE id = $1', [used]);
    await logIn(email);
    expect(await listActiveIds(id)).toHaveLength(100);
    expect(await listRevocations(id)).toEqual([]);

    const opened = await logIn(email);
    const remaining = await listActiveIds(id);
    expect(remaining).toHaveLength(100);
    expect(remaining).toEqual(expect.arrayContaining([used, ...others]));
    expect(await areActive([logins[0]!, opened])).toEqual([true, true]);
    expect(await listRevocations(id)).toEqual([
      {
        customer: expect.objectContaining({ id }),
        session: expect.objectContaining({ id: leastRecentlyUsed }),
        reason: 'session_limit',
      },
    ]);
  });

  it('ends one session for each of several concurrent sign-ins', async () => {
    const { id, email } = await createCustomerWithSessions(1);
    const ids = await insertSessions(instance, id, 99);
    const opened = await Promise.all(Array.from({ length: 5 }, () => logIn(email)));
    const remaining = await listActiveIds(id);
    expect(remaining).toHaveLength(100);
    expect(ids.filter((old) => !remaining.includes(old))).toEqual(ids.slice(0, 5));
    expect(await areActive(opened)).toEqual(opened.map(() => true));
    expect(await listRevocations(id)).toHaveLength(5);
  });
});

it('a customer lists their sessions with devices and masked client IPs, and ends one', async () => {
  const { email, logins } = await createCustomerWithSessions(1);
  const first = logins[0]!;
  const second = await logIn(email, {
    'user-agent': chrome,
    'x-api-key': instance.credentials.projectSecretKey,
    'x-client-ip': '203.0.113.77',
  });
  const { body } = await listSessions(second);
  expect(body).toMatchObject({ hasMore: false, nextCursor: null });
  expect(body.data).toEqual([
    {
      id: expect.any(String),
      device: 'Chrome on macOS',
      ip: '203.0.113.0/24',
      createdAt: expect.stringMatching(/Z$/),
      lastUsedAt: expect.stringMatching(/Z$/),
      expiresAt: expect.stringMatching(/Z$/),
      current: true,
    },
    expect.objectContaining({ current: false, ip: '127.0.0.0/24' }),
  ]);
  const page = (await listSessions(first, '?limit=1')).body;
  expect(page).toMatchObject({ data: [{ current: false }], hasMore: true });
  const lastPage = (await listSessions(first, `?limit=1&cursor=${page.nextCursor}`)).body;
  expect(lastPage).toMatchObject({ data: [{ current: true }], hasMore: false });

  const end = () =>
    instance.requestWithAccessToken(first.accessToken, 'DELETE', `/api/v1/me/sessions/${page.data[0].id}`);
  expect((await end()).status).toBe(204);
  expect(await areActive([first, second])).toEqual([true, false]);
  expect((await listSessions(first)).body.data).toHaveLength(1);
  expect(await end()).toMatchObject({ status: 404, body: { code: 'not_found' } });
});

it("a secret key lists a customer's sessions with complete client IPs, and ends one or all", async () => {
  const { id, logins } = await createCustomerWithSessions(3);
  const path = `/api/v1/customers/${id}/sessions`;
  const { data } = (await instance.requestWithSecretKey('GET', path)).body;
  expect(data).toHaveLength(3);
  expect(data[0]).toEqual({
    id: expect.any(String),
    device: null,
    ip: '127.0.0.1',
    userAgent: 'node',
    createdAt: expect.any(String),
    lastUsedAt: expect.any(String),
    expiresAt: expect.any(String),
  });
  expect((await instance.requestWithSecretKey('DELETE', `${path}/${data[0].id}`)).status).toBe(204);
  expect(await areActive(logins)).toEqual([true, true, false]);
  for (let round = 0; round < 2; round += 1)
    expect((await instance.requestWithSecretKey('DELETE', path)).status).toBe(204);
  expect(await areActive(logins)).toEqual([false, false, false]);
  expect(await listRevocations(id)).toHaveLength(3);
});

describe('the end of a session on every replica (TK-10)', () => {
  it('is immediate after logout, revocation, disabling, deletion and a password change', async () => {
    const path = ({ id }: { id: string }): string => `/api/v1/customers/${id}`;
    const passwords = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD };
    const endings: [
      string,
      (customer: Awaited<ReturnType<typeof createCustomerWithSessions>>) => Promise<TestResponse>,
    ][] = [
      ['logout', ({ logins }) => logout(logins[1]!, { scope: 'others' })],
      ['revocation', (customer) => instance.requestWithSecretKey('DELETE', `${path(customer)}/sessions`)],
      ['disabling', (customer) => instance.requestWithSecretKey('POST', `${path(customer)}/disable`)],
      ['deleting', (customer) => instance.requestWithSecretKey('DELETE', path(customer))],
      [
        'password change',
        ({ logins }) =>
          instance.requestWithAccessToken(logins[1]!.accessToken, 'POST', '/api/v1/me/password', passwords),
      ],
    ];
    await checkCases(
      endings,
      async (end) => {
        const customer = await createCustomerWithSessions(2);
        const [ended] = customer.logins as [Tokens];
        expect(await isActive(ended, replica.baseUrl)).toBe(true);
        expect((await end(customer)).status).toBeLessThan(300);
        expect(await isActive(ended, replica.baseUrl)).toBe(false);
        expect((await refreshSession(instance, ended.refreshToken)).status).toBe(401);
      },
      1,
    );
  });

  it('is immediate when the project is archived', async () => {
    const { tokens } = await registerCustomer(instance);
    const archive = (archivedAt: string) =>
      instance.sql(`UPDATE projects SET archived_at = ${archivedAt} WHERE id = $1`, [
        instance.credentials.projectId,
      ]);
    const replicas = [instance.baseUrl, replica.baseUrl];
    for (const baseUrl of replicas) expect(await isActive(tokens, baseUrl)).toBe(true);
    await archive('now()');
    try {
      for (const baseUrl of replicas) {
        expect(await isActive(tokens, baseUrl)).toBe(false);
        expect((await refreshSession(instance, tokens.refreshToken, baseUrl)).status).toBe(401);
      }
    } finally {
      await archive('NULL');
    }
  });
});

describe('a refresh token', () => {
  it('TK-04: extends the idle expiry up to the absolute expiry, and fails after either', async () => {
    const { id, tokens } = await registerCustomer(instance);
    const set = (column: string, time: string) =>
      instance.sql(`UPDATE sessions SET ${column} = now() ${time} WHERE customer_id = $1`, [id]);
    const getExpiry = async () => {
      const [row] = await instance.sql(
        `SELECT absolute_expires_at::text AS absolute, idle_expires_at <= absolute_expires_at AS "isWithin",
           idle_expires_at > now() + interval '29 days' AS "isFar"
         FROM sessions WHERE customer_id = $1`,
        [id],
      );
      return row!;
    };
    const { absolute } = await getExpiry();
    const second = (await refreshSession(instance, tokens.refreshToken)).body.tokens;
    expect(await getExpiry()).toEqual({ absolute, isWithin: true, isFar: true });
    await set('absolute_expires_at', `+ interval '1 hour'`);
    const third = (await refreshSession(instance, second.refreshToken)).body.tokens;
    expect(await getExpiry()).toMatchObject({ isWithin: true, isFar: false });

    for (const column of ['idle_expires_at', 'absolute_expires_at']) {
      await set(column, `- interval '1 second'`);
      const expired = await refreshSession(instance, third.refreshToken);
      expect(expired).toMatchObject({ status: 401, body: { code: 'refresh_token_expired' } });
      expect(await isActive(third)).toBe(false);
      await set(column, `+ interval '1 hour'`);
    }
    expect(await isActive(third)).toBe(true);
  });

  it('TK-06, TK-07: changes at each refresh; reuse ends the session once the successor has been used', async () => {
    const { id, tokens } = await registerCustomer(instance);
    const chain = [tokens];
    for (let round = 0; round < 4; round += 1)
      chain.push((await refreshSession(instance, chain.at(-1)!.refreshToken)).body.tokens);
    expect(new Set(chain.map(({ refreshToken }) => refreshToken)).size).toBe(5);
    const reused = { status: 401, body: { code: 'refresh_token_reused' } };
    expect(await refreshSession(instance, chain[2]!.refreshToken)).toMatchObject(reused);
    const newest = await refreshSession(instance, chain[4]!.refreshToken);
    expect(newest).toMatchObject({ status: 401, body: { code: 'invalid_refresh_token' } });
    expect(await isActive(chain[4]!)).toBe(false);
    for (const type of ['token.reuse_detected', 'session.revoked'])
      expect(await instance.events(id, type)).toHaveLength(1);
  });

  it('TK-07: ends the session on reuse even if a backend sends an Idempotency-Key', async () => {
    const { id, tokens } = await registerCustomer(instance);
    const second = (await refreshSession(instance, tokens.refreshToken)).body.tokens;
    const third = (await refreshSession(instance, second.refreshToken)).body.tokens;
    const reused = await instance.request('POST', '/api/v1/auth/refresh', {
      body: { refreshToken: tokens.refreshToken },
      headers: {
        ...bearerHeader(instance.credentials.secretKey),
        'x-publishable-key': instance.credentials.publishableKey,
        'x-client-ip': '203.0.113.77',
        'idempotency-key': randomUUID(),
      },
    });
    expect(reused).toMatchObject({ status: 401, body: { code: 'refresh_token_reused' } });
    expect(await isActive(third)).toBe(false);
    expect(await instance.events(id, 'token.reuse_detected')).toHaveLength(1);
  });

  it('TK-09: returns the same successor until it is used, or only within refreshGrace if set', async () => {
    const { id, tokens } = await registerCustomer(instance);
    const successor = (await refreshSession(instance, tokens.refreshToken)).body.tokens.refreshToken;
    await instance.sql(`UPDATE sessions SET rotated_at = now() - interval '1 day' WHERE customer_id = $1`, [
      id,
    ]);
    const late = await refreshSession(instance, tokens.refreshToken);
    expect(late).toMatchObject({ status: 200, body: { tokens: { refreshToken: successor } } });
    await withSettings(instance, { refreshGrace: 300 }, async () => {
      expect(await refreshSession(instance, tokens.refreshToken)).toMatchObject({
        status: 401,
        body: { code: 'refresh_token_reused' },
      });
    });
  });

  it('returns access tokens signed with a new signingAlgorithm; previous ones stay valid everywhere', async () => {
    const { tokens } = await registerCustomer(instance);
    const { body } = await instance.request('GET', '/.well-known/jwks.json', { baseUrl: replica.baseUrl });
    const options = { issuer: instance.baseUrl, audience: instance.credentials.projectId, typ: 'at+jwt' };
    const verifyWith = (algorithm: string, { accessToken }: Tokens) =>
      jwtVerify(accessToken, createLocalJWKSet(body), { ...options, algorithms: [algorithm] });
    const refresh = async ({ refreshToken }: Tokens, baseUrl: string): Promise<Tokens> =>
      (await refreshSession(instance, refreshToken, baseUrl)).body.tokens;

    const renewed = await withSettings(instance, { signingAlgorithm: 'RS256' }, () =>
      refresh(tokens, replica.baseUrl),
    );
    const restored = await refresh(renewed, instance.baseUrl);
    await verifyWith('RS256', renewed);
    for (const other of [tokens, restored]) await verifyWith('ES256', other);
    for (const baseUrl of [instance.baseUrl, replica.baseUrl])
      for (const each of [tokens, renewed, restored]) expect(await isActive(each, baseUrl)).toBe(true);
  });

  it('TK-08, TK-09: has one valid successor after parallel uses on two replicas and a retry', async () => {
    const { id, tokens } = await registerCustomer(instance);
    let currentToken = tokens.refreshToken;
    for (let generation = 2; generation <= 4; generation += 1) {
      const uses = Array.from({ length: 20 }, (_, index) =>
        retryWhileRejected(() =>
          refreshSession(instance, currentToken, index % 2 ? replica.baseUrl : instance.baseUrl),
        ),
      );
      const responses = [...(await Promise.all(uses)), await refreshSession(instance, currentToken)];
      expect(responses.map(({ status }) => status)).toEqual(Array(21).fill(200));
      const successors = [
        ...new Set(responses.map((response) => response.body.tokens.refreshToken as string)),
      ];
      expect(successors).toHaveLength(1);
      const rows = await instance.sql('SELECT generation FROM sessions WHERE customer_id = $1', [id]);
      expect(rows).toEqual([{ generation }]);
      currentToken = successors[0]!;
    }
    expect((await refreshSession(instance, currentToken)).status).toBe(200);
  });

  it('fails if forged or malformed, without revoking the session', async () => {
    const { tokens } = await registerCustomer(instance);
    const valid = tokens.refreshToken;
    const forged = valid.slice(0, -4) + (valid.endsWith('AAAA') ? 'BBBB' : 'AAAA');
    for (const token of ['', 'rt_', forged, `${valid}=`]) {
      const response = await refreshSession(instance, token);
      expect(response).toMatchObject({ status: 401, body: { code: 'invalid_refresh_token' } });
      expect(response.headers.get('www-authenticate')).toContain('Bearer');
    }
    expect((await refreshSession(instance, valid)).status).toBe(200);
  });
});

it('TK-03: each route accepts only its type of credential; a rejected credential stays valid', async () => {
  const subject = await registerCustomer(instance);
  // A separate customer changes the address. For one customer, a new password would void the change, and vice versa.
  const changingCustomer = await registerCustomer(instance);
  const { currentToken, newToken } = await requestEmailChange(instance, changingCustomer);
  const path = `/api/v1/customers/${subject.id}/sign-in-tokens`;
  const scopes = ['customer:impersonate'];
  const key = await insertKey(instance, { ...instance.credentials, type: 'secret', scopes });
  const signIn = await instance.requestWithBearer(key, 'POST', path, { reason: 'test' });
  const credentials = {
    secret: instance.credentials.secretKey,
    publishable: instance.credentials.publishableKey,
    access: subject.tokens.accessToken,
    refresh: subject.tokens.refreshToken,
    verification: await instance.getMailToken(subject.email, 'verify-email'),
    reset: await requestReset(instance, subject.email),
    invite: (await inviteCustomer(instance)).token,
    oldAddressChange: currentToken,
    newAddressChange: newToken,
    signIn: signIn.body.token as string,
  };
  type Name = keyof typeof credentials;
  const names = Object.keys(credentials) as Name[];
  const passwords: Name[] = ['reset', 'invite'];
  const changes: Name[] = ['oldAddressChange', 'newAddressChange'];

  const routes: [string, (token: string) => Promise<TestResponse>, Name[]][] = [
    ['refresh', (token) => refreshSession(instance, token), ['refresh']],
    [
      'sign-in-token',
      (token) => instance.requestWithPublishableKey('POST', '/api/v1/auth/sign-in-token', { token }),
      ['signIn'],
    ],
    ['verify-email', (token) => submitToken(instance, 'verify-email', token), ['verification']],
    ['reset-password', (token) => submitToken(instance, 'reset-password', token), passwords],
    ['confirm-email-change', (token) => submitToken(instance, 'confirm-email-change', token), changes],
  ];
  const getBody = async (response: Promise<TestResponse>) => ({ ...(await response).body, requestId: '' });
  const createForeignCases = <Values extends unknown[]>(rows: [string, ...Values, Name[]][]) =>
    rows.flatMap((row) => {
      const accepted = row.at(-1) as Name[];
      return names
        .filter((name) => !accepted.includes(name))
        .map((name) => [`${row[0]} with ${name}`, row, credentials[name]] as const);
    });
  await checkCases(createForeignCases(routes), async ([route, send], token) => {
    const rejection = await getBody(send('x'.repeat(43)));
    expect(rejection.code).toBe(route === 'refresh' ? 'invalid_refresh_token' : 'invalid_token');
    expect(await getBody(send(token))).toEqual(rejection);
  });

  const pages: [string, Name[]][] = [
    ['/verify-email', ['verification']],
    ['/reset-password', passwords],
    ['/accept-invite', passwords],
    ['/confirm-email-change', changes],
  ];
  await checkCases(createForeignCases(pages), async ([path], token) => {
    const opened = await instance.request('GET', `${path}?token=${encodeURIComponent(token)}`);
    const form = new URLSearchParams({ token, password: NEW_PASSWORD });
    const pressed = await fetch(instance.baseUrl + path, { method: 'POST', body: form });
    expect([opened.status, pressed.status]).toEqual([400, 400]);
    expect(await pressed.text()).toBe(opened.body);
  });

  for (const [route, send, accepted] of routes)
    for (const name of accepted)
      expect([route, name, (await send(credentials[name])).status < 300]).toEqual([route, name, true]);
});
