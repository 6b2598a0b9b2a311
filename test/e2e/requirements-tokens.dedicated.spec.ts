import { fetchDocumented } from '../support/fetch-documented.js';
import { TestInstance, PASSWORD, type Answer } from '../support/test-instance.js';
import { patiently } from '../support/patiently.js';
import { startReplica } from '../support/replicas.js';
import { uniqueEmail } from '../support/unique-email.js';

let instance: TestInstance;
let replica: Awaited<ReturnType<typeof startReplica>>;
beforeAll(async () => {
  instance = await TestInstance.start({ workers: 0, env: { RATE_LIMITS: 'off' } });
  replica = await startReplica(instance);
});
afterAll(async () => {
  await replica?.process.end();
  await instance?.stop();
});

const refresh = async (refreshToken: string, baseUrl = instance.baseUrl): Promise<Answer> => {
  const response = await fetchDocumented(`${baseUrl}/api/v1/auth/refresh`, {
    method: 'POST',
    body: JSON.stringify({ refreshToken }),
    headers: { 'content-type': 'application/json' },
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
};
const me = async (accessToken: string, baseUrl = instance.baseUrl): Promise<number> =>
  (await fetchDocumented(`${baseUrl}/api/v1/me`, { headers: { authorization: `Bearer ${accessToken}` } }))
    .status;

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

  it.each(inBodies)('%s takes no credential of another kind', async (route, body, own) => {
    const ask = (token: string) => instance.request('POST', `/api/v1/auth/${route}`, { body: body(token) });
    const shown = ({ status, body: problem }: Answer) => ({ status, body: { ...problem, requestId: '' } });
    const garbage = shown(await ask('x'.repeat(43)));
    expect(garbage.body.code).toBe(route === 'refresh' ? 'invalid_refresh_token' : 'invalid_token');
    for (const [name, credential] of Object.entries(credentials)) {
      if (!own.includes(name as Name)) expect([name, shown(await ask(credential))]).toEqual([name, garbage]);
    }
  });

  const pages: [string, Name[]][] = [
    ['/verify-email', ['verification']],
    ['/reset-password', ['reset', 'invite']],
    ['/accept-invite', ['reset', 'invite']],
    ['/confirm-email-change', ['changeOfOld', 'changeOfNew']],
  ];

  it.each(pages)('the page %s takes no credential of another kind', async (path, own) => {
    for (const [name, token] of Object.entries(credentials)) {
      if (own.includes(name as Name)) continue;
      const opened = await instance.request('GET', `${path}?token=${encodeURIComponent(token)}`);
      const pressed = await fetch(instance.baseUrl + path, {
        method: 'POST',
        body: new URLSearchParams({ token, password: 'quite another phrase' }),
      });
      expect([name, opened.status, pressed.status]).toEqual([name, 400, 400]);
      expect(await pressed.text()).toBe(opened.body);
    }
  });

  it.each([
    ['GET', '/api/v1/me', 'authorization', ['access']],
    ['GET', '/v1/webhooks/endpoints', 'authorization', ['secret']],
    ['GET', '/v1/webhooks/endpoints', 'x-api-key', ['secret']],
    ['POST', '/api/v1/auth/forgot-password', 'x-publishable-key', ['publishable']],
  ] as [string, string, string, Name[]][])(
    '%s %s with %s opens to %j alone',
    async (method, path, header, own) => {
      for (const [name, credential] of Object.entries(credentials)) {
        const value = header === 'authorization' ? `Bearer ${credential}` : credential;
        const body = method === 'POST' ? { email: uniqueEmail() } : undefined;
        const { status } = await instance.request(method, path, { body, headers: { [header]: value } });
        const expected = own.includes(name as Name) ? [200, 202] : [401, 403];
        expect([name, expected.includes(status) ? expected : status]).toEqual([name, expected]);
      }
    },
  );

  // The last of the block: until here nothing was spent.
  it('and all of them are still good where they belong', async () => {
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

describe('the line of refresh tokens', () => {
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
    const line = [body.tokens.refreshToken as string];
    for (let times = 0; times < 5; times += 1) {
      line.push((await refresh(line.at(-1)!)).body.tokens.refreshToken);
    }
    expect(new Set(line).size).toBe(6);
    await instance.sql(`UPDATE sessions SET rotated_at = now() - interval '11 s' WHERE customer_id = $1`, [
      body.customer.id,
    ]);
    expect(await refresh(line.at(-2)!)).toMatchObject({
      status: 401,
      body: { code: 'refresh_token_reused' },
    });
  });

  it('TK-08: of parallel uses on two replicas one successor comes, and it is the one that lives', async () => {
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

describe('TK-10: when the project has gone', () => {
  it('no access or refresh token of its customers works on any replica', async () => {
    const [{ tokens }, { tokens: others }] = [
      (await instance.register()).body,
      (await instance.register()).body,
    ];
    const archive = (when: string) =>
      instance.sql(`UPDATE projects SET archived_at = ${when} WHERE id = $1`, [
        instance.credentials.projectId,
      ]);
    const replicas = [instance.baseUrl, replica.baseUrl];
    for (const baseUrl of replicas) expect(await me(tokens.accessToken, baseUrl)).toBe(200);
    await archive('now()');
    try {
      for (const baseUrl of replicas) {
        expect(await me(tokens.accessToken, baseUrl)).toBe(401);
        expect((await refresh(tokens.refreshToken, baseUrl)).status).toBe(401);
      }
    } finally {
      await archive('NULL');
    }
    expect(await me(others.accessToken)).toBe(200);
  });
});
