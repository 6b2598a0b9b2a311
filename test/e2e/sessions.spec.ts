import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { fetchDocumented } from '../support/fetch-documented.js';
import { openSession, registerOne, type Registered, type Tokens } from '../support/customers.js';
import { TestInstance, PASSWORD, type Answer } from '../support/test-instance.js';
import { patiently } from '../support/patiently.js';
import { uniqueEmail } from '../support/unique-email.js';
import { insertSessions } from '../support/insert-sessions.js';
import { startReplica } from '../support/replicas.js';
import { insertOrganization } from '../support/tenants.js';

let instance: TestInstance;
let replica: Awaited<ReturnType<typeof startReplica>>;
beforeAll(async () => {
  instance = await TestInstance.shared({ workers: 0 });
  replica = await startReplica(instance);
});
afterAll(async () => instance?.stop());

const chrome =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36';

const logIn = (email: string, headers?: Record<string, string>): Promise<Tokens> =>
  openSession(instance, email, headers);

/** A customer who is logged in `count` times. */
const loggedIn = async (count: number): Promise<Omit<Registered, 'tokens'> & { logins: Tokens[] }> => {
  const { tokens, ...customer } = await registerOne(instance);
  const logins = [tokens];
  while (logins.length < count) logins.push(await logIn(customer.email));
  return { ...customer, logins };
};

const lives = async ({ accessToken }: Tokens, baseUrl = instance.baseUrl): Promise<boolean> => {
  const response = await fetchDocumented(`${baseUrl}/api/v1/me`, {
    headers: { authorization: `Bearer ${accessToken}` },
  });
  return response.status === 200;
};
const refresh = (refreshToken: string, baseUrl = instance.baseUrl): Promise<Answer> =>
  instance.request('POST', '/api/v1/auth/refresh', { body: { refreshToken }, baseUrl });
const logout = (login: Tokens, body?: unknown): Promise<Answer> =>
  instance.customer(login.accessToken, 'POST', '/api/v1/auth/logout', body);
const sessions = async (login: Tokens, query = ''): Promise<Answer> =>
  instance.customer(login.accessToken, 'GET', `/api/v1/me/sessions${query}`);

describe('logout', () => {
  it('ends the session that asks, by default, and no other', async () => {
    const { id, logins } = await loggedIn(2);
    expect(await logout(logins[0]!)).toMatchObject({ status: 204, body: '' });
    expect(await Promise.all(logins.map((login) => lives(login)))).toEqual([false, true]);
    expect(await refresh(logins[0]!.refreshToken)).toMatchObject({
      status: 401,
      body: { code: 'invalid_refresh_token' },
    });
    const [event] = await instance.events(id, 'session.revoked');
    expect(event!.data).toMatchObject({
      customer: { id },
      reason: 'logout',
      session: { id: expect.any(String) },
    });
    expect(await logout(logins[0]!)).toMatchObject({ status: 401, body: { code: 'invalid_access_token' } });
  });

  it('with a scope ends the other sessions, or all', async () => {
    for (const [scope, expected] of [
      ['others', [true, false, false]],
      ['all', [false, false, false]],
    ] as const) {
      const { id, logins } = await loggedIn(3);
      expect((await logout(logins[0]!, { scope })).status).toBe(204);
      expect(await Promise.all(logins.map((login) => lives(login)))).toEqual(expected);
      expect(await instance.events(id, 'session.revoked')).toHaveLength(
        expected.filter((live) => !live).length,
      );
    }
  });

  it('refuses another scope and ends nothing', async () => {
    const { logins } = await loggedIn(1);
    for (const body of [{ scope: 'none' }, { scope: null }, { scope: ['all'] }, { everywhere: true }]) {
      expect(await logout(logins[0]!, body)).toMatchObject({
        status: 400,
        body: { code: 'validation_failed' },
      });
    }
    expect(await lives(logins[0]!)).toBe(true);
  });
});

