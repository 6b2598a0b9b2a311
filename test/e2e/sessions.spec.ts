import {
  inviteCustomer,
  NEW_PASSWORD,
  openSession,
  refreshSession,
  registerCustomer,
  requestEmailChange,
  requestReset,
  submitToken,
  type RegisteredCustomer,
  type Tokens,
} from '../support/customers.js';
import { checkCases } from '../support/check-cases.js';
import { TestInstance, PASSWORD, bearerHeader, type TestResponse } from '../support/test-instance.js';
import { retryWhileRejected } from '../support/retry-while-rejected.js';
import { insertSessions } from '../support/insert-sessions.js';
import { startReplica } from '../support/start-replica.js';

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

/** A customer who is signed in `count` times. */
const loggedIn = async (
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
const sessions = async (login: Tokens, query = ''): Promise<TestResponse> =>
  instance.requestWithAccessToken(login.accessToken, 'GET', `/api/v1/me/sessions${query}`);
const revocations = async (id: string): Promise<any[]> =>
  (await instance.events(id, 'session.revoked')).map(({ data }) => data);

describe('logout', () => {
  it('ends its own session by default, the others or all by scope, and none for another scope', async () => {
    const { id, logins } = await loggedIn(4);
    const [first, second] = logins as [Tokens, Tokens];
    for (const body of [{ scope: 'none' }, { scope: null }, { scope: ['all'] }, { everywhere: true }])
      expect(await logout(first, body)).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
    expect(await areActive(logins)).toEqual([true, true, true, true]);

    expect(await logout(first)).toMatchObject({ status: 204, body: '' });
    expect(await areActive(logins)).toEqual([false, true, true, true]);
    const refreshed = await refreshSession(instance, first.refreshToken);
    expect(refreshed).toMatchObject({ status: 401, body: { code: 'invalid_refresh_token' } });
    expect(await logout(first)).toMatchObject({ status: 401, body: { code: 'invalid_access_token' } });
    const [event] = await revocations(id);
    expect(event).toMatchObject({ customer: { id }, reason: 'logout', session: { id: expect.any(String) } });

    expect((await logout(second, { scope: 'others' })).status).toBe(204);
    expect(await areActive(logins)).toEqual([false, true, false, false]);
    expect((await logout(second, { scope: 'all' })).status).toBe(204);
    expect(await areActive(logins)).toEqual([false, false, false, false]);
    expect(await revocations(id)).toHaveLength(4);
  });
});

describe('the limit of 100 sessions', () => {
  const activeIds = async (customerId: string): Promise<string[]> => {
    const { body } = await instance.requestWithSecretKey(
      'GET',
      `/api/v1/customers/${customerId}/sessions?limit=200`,
    );
    return body.data.map(({ id }: { id: string }) => id);
  };

  it('ends the least recently used active session, and no session before the limit', async () => {
    const { id, email, logins } = await loggedIn(1);
    const [revoked, expired, used, least, ...others] = await insertSessions(instance, id, 100);
    await instance.sql('UPDATE sessions SET revoked_at = now() WHERE id = $1', [revoked]);
    await instance.sql('UPDATE sessions SET idle_expires_at = now() WHERE id = $1', [expired]);
    await instance.sql('UPDATE sessions SET rotated_at = now() WHERE id = $1', [used]);
    await logIn(email);
    expect(await activeIds(id)).toHaveLength(100);
    expect(await revocations(id)).toEqual([]);

    const opened = await logIn(email);
    const left = await activeIds(id);
    expect(left).toHaveLength(100);
    expect(left).toEqual(expect.arrayContaining([used, ...others]));
    expect(await areActive([logins[0]!, opened])).toEqual([true, true]);
    expect(await revocations(id)).toEqual([
      {
        customer: expect.objectContaining({ id }),
        session: expect.objectContaining({ id: least }),
        reason: 'session_limit',
      },
    ]);
  });

  it('ends one session for each of several sign-ins at once', async () => {
    const { id, email } = await loggedIn(1);
    const ids = await insertSessions(instance, id, 99);
    const opened = await Promise.all(Array.from({ length: 5 }, () => logIn(email)));
    const left = await activeIds(id);
    expect(left).toHaveLength(100);
    expect(ids.filter((old) => !left.includes(old))).toEqual(ids.slice(0, 5));
    expect(await areActive(opened)).toEqual(opened.map(() => true));
    expect(await revocations(id)).toHaveLength(5);
  });
});

it("a customer's own sessions are listed with device and rough address, page by page, and ended one by one", async () => {
  const { email, logins } = await loggedIn(1);
  const first = logins[0]!;
  const second = await logIn(email, {
    'user-agent': chrome,
    'x-api-key': instance.credentials.projectSecretKey,
    'x-client-ip': '203.0.113.77',
  });
  const { body } = await sessions(second);
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
  const page = (await sessions(first, '?limit=1')).body;
  expect(page).toMatchObject({ data: [{ current: false }], hasMore: true });
  const rest = (await sessions(first, `?limit=1&cursor=${page.nextCursor}`)).body;
  expect(rest).toMatchObject({ data: [{ current: true }], hasMore: false });

  const end = () =>
    instance.requestWithAccessToken(first.accessToken, 'DELETE', `/api/v1/me/sessions/${page.data[0].id}`);
  expect((await end()).status).toBe(204);
  expect(await areActive([first, second])).toEqual([true, false]);
  expect((await sessions(first)).body.data).toHaveLength(1);
  expect(await end()).toMatchObject({ status: 404, body: { code: 'not_found' } });
});

it("a customer's sessions are listed for a server with the whole address, and ended one by one or all at once", async () => {
  const { id, logins } = await loggedIn(3);
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
  for (let times = 0; times < 2; times += 1)
    expect((await instance.requestWithSecretKey('DELETE', path)).status).toBe(204);
  expect(await areActive(logins)).toEqual([false, false, false]);
  expect(await revocations(id)).toHaveLength(3);
});

describe('the end of sessions on every replica (TK-10)', () => {
  it('logout, revocation, disabling, deleting and a password change act at once on another api', async () => {
    const path = ({ id }: { id: string }): string => `/api/v1/customers/${id}`;
    const passwords = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD };
    const endings: [string, (customer: Awaited<ReturnType<typeof loggedIn>>) => Promise<TestResponse>][] = [
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
        const customer = await loggedIn(2);
        const [ended] = customer.logins as [Tokens];
        expect(await isActive(ended, replica.baseUrl)).toBe(true);
        expect((await end(customer)).status).toBeLessThan(300);
        expect(await isActive(ended, replica.baseUrl)).toBe(false);
        expect((await refreshSession(instance, ended.refreshToken)).status).toBe(401);
      },
      1,
    );
  });

  it('archiving the project acts at once', async () => {
    const { tokens } = await registerCustomer(instance);
    const archive = (when: string) =>
      instance.sql(`UPDATE projects SET archived_at = ${when} WHERE id = $1`, [
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

describe('refresh tokens', () => {
  it('TK-04: a refresh moves the idle end up to the absolute one, and past either end it is refused', async () => {
    const { id, tokens } = await registerCustomer(instance);
    const set = (column: string, time: string) =>
      instance.sql(`UPDATE sessions SET ${column} = now() ${time} WHERE customer_id = $1`, [id]);
    const ends = async () => {
      const [row] = await instance.sql(
        `SELECT absolute_expires_at::text AS absolute, idle_expires_at <= absolute_expires_at AS "isWithin",
           idle_expires_at > now() + interval '29 days' AS "isFar"
         FROM sessions WHERE customer_id = $1`,
        [id],
      );
      return row!;
    };
    const { absolute } = await ends();
    const second = (await refreshSession(instance, tokens.refreshToken)).body.tokens;
    expect(await ends()).toEqual({ absolute, isWithin: true, isFar: true });
    await set('absolute_expires_at', `+ interval '1 hour'`);
    const third = (await refreshSession(instance, second.refreshToken)).body.tokens;
    expect(await ends()).toMatchObject({ isWithin: true, isFar: false });

    for (const column of ['idle_expires_at', 'absolute_expires_at']) {
      await set(column, `- interval '1 second'`);
      const expired = await refreshSession(instance, third.refreshToken);
      expect(expired).toMatchObject({ status: 401, body: { code: 'refresh_token_expired' } });
      expect(await isActive(third)).toBe(false);
      await set(column, `+ interval '1 hour'`);
    }
    expect(await isActive(third)).toBe(true);
  });

  it('TK-06, TK-07: each refresh returns another token, and one that comes back after its successor was used revokes the session', async () => {
    const { id, tokens } = await registerCustomer(instance);
    const chain = [tokens];
    for (let times = 0; times < 4; times += 1)
      chain.push((await refreshSession(instance, chain.at(-1)!.refreshToken)).body.tokens);
    expect(new Set(chain.map(({ refreshToken }) => refreshToken)).size).toBe(5);
    const reused = { status: 401, body: { code: 'refresh_token_reused' } };
    expect(await refreshSession(instance, chain[2]!.refreshToken)).toMatchObject(reused);
    const newest = await refreshSession(instance, chain[4]!.refreshToken);
    expect(newest).toMatchObject({ status: 401, body: { code: 'invalid_refresh_token' } });
    expect(await isActive(chain[4]!)).toBe(false);
    for (const type of ['token.reuse_detected', 'session.revoked'])
      expect(await instance.events(id, type)).toHaveLength(1);

    const late = await registerCustomer(instance);
    await refreshSession(instance, late.tokens.refreshToken);
    await instance.sql(`UPDATE sessions SET rotated_at = now() - interval '11 s' WHERE customer_id = $1`, [
      late.id,
    ]);
    expect(await refreshSession(instance, late.tokens.refreshToken)).toMatchObject(reused);
  });

  it('TK-08, TK-09: parallel uses on two replicas, and one right after them, get one and the same valid successor', async () => {
    const { id, tokens } = await registerCustomer(instance);
    let current = tokens.refreshToken;
    for (let generation = 2; generation <= 4; generation += 1) {
      const uses = Array.from({ length: 20 }, (_, index) =>
        retryWhileRejected(() =>
          refreshSession(instance, current, index % 2 ? replica.baseUrl : instance.baseUrl),
        ),
      );
      const answers = [...(await Promise.all(uses)), await refreshSession(instance, current)];
      expect(answers.map(({ status }) => status)).toEqual(Array(21).fill(200));
      const successors = [...new Set(answers.map((answer) => answer.body.tokens.refreshToken as string))];
      expect(successors).toHaveLength(1);
      const rows = await instance.sql('SELECT generation FROM sessions WHERE customer_id = $1', [id]);
      expect(rows).toEqual([{ generation }]);
      current = successors[0]!;
    }
    expect((await refreshSession(instance, current)).status).toBe(200);
  });

  it('that are forged or of another kind are refused, and revoke nothing', async () => {
    const { tokens } = await registerCustomer(instance);
    const genuine = tokens.refreshToken;
    const forged = genuine.slice(0, -4) + (genuine.endsWith('AAAA') ? 'BBBB' : 'AAAA');
    for (const token of ['', 'rt_', forged, `${genuine}=`]) {
      const answer = await refreshSession(instance, token);
      expect(answer).toMatchObject({ status: 401, body: { code: 'invalid_refresh_token' } });
      expect(answer.headers.get('www-authenticate')).toContain('Bearer');
    }
    expect((await refreshSession(instance, genuine)).status).toBe(200);
  });
});

it('TK-03: no body and no page takes a credential of another kind, and each stays valid where it belongs', async () => {
  const subject = await registerCustomer(instance);
  // Another customer: a new password would void the change, and the change the other links.
  const mover = await registerCustomer(instance);
  const { current, fresh } = await requestEmailChange(instance, mover);
  const credentials = {
    secret: instance.credentials.secretKey,
    publishable: instance.credentials.publishableKey,
    access: subject.tokens.accessToken,
    refresh: subject.tokens.refreshToken,
    verification: await instance.getMailToken(subject.email, 'verify-email'),
    reset: await requestReset(instance, subject.email),
    invite: (await inviteCustomer(instance)).token,
    changeOfOld: current,
    changeOfNew: fresh,
  };
  type Name = keyof typeof credentials;
  const names = Object.keys(credentials) as Name[];
  const passwords: Name[] = ['reset', 'invite'];
  const changes: Name[] = ['changeOfOld', 'changeOfNew'];

  const routes: [string, (token: string) => Promise<TestResponse>, Name[]][] = [
    ['refresh', (token) => refreshSession(instance, token), ['refresh']],
    ['verify-email', (token) => submitToken(instance, 'verify-email', token), ['verification']],
    ['reset-password', (token) => submitToken(instance, 'reset-password', token), passwords],
    ['confirm-email-change', (token) => submitToken(instance, 'confirm-email-change', token), changes],
  ];
  const bodyOf = async (answer: Promise<TestResponse>) => ({ ...(await answer).body, requestId: '' });
  const foreign = <Values extends unknown[]>(rows: [string, ...Values, Name[]][]) =>
    rows.flatMap((row) => {
      const own = row.at(-1) as Name[];
      return names
        .filter((name) => !own.includes(name))
        .map((name) => [`${row[0]} with ${name}`, row, credentials[name]] as const);
    });
  await checkCases(foreign(routes), async ([route, send], token) => {
    const garbage = await bodyOf(send('x'.repeat(43)));
    expect(garbage.code).toBe(route === 'refresh' ? 'invalid_refresh_token' : 'invalid_token');
    expect(await bodyOf(send(token))).toEqual(garbage);
  });

  const pages: [string, Name[]][] = [
    ['/verify-email', ['verification']],
    ['/reset-password', passwords],
    ['/accept-invite', passwords],
    ['/confirm-email-change', changes],
  ];
  await checkCases(foreign(pages), async ([path], token) => {
    const opened = await instance.request('GET', `${path}?token=${encodeURIComponent(token)}`);
    const form = new URLSearchParams({ token, password: NEW_PASSWORD });
    const pressed = await fetch(instance.baseUrl + path, { method: 'POST', body: form });
    expect([opened.status, pressed.status]).toEqual([400, 400]);
    expect(await pressed.text()).toBe(opened.body);
  });

  for (const [route, send, own] of routes)
    for (const name of own)
      expect([route, name, (await send(credentials[name])).status < 300]).toEqual([route, name, true]);
});