describe('a login when a customer has as many sessions as one may have', () => {
  const liveIds = async (customerId: string): Promise<string[]> => {
    const { body } = await instance.server('GET', `/api/v1/customers/${customerId}/sessions?limit=200`);
    return body.data.map(({ id }: { id: string }) => id);
  };

  it('ends the least recently used one, and says so', async () => {
    const { id, email, logins } = await loggedIn(1);
    const [oldest, second, ...others] = await insertSessions(instance, id, 99);
    await instance.sql('UPDATE sessions SET rotated_at = now() WHERE id = $1', [oldest]);
    expect(await liveIds(id)).toHaveLength(100);
    const opened = await logIn(email);
    const left = await liveIds(id);
    expect(left).toHaveLength(100);
    expect(left).toEqual(expect.arrayContaining([oldest, ...others]));
    expect(left).not.toContain(second);
    expect(await Promise.all([logins[0]!, opened].map((login) => lives(login)))).toEqual([true, true]);
    const events = await instance.events(id, 'session.revoked');
    expect(events.map(({ data }) => data)).toEqual([
      {
        customer: expect.objectContaining({ id }),
        session: expect.objectContaining({ id: second }),
        reason: 'session_limit',
      },
    ]);
  });

  it('ends none of those that are over already, and none before the limit', async () => {
    const { id, email } = await loggedIn(1);
    const ids = await insertSessions(instance, id, 100);
    await instance.sql('UPDATE sessions SET revoked_at = now() WHERE id = $1', [ids[0]]);
    await instance.sql('UPDATE sessions SET idle_expires_at = now() WHERE id = $1', [ids[1]]);
    await logIn(email);
    expect(await liveIds(id)).toHaveLength(100);
    expect(await instance.events(id, 'session.revoked')).toEqual([]);
  });

  it('ends one for each of several at once', async () => {
    const { id, email } = await loggedIn(1);
    const ids = await insertSessions(instance, id, 99);
    const opened = await Promise.all(Array.from({ length: 5 }, () => logIn(email)));
    const left = await liveIds(id);
    expect(left).toHaveLength(100);
    expect(ids.filter((old) => !left.includes(old))).toEqual(ids.slice(0, 5));
    expect(await Promise.all(opened.map((login) => lives(login)))).toEqual(opened.map(() => true));
    expect(await instance.events(id, 'session.revoked')).toHaveLength(5);
  });

  it('ends a bounded number when there are far too many', async () => {
    const { id, email } = await loggedIn(1);
    const ids = await insertSessions(instance, id, 250);
    await logIn(email);
    const left = await liveIds(id);
    expect(left).toHaveLength(152);
    expect(ids.filter((old) => !left.includes(old))).toEqual(ids.slice(0, 100));
  });
});

describe("a customer's own sessions", () => {
  it('are listed with device, rough address, times and which one asks', async () => {
    const { email, logins } = await loggedIn(1);
    const second = await logIn(email, {
      'user-agent': chrome,
      'x-api-key': instance.credentials.projectSecretKey,
      'x-client-ip': '203.0.113.77',
    });
    const { status, body } = await sessions(second);
    expect(status).toBe(200);
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
    expect(
      (await sessions(logins[0]!)).body.data.map((session: { current: boolean }) => session.current),
    ).toEqual([false, true]);
  });

  it('come page by page, and a cursor works for its own customer alone', async () => {
    const { logins } = await loggedIn(3);
    const first = (await sessions(logins[0]!, '?limit=2')).body;
    expect(first).toMatchObject({ hasMore: true });
    const second = (await sessions(logins[0]!, `?limit=2&cursor=${first.nextCursor}`)).body;
    expect([first.data.length, second.data.length, second.hasMore]).toEqual([2, 1, false]);
    const stranger = await loggedIn(1);
    expect(await sessions(stranger.logins[0]!, `?cursor=${first.nextCursor}`)).toMatchObject({
      status: 400,
      body: { code: 'invalid_cursor' },
    });
  });

  it('can be ended one by one; what has ended is gone from the list', async () => {
    const { logins } = await loggedIn(2);
    const other = (await sessions(logins[0]!)).body.data.find(
      (session: { current: boolean }) => !session.current,
    );
    const end = () => instance.customer(logins[0]!.accessToken, 'DELETE', `/api/v1/me/sessions/${other.id}`);
    expect((await end()).status).toBe(204);
    expect(await lives(logins[1]!)).toBe(false);
    expect((await sessions(logins[0]!)).body.data).toHaveLength(1);
    expect(await end()).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });

  it("never reach another customer's", async () => {
    const [mine, theirs] = [await loggedIn(1), await loggedIn(1)];
    const [session] = (await sessions(theirs.logins[0]!)).body.data;
    const missing = await instance.customer(
      mine.logins[0]!.accessToken,
      'DELETE',
      `/api/v1/me/sessions/${randomUUID()}`,
    );
    const foreign = await instance.customer(
      mine.logins[0]!.accessToken,
      'DELETE',
      `/api/v1/me/sessions/${session.id}`,
    );
    expect({ ...foreign.body, requestId: '' }).toEqual({ ...missing.body, requestId: '' });
    expect(await lives(theirs.logins[0]!)).toBe(true);
  });
});

describe("a customer's sessions for a server", () => {
  it('are listed with the whole address, and ended one by one or all at once', async () => {
    const { id, logins } = await loggedIn(3);
    const list = (await instance.server('GET', `/api/v1/customers/${id}/sessions`)).body;
    expect(list.data).toHaveLength(3);
    expect(list.data[0]).toEqual({
      id: expect.any(String),
      device: null,
      ip: '127.0.0.1',
      userAgent: 'node',
      createdAt: expect.any(String),
      lastUsedAt: expect.any(String),
      expiresAt: expect.any(String),
    });
    const newest = list.data[0].id as string;
    expect((await instance.server('DELETE', `/api/v1/customers/${id}/sessions/${newest}`)).status).toBe(204);
    expect(await Promise.all(logins.map((login) => lives(login)))).toEqual([true, true, false]);
    expect((await instance.server('DELETE', `/api/v1/customers/${id}/sessions`)).status).toBe(204);
    expect(await Promise.all(logins.map((login) => lives(login)))).toEqual([false, false, false]);
    expect(await instance.events(id, 'session.revoked')).toHaveLength(3);
    expect((await instance.server('DELETE', `/api/v1/customers/${id}/sessions`)).status).toBe(204);
  });

  it('of another organization do not exist (AK-04)', async () => {
    const { id, logins } = await loggedIn(1);
    const stranger = await insertOrganization(instance);
    const headers = { authorization: `Bearer ${stranger.secretKey}` };
    for (const [method, path] of [
      ['GET', 'sessions'],
      ['DELETE', 'sessions'],
      ['DELETE', `sessions/${randomUUID()}`],
    ] as const) {
      const foreign = await instance.request(method, `/api/v1/customers/${id}/${path}`, { headers });
      const missing = await instance.request(method, `/api/v1/customers/${randomUUID()}/${path}`, {
        headers,
      });
      expect(foreign.status).toBe(404);
      expect({ ...foreign.body, requestId: '' }).toEqual({ ...missing.body, requestId: '' });
    }
    expect(await lives(logins[0]!)).toBe(true);
  });
});

describe('the end of sessions on every replica (TK-10)', () => {
  it('logout, revocation, disabling, deleting and a password change act at once on another api', async () => {
    const endings: Record<string, (customer: Awaited<ReturnType<typeof loggedIn>>) => Promise<Answer>> = {
      logout: ({ logins }) => logout(logins[1]!, { scope: 'others' }),
      revocation: ({ id }) => instance.server('DELETE', `/api/v1/customers/${id}/sessions`),
      disabling: ({ id }) => instance.server('POST', `/api/v1/customers/${id}/disable`),
      deleting: ({ id }) => instance.server('DELETE', `/api/v1/customers/${id}`),
      'password change': ({ logins }) =>
        instance.customer(logins[1]!.accessToken, 'POST', '/api/v1/me/password', {
          currentPassword: PASSWORD,
          newPassword: 'quite another phrase',
        }),
    };
    for (const [name, end] of Object.entries(endings)) {
      const customer = await loggedIn(2);
      expect(await lives(customer.logins[0]!, replica.baseUrl)).toBe(true);
      const answer = await end(customer);
      expect(`${name}: ${answer.status < 300}`).toBe(`${name}: true`);
      expect(`${name}: ${await lives(customer.logins[0]!, replica.baseUrl)}`).toBe(`${name}: false`);
      expect(`${name}: ${(await refresh(customer.logins[0]!.refreshToken)).status}`).toBe(`${name}: 401`);
    }
  });

  it('archiving the project acts at once on every replica', async () => {
    const [{ tokens }, { tokens: others }] = [await registerOne(instance), await registerOne(instance)];
    const archive = (when: string) =>
      instance.sql(`UPDATE projects SET archived_at = ${when} WHERE id = $1`, [
        instance.credentials.projectId,
      ]);
    const replicas = [instance.baseUrl, replica.baseUrl];
    for (const baseUrl of replicas) expect(await lives(tokens, baseUrl)).toBe(true);
    await archive('now()');
    try {
      for (const baseUrl of replicas) {
        expect(await lives(tokens, baseUrl)).toBe(false);
        expect((await refresh(tokens.refreshToken, baseUrl)).status).toBe(401);
      }
    } finally {
      await archive('NULL');
    }
    expect(await lives(others)).toBe(true);
  });
});

describe('a chain of refresh tokens', () => {
  it('TK-04: a refresh moves the idle end, up to the absolute one, which it never moves', async () => {
    const { body } = await instance.register();
    const ends = async () =>
      (
        await instance.sql(
          `SELECT absolute_expires_at::text AS absolute, idle_expires_at <= absolute_expires_at AS "isWithin",
             idle_expires_at > now() + interval '29 days' AS "isFar"
           FROM sessions WHERE customer_id = $1`,
          [body.customer.id],
        )
      )[0]!;
    const { absolute } = await ends();
    const first = await refresh(body.tokens.refreshToken);
    expect(await ends()).toEqual({ absolute, isWithin: true, isFar: true });
    await instance.sql(
      `UPDATE sessions SET absolute_expires_at = now() + interval '1 hour' WHERE customer_id = $1`,
      [body.customer.id],
    );
    expect((await refresh(first.body.tokens.refreshToken)).status).toBe(200);
    expect(await ends()).toMatchObject({ isWithin: true, isFar: false });
  });

  it('TK-06: every refresh hands out another token and spends the one before', async () => {
    const { body } = await instance.register();
    const chain = [body.tokens.refreshToken as string];
    for (let times = 0; times < 5; times += 1) {
      chain.push((await refresh(chain.at(-1)!)).body.tokens.refreshToken);
    }
    expect(new Set(chain).size).toBe(6);
    await instance.sql(`UPDATE sessions SET rotated_at = now() - interval '11 s' WHERE customer_id = $1`, [
      body.customer.id,
    ]);
    expect(await refresh(chain.at(-2)!)).toMatchObject({
      status: 401,
      body: { code: 'refresh_token_reused' },
    });
  });

  it('TK-08: of parallel uses on two replicas one successor comes, and it is the valid one', async () => {
    const { body } = await instance.register();
    let current = body.tokens.refreshToken as string;
    for (let generation = 2; generation <= 4; generation += 1) {
      const uses = Array.from({ length: 20 }, (_, index) =>
        patiently(() => refresh(current, index % 2 ? replica.baseUrl : instance.baseUrl)),
      );
      const answers = await Promise.all(uses);
      expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
      const successors = [...new Set(answers.map((answer) => answer.body.tokens.refreshToken as string))];
      expect(successors).toHaveLength(1);
      const [session] = await instance.sql('SELECT generation FROM sessions WHERE customer_id = $1', [
        body.customer.id,
      ]);
      expect(session).toEqual({ generation });
      current = successors[0]!;
    }
    expect((await refresh(body.tokens.refreshToken, replica.baseUrl)).body.code).toBe('refresh_token_reused');
    expect((await refresh(current)).status).toBe(401);
  });
});

describe('TK-03: each credential opens its own routes and no other', () => {
  type Name = keyof Awaited<ReturnType<typeof everyCredential>>;
  const everyCredential = async () => {
    const [email, oldEmail, newEmail, guest] = [uniqueEmail(), uniqueEmail(), uniqueEmail(), uniqueEmail()];
    const { tokens } = (await instance.register(email)).body;
    await instance.page('POST', '/api/v1/auth/forgot-password', { email });
    await instance.server('POST', '/api/v1/customers', { email: guest, sendInvite: true });
    const change = { email: newEmail, password: PASSWORD };
    // Another customer: a new password would void the change, and the change the other links.
    const mover = (await instance.register(oldEmail)).body.tokens;
    await instance.customer(mover.accessToken, 'POST', '/api/v1/me/email', change);
    return {
      secret: instance.credentials.secretKey,
      publishable: instance.credentials.publishableKey,
      access: tokens.accessToken as string,
      refresh: tokens.refreshToken as string,
      verification: await instance.token(email, 'verify-email'),
      reset: await instance.token(email, 'reset-password'),
      invite: await instance.token(guest, 'accept-invite'),
      changeOfOld: await instance.token(oldEmail, 'change-email-current'),
      changeOfNew: await instance.token(newEmail, 'change-email-new'),
    };
  };
  let credentials: Record<Name, string>;
  beforeAll(async () => (credentials = await everyCredential()));

  const inBodies: [string, (token: string) => object, Name[]][] = [
    ['refresh', (refreshToken) => ({ refreshToken }), ['refresh']],
    ['verify-email', (token) => ({ token }), ['verification']],
    ['reset-password', (token) => ({ token, password: 'quite another phrase' }), ['reset', 'invite']],
    ['confirm-email-change', (token) => ({ token }), ['changeOfOld', 'changeOfNew']],
  ];

  it('no route takes a credential of another kind in its body', async () => {
    const faults: unknown[] = [];
    for (const [route, body, own] of inBodies) {
      const send = async (token: string) => {
        const answer = await instance.request('POST', `/api/v1/auth/${route}`, { body: body(token) });
        return { status: answer.status, body: { ...answer.body, requestId: '' } };
      };
      const garbage = await send('x'.repeat(43));
      expect(garbage.body.code).toBe(route === 'refresh' ? 'invalid_refresh_token' : 'invalid_token');
      for (const [name, credential] of Object.entries(credentials)) {
        if (own.includes(name as Name)) continue;
        const answer = await send(credential);
        if (!isDeepStrictEqual(answer, garbage)) faults.push([route, name, answer]);
      }
    }
    expect(faults).toEqual([]);
  });

  const pages: [string, Name[]][] = [
    ['/verify-email', ['verification']],
    ['/reset-password', ['reset', 'invite']],
    ['/accept-invite', ['reset', 'invite']],
    ['/confirm-email-change', ['changeOfOld', 'changeOfNew']],
  ];

  it('no page takes a credential of another kind', async () => {
    const faults: unknown[] = [];
    for (const [path, own] of pages) {
      for (const [name, token] of Object.entries(credentials)) {
        if (own.includes(name as Name)) continue;
        const opened = await instance.request('GET', `${path}?token=${encodeURIComponent(token)}`);
        const pressed = await fetch(instance.baseUrl + path, {
          method: 'POST',
          body: new URLSearchParams({ token, password: 'quite another phrase' }),
        });
        const isSame = (await pressed.text()) === opened.body;
        if (opened.status !== 400 || pressed.status !== 400 || !isSame)
          faults.push([path, name, opened.status, pressed.status]);
      }
    }
    expect(faults).toEqual([]);
  });

  it('no header takes a credential of another kind', async () => {
    const faults: unknown[] = [];
    for (const [method, path, header, own] of [
      ['GET', '/api/v1/me', 'authorization', 'access'],
      ['GET', '/v1/webhooks/endpoints', 'authorization', 'secret'],
      ['GET', '/v1/webhooks/endpoints', 'x-api-key', 'secret'],
      ['POST', '/api/v1/auth/forgot-password', 'x-publishable-key', 'publishable'],
    ] as const) {
      for (const [name, credential] of Object.entries(credentials)) {
        const value = header === 'authorization' ? `Bearer ${credential}` : credential;
        const body = method === 'POST' ? { email: uniqueEmail() } : undefined;
        const { status } = await instance.request(method, path, { body, headers: { [header]: value } });
        const expected = name === own ? [200, 202] : [401, 403];
        if (!expected.includes(status)) faults.push([method, path, header, name, status]);
      }
    }
    expect(faults).toEqual([]);
  });

  // The last of the block: until here no credential was spent.
  it('all of them are still valid where they belong', async () => {
    for (const [route, body, own] of inBodies) {
      for (const name of own) {
        const answer = await instance.request('POST', `/api/v1/auth/${route}`, {
          body: body(credentials[name]),
        });
        expect([name, answer.status < 300]).toEqual([name, true]);
      }
    }
  });
});
