import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { Redis } from 'ioredis';
import { decodeJwt } from 'jose';
import { limitSettings } from '@gatehouse/domain';
import { expectStatus, withSettings } from '../support/customers.js';
import { requestEmailCode, verifyEmailCode } from '../support/email-codes.js';
import { eventually } from '../support/eventually.js';
import { isNightly } from '../support/is-nightly.js';
import { insertOperator, inviteOperator, OperatorClient, signIn } from '../support/operator-client.js';
import { insertProject, type Tenant } from '../support/tenants.js';
import { availableQueues, TestInstance, PASSWORD, type TestResponse } from '../support/test-instance.js';
import { findRedisPrefix } from '../support/redis-prefix.js';
import { uniqueEmail } from '../support/unique-email.js';

let instance: TestInstance;
beforeAll(async () => {
  // Every loopback connection is a trusted proxy, which is the worst case for forged headers.
  const env = { TRUSTED_PROXIES: '127.0.0.0/8,10.0.0.0/8', HASH_THREADS: '1', HASH_QUEUE_WAIT: '600ms' };
  instance = await TestInstance.start({ workers: 0, env });
});
afterAll(async () => instance?.stop());

const loginFrom = (headers: Record<string, string>, target = instance): Promise<TestResponse> =>
  target.login(uniqueEmail(), PASSWORD, headers);
/** Logs in sequentially, so that the only hash thread is never overloaded. Returns the status after `count` logins. */
async function getStatusAfter(
  count: number,
  headersOf: (index: number) => Record<string, string>,
): Promise<number> {
  for (let index = 0; index < count; index += 1) expect((await loginFrom(headersOf(index))).status).toBe(401);
  return (await loginFrom(headersOf(count))).status;
}
const secretKeyHeader = () => ({ authorization: `Bearer ${instance.credentials.projectSecretKey}` });

describe('the limit of a sign-in method', () => {
  it.each<[path: string, quota: number]>([
    ['email-code', 10],
    ['email-code/verify', 30],
    // Without a credential, invalid input belongs to no project.
    ['verify-email', 30],
    ...(isNightly
      ? ([
          ['options', 120],
          ['exchange', 60],
          ['refresh', 120],
        ] satisfies [string, number][])
      : []),
  ])('RL-02: restricts %s to %i requests a minute per client IP', async (path, quota) => {
    // The limit is checked before the body is validated.
    const headers = {
      'x-publishable-key': instance.credentials.publishableKey,
      'x-forwarded-for': '203.0.113.77',
    };
    const request = () => instance.request('POST', `/api/v1/auth/${path}`, { body: {}, headers });
    for (let count = 0; count < quota; count += 1) expect((await request()).status).toBe(400);
    const rejected = await request();
    expect(rejected).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
    expect(rejected.headers.get('ratelimit-policy')).toContain(`;q=${quota};w=60`);
  });
});

describe('the rate limit of a project', () => {
  /** A project with a customer. */
  type Project = Tenant & {
    accessToken: string;
    refreshToken: string;
    verifyToken: string;
    resetToken: string;
  };

  let from: Record<string, string>;
  let addresses = 0;
  beforeEach(() => (from = { 'x-forwarded-for': `203.0.113.${100 + (addresses += 1)}` }));

  async function createProject(): Promise<Project> {
    const tenant = await insertProject(instance, instance.credentials.organizationId);
    const email = uniqueEmail();
    const send = (path: string, body: object) =>
      instance.request('POST', `/api/v1/auth/${path}`, {
        body,
        headers: { 'x-publishable-key': tenant.publishableKey },
      });
    const { body } = expectStatus(201, await send('register', { email, password: PASSWORD }));
    expectStatus(202, await send('forgot-password', { email }));
    return {
      ...tenant,
      ...body.tokens,
      verifyToken: await instance.getVerificationToken(email),
      resetToken: await instance.getMailToken(email, 'reset-password'),
    };
  }
  const changeSettings = async ({ projectId }: Tenant, settings: object): Promise<void> => {
    const path = `/api/v1/projects/${projectId}`;
    expectStatus(200, await instance.requestWithSecretKey('PATCH', path, { settings }));
  };
  const sendPublic = ({ publishableKey }: Tenant, path: string, body = {}): Promise<TestResponse> =>
    instance.request('POST', `/api/v1/auth/${path}`, {
      body,
      headers: { 'x-publishable-key': publishableKey, ...from },
    });
  const sendAsCustomer = ({ accessToken }: Project, path: string, body = {}): Promise<TestResponse> =>
    instance.request('POST', `/api/v1/me/${path}`, {
      body,
      headers: { authorization: `Bearer ${accessToken}`, ...from },
    });
  const openPage = async (path: string): Promise<{ status: number; policy: string | null }> => {
    const { status, headers } = await fetch(`${instance.baseUrl}${path}`, { headers: from });
    return { status, policy: headers.get('ratelimit-policy') };
  };
  async function refresh(project: Project): Promise<TestResponse> {
    const response = await sendPublic(project, 'refresh', { refreshToken: project.refreshToken });
    if (response.status === 200) project.refreshToken = response.body.tokens.refreshToken as string;
    return response;
  }
  const toLimit = ({ status, headers, body }: TestResponse) => ({
    status,
    policy: headers.get('ratelimit-policy'),
    ...(status === 429 && { limit: body.limit as string }),
  });

  const routes: [string, (project: Project) => Promise<TestResponse>][] = [
    ...[
      ['login', 'login'],
      ['register', 'register'],
      ['forgot', 'forgot-password'],
      ['resend', 'resend-verification'],
      ['email-code', 'email-code'],
      ['email-code-verify', 'email-code/verify'],
      ['challenge', 'challenge/totp'],
      ['passkey', 'passkey'],
      ['passkey-options', 'passkey/options'],
      ['oauth', 'oauth/acme/token'],
      ['exchange', 'exchange'],
      ['options', 'options'],
    ].map(([name, path]): [string, (project: Project) => Promise<TestResponse>] => [
      name!,
      (project) => sendPublic(project, path!),
    ]),
    ['verify', (project) => sendPublic(project, 'verify-email', { token: project.verifyToken })],
    [
      'reset',
      (project) => sendPublic(project, 'reset-password', { token: project.resetToken, password: 'weak' }),
    ],
    ['reauthenticate', (project) => sendAsCustomer(project, 'reauthenticate')],
    ['refresh', refresh],
  ];

  it('RL-02: applies only to its kind of request, and is named in the 429 response', async () => {
    const [limited, other] = [await createProject(), await createProject()];
    const names = routes.map(([name]) => name);
    const limits = Object.fromEntries(
      Object.entries(limitSettings)
        .filter(([, { min }]) => min === 1)
        .map(([name]) => [name, 1]),
    );
    await changeSettings(limited, { limits });
    const results = [];
    for (const [name, send] of routes) {
      const [first, second] = [await send(limited), await send(limited)];
      const others = [await send(other), await send(other)];
      results.push([name, first.status === 429, toLimit(second), others.map(({ status }) => status === 429)]);
    }
    expect(results).toEqual(
      names.map((limit) => [
        limit,
        false,
        { status: 429, policy: `"${limit}";q=1;w=60`, limit },
        [false, false],
      ]),
    );
    expect(Object.keys(limits)).toHaveLength(names.length + 1);
    const openSignIn = ({ projectId }: Tenant) => openPage(`/sign-in?client_id=${projectId}`);
    expect([await openSignIn(limited), await openSignIn(limited)]).toEqual([
      { status: 400, policy: null },
      { status: 429, policy: '"sign-in-page";q=1;w=60' },
    ]);
    expect((await openSignIn(other)).status).toBe(400);
  });

  it('RL-02: counts views of emailed links together with the equivalent API requests', async () => {
    const [limited, other] = [await createProject(), await createProject()];
    await changeSettings(limited, { limits: { verify: 1 } });
    const open = ({ verifyToken }: Project) => openPage(`/verify-email?token=${verifyToken}`);
    expectStatus(200, await sendPublic(limited, 'verify-email', { token: limited.verifyToken }));
    expect(await open(limited)).toEqual({ status: 429, policy: '"verify";q=1;w=60' });
    expect((await open(other)).status).toBe(200);
  });

  it('RL-02: does not apply to requests of other projects from the same address', async () => {
    const [busy, limited] = [await createProject(), await createProject()];
    await changeSettings(limited, { limits: { refresh: 2, verify: 1 } });
    const verify = async (project: Project) =>
      (await sendPublic(project, 'verify-email', { token: project.verifyToken })).status;
    for (let count = 0; count < 3; count += 1) {
      expect((await refresh(busy)).status).toBe(200);
      expect(await verify(busy)).not.toBe(429);
    }
    const refreshes = [];
    for (let count = 0; count < 3; count += 1) refreshes.push((await refresh(limited)).status);
    expect(refreshes).toEqual([200, 200, 429]);
    expect([await verify(limited), await verify(limited)]).toEqual([200, 429]);
  });

  it('leaves the token of a rejected refresh unused', async () => {
    const project = await createProject();
    await changeSettings(project, { limits: { refresh: 1 } });
    expect([(await refresh(project)).status, (await refresh(project)).status]).toEqual([200, 429]);
    await changeSettings(project, { limits: { refresh: 1_000 } });
    expect((await refresh(project)).status).toBe(200);
  });

  it('RL-01: can be set for failed attempts, together with their window', async () => {
    const [limited, other] = [await createProject(), await createProject()];
    const methods = { signIn: { emailCode: true }, mfa: 'optional' };
    await changeSettings(other, methods);
    const limits = { failedLogin: 3, wrongEmailCode: 4, failedSecondFactor: 5, failureWindow: 300 };
    await changeSettings(limited, { ...methods, limits });
    const emails = new Map([limited, other].map(({ projectId }) => [projectId, uniqueEmail()]));
    const login = (project: Project) =>
      sendPublic(project, 'login', { email: emails.get(project.projectId), password: 'wrong password' });
    const guessCode = async (project: Project) => {
      const options = { publishableKey: project.publishableKey };
      const email = emails.get(project.projectId)!;
      const { token } = (await requestEmailCode(instance, email, options)).body.challenge;
      return verifyEmailCode(instance, { token, code: '000000x' }, options);
    };
    const factors = new Map<string, string>();
    for (const project of [limited, other]) {
      const { id } = (await sendAsCustomer(project, 'factors/totp', { password: PASSWORD })).body;
      factors.set(project.projectId, id as string);
    }
    const guessFactor = (project: Project) =>
      sendAsCustomer(project, `factors/totp/${factors.get(project.projectId)}/confirm`, { code: '000000' });
    for (const [limit, quota, send] of [
      ['failed-login', 3, login],
      ['wrong-email-code', 4, guessCode],
      ['failed-second-factor', 5, guessFactor],
    ] as const) {
      for (let count = 0; count < quota; count += 1) expect((await send(limited)).status).not.toBe(429);
      const rejected = toLimit(await send(limited));
      expect(rejected).toEqual({ status: 429, policy: `"${limit}";q=${quota};w=300`, limit });
      for (let count = 0; count <= quota; count += 1) expect((await send(other)).status).not.toBe(429);
    }
  });
});

describe('the rate limit of the hosted sign-in page', () => {
  const from = { 'x-forwarded-for': '203.0.113.78' };
  const open = (clientId: string): Promise<Response> =>
    fetch(`${instance.baseUrl}/sign-in?client_id=${clientId}`, { headers: from });

  it('RL-02: allows each client IP 60 views a minute per project, and 60 for unknown projects', async () => {
    const { projectId } = instance.credentials;
    for (let count = 0; count < 60; count += 1) {
      expect((await open(projectId)).status).toBe(400);
      expect((await open(randomUUID())).status).toBe(400);
    }
    const rejected = await open(projectId);
    expect(rejected.status).toBe(429);
    expect(await rejected.text()).toContain('Too many requests');
    expect((await open(randomUUID())).status).toBe(429);
  });

  it('RL-02: counts forms together with the equivalent API requests', async () => {
    const { projectId, publishableKey } = instance.credentials;
    const headers = { 'x-publishable-key': publishableKey, ...from };
    for (let count = 0; count < 30; count += 1)
      await instance.request('POST', '/api/v1/auth/login', { body: {}, headers });
    const submit = (): Promise<Response> =>
      fetch(`${instance.baseUrl}/sign-in?client_id=${projectId}`, { method: 'POST', headers: from });
    expect((await submit()).status).toBe(429);
  });
});

describe('the limit on logins', () => {
  it('RL-02, RL-07, LG-03: allows 30 a minute per client IP, as the headers and the log state', async () => {
    const from = { 'x-forwarded-for': '203.0.113.9' };
    expect(await getStatusAfter(30, () => from)).toBe(429);
    const rejected = await loginFrom({ ...from, 'x-request-id': 'limited' });
    expect(rejected).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
    const wait = rejected.headers.get('retry-after');
    expect(Number(wait)).toBeGreaterThan(0);
    expect(rejected.headers.get('ratelimit-policy')).toBe('"login";q=30;w=60');
    expect(rejected.headers.get('ratelimit')).toBe(`"login";r=0;t=${wait}`);
    const { publishableKey, projectId } = instance.credentials;
    const [key] = await instance.sql('SELECT id FROM api_keys WHERE last4 = $1', [publishableKey.slice(-4)]);
    const line = await eventually('the log line', () =>
      instance.api.log.find(({ requestId, message }) => requestId === 'limited' && message === 'request'),
    );
    const actor = `key:${key!['id']}`;
    expect(line).toMatchObject({ code: 'rate_limited', ip: '203.0.113.9', projectId, actor });
    expect((await loginFrom({ 'x-forwarded-for': '203.0.113.10' })).status).toBe(401);
  });

  /** Number of logins that the next test's project allows. */
  const LIMIT = 3;

  it('RL-02: applies per last address before trusted proxies, per IPv6 /64, or per X-Client-IP', async () => {
    await withSettings(instance, { limits: { login: LIMIT } }, async () => {
      const forwarded = (createAddress: (index: number) => string) => (index: number) => ({
        'x-forwarded-for': createAddress(index),
      });
      const clientIp = (createAddress: (index: number) => string) => (index: number) => ({
        'x-client-ip': createAddress(index),
      });
      const limited = {
        'a chain of forged addresses': forwarded((index) => `198.51.100.${index}, 203.0.113.19, 10.1.2.3`),
        'IPv6 neighbors': forwarded((index) => `2001:db8:1:2::${(index + 1).toString(16)}`),
        'an address with changing ports': forwarded((index) => `203.0.113.20:${50_000 + index}`),
        'X-Client-IP without a secret key': (index: number) => ({
          'x-forwarded-for': '203.0.113.21',
          ...clientIp((at) => `198.51.100.${at}`)(index),
        }),
      };
      for (const [name, headersOf] of Object.entries(limited))
        expect([name, await getStatusAfter(LIMIT, headersOf)]).toEqual([name, 429]);
      await eventually(
        'the address in the log',
        () => instance.api.log.filter(({ ip }) => ip === '203.0.113.19').length === LIMIT + 1,
      );
      expect((await loginFrom({ 'x-forwarded-for': '2001:db8:1:3::1' })).status).toBe(401);

      const unlimited = {
        'X-Client-IP with a secret key': clientIp((index) => `198.51.100.${index}`),
        'IPv4 addresses in IPv6 notation': clientIp((index) => `::ffff:198.51.100.${index + 100}`),
      };
      for (const [name, headersOf] of Object.entries(unlimited))
        expect([
          name,
          await getStatusAfter(LIMIT, (index) => ({ ...secretKeyHeader(), ...headersOf(index) })),
        ]).toEqual([name, 401]);
      expect(['loopback outside production', await getStatusAfter(LIMIT, () => ({}))]).toEqual([
        'loopback outside production',
        401,
      ]);
    });
  });
});

(availableQueues.includes('redis') ? describe : describe.skip)('the rate limiter in Redis', () => {
  let redisInstance: TestInstance;
  let redis: Redis;
  let prefix: string;
  beforeAll(async () => {
    redisInstance = await TestInstance.start({
      queue: 'redis',
      workers: 0,
      env: { TRUSTED_PROXIES: '127.0.0.0/8' },
    });
    redis = new Redis(redisInstance.env['REDIS_URL']!);
    prefix = await findRedisPrefix(redis);
  });
  afterAll(async () => {
    redis?.disconnect();
    await redisInstance?.stop();
  });

  /**
   * Sends requests until one is rejected. A request that times out in Redis is counted only in the API process's
   * memory.
   */
  const waitForRejection = (send: () => Promise<TestResponse>): Promise<TestResponse> =>
    eventually('a rejected request', async () => {
      const response = await send();
      return response.status === 429 && response;
    });

  it('allows a secret key its own requests per second, and reports the limit', async () => {
    const { projectId } = redisInstance.credentials;
    const path = `/api/v1/projects/${projectId}/api-keys`;
    const create = (rateLimit: unknown) =>
      redisInstance.requestWithSecretKey('POST', path, { name: 'fast', rateLimit });
    for (const invalid of [0, 10_001, '5']) expect((await create(invalid)).status).toBe(400);
    const publishable = { name: 'app', type: 'publishable', rateLimit: 5 };
    expect((await redisInstance.requestWithSecretKey('POST', path, publishable)).status).toBe(400);
    const { id, key } = expectStatus(201, await create(50)).body;
    await redis.set(`${prefix}:limit:secret-key:${id}`, 49, 'PX', 600_000);
    const list = () => redisInstance.requestWithBearer(key as string, 'GET', '/api/v1/customers?limit=1');
    expect((await list()).status).toBe(200);
    const rejected = await waitForRejection(list);
    expect(rejected.body.limit).toBe('secret-key');
    expect(rejected.headers.get('ratelimit-policy')).toBe('"secret-key";q=50;w=1');
  });

  it('allows a secret key 100 requests a second across all API processes', async () => {
    const { secretKey } = redisInstance.credentials;
    const [key] = await redisInstance.sql('SELECT id FROM api_keys WHERE last4 = $1', [secretKey.slice(-4)]);
    // The key expires later than the second, so that the window lasts until the rejection.
    await redis.set(`${prefix}:limit:secret-key:${key!['id']}`, 99, 'PX', 600_000);
    const list = () => redisInstance.requestWithSecretKey('GET', '/v1/webhooks/endpoints?limit=1');
    expect((await list()).status).toBe(200);
    expect((await waitForRejection(list)).headers.get('ratelimit-policy')).toBe('"secret-key";q=100;w=1');
  });

  it('RL-02: allows a client IP 30 logins a minute across all API processes', async () => {
    await redis.set(
      `${prefix}:limit:login:${redisInstance.credentials.projectId}:203.0.113.9`,
      29,
      'PX',
      600_000,
    );
    const login = () => loginFrom({ 'x-forwarded-for': '203.0.113.9' }, redisInstance);
    expect((await login()).status).toBe(401);
    expect((await waitForRejection(login)).headers.get('ratelimit-policy')).toBe('"login";q=30;w=60');
    const otherAddress = { 'x-forwarded-for': '203.0.113.10' };
    expect((await loginFrom(otherAddress, redisInstance)).status).toBe(401);
  });
});

describe('an overloaded hash queue', () => {
  const HOLD = 'password.before-hash';
  // Verifying this hash costs as much as a thousand other hashes here, so the queue is full while it waits.
  const expensive = { email: uniqueEmail(), passwordHash: `$2b$14$${'C'.repeat(21)}.${'E'.repeat(30)}C` };
  beforeAll(async () => {
    expect(await instance.requestWithSecretKey('POST', '/api/v1/customers', expensive)).toMatchObject({
      status: 201,
    });
    await instance.sql('DELETE FROM login_attempts');
  });

  const listAttemptCounts = async (): Promise<string> =>
    (await instance.sql('SELECT tries FROM login_attempts ORDER BY window_ends_at'))
      .map(({ tries }) => tries as number)
      .join();

  const sendLogin = (): ClientRequest => {
    const request = httpRequest(`${instance.baseUrl}/api/v1/auth/login`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-publishable-key': instance.credentials.publishableKey,
      },
    });
    request.on('error', () => undefined).end(JSON.stringify({ email: expensive.email, password: PASSWORD }));
    return request;
  };

  it('RL-03, RL-04: causes 503, while other routes respond and aborted requests are dropped', async () => {
    let { tokens } = (await instance.register()).body;
    await instance.api.runCommand('hold', HOLD);
    const running = instance.login(uniqueEmail());
    await eventually('a held hash', async () => (await instance.api.runCommand('held', HOLD)) === 1);
    const waiting = sendLogin();
    await eventually('a waiting hash', async () => (await listAttemptCounts()) === '1,1');

    const excess = await Promise.all(Array.from({ length: 20 }, () => instance.login(uniqueEmail())));
    for (const { status, headers, body } of excess) {
      expect([status, body.code]).toEqual([503, 'overloaded']);
      expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    }
    for (let round = 0; round < 3; round += 1) {
      const refreshed = await instance.request('POST', '/api/v1/auth/refresh', {
        body: { refreshToken: tokens.refreshToken },
      });
      expect(refreshed.status).toBe(200);
      tokens = refreshed.body.tokens;
      expect((await instance.requestWithAccessToken(tokens.accessToken, 'GET', '/api/v1/me')).status).toBe(
        200,
      );
      expect((await instance.request('GET', '/livez')).status).toBe(200);
    }

    // No thread becomes free before the attempt is returned.
    waiting.destroy();
    await eventually('the returned attempt', async () => (await listAttemptCounts()) === '1,0');
    await eventually('the log line of the aborted request', () =>
      instance.api.log.some(({ status }) => status === 499),
    );
    expect(await instance.api.runCommand('held', HOLD)).toBe(1);
    await instance.api.runCommand('release', HOLD);
    expect((await running).status).toBe(401);
    expect((await instance.login(uniqueEmail())).status).toBe(401);
  });
});

it('EV-05: forged host names do not appear in links, issuers or responses', async () => {
  const forged = {
    host: 'evil.example',
    'x-forwarded-host': 'evil.example',
    'x-forwarded-proto': 'https',
    'x-forwarded-port': '8443',
    'x-original-host': 'evil.example',
    'x-host': 'evil.example',
    forwarded: 'for=192.0.2.1;host=evil.example;proto=https',
  };
  const { publishableKey } = instance.credentials;
  const send = async (method: string, path: string, body?: object): Promise<string> => {
    const headers = { ...forged, 'x-publishable-key': publishableKey, 'content-type': 'application/json' };
    const request = httpRequest(instance.baseUrl + path, { method, headers });
    request.end(body && JSON.stringify(body));
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    return JSON.stringify(response.headers) + (await text(response));
  };
  const email = uniqueEmail();
  const registered = await send('POST', '/api/v1/auth/register', { email, password: PASSWORD });
  await send('POST', '/api/v1/auth/forgot-password', { email });
  const paths = ['/api/v1/me', '/.well-known/jwks.json', '/openapi.json', '/docs/errors', '/nothing'];
  for (const kind of ['verify-email', 'reset-password']) {
    const [mail] = await instance.listMails(email, kind);
    expect(mail!['link']).toMatch(new RegExp(`^${instance.baseUrl}/${kind}\\?token=[\\w-]{43}$`));
    paths.push((mail!['link'] as string).slice(instance.baseUrl.length));
  }
  for (const path of paths) expect(await send('GET', path)).not.toContain('evil.example');
  expect(await send('GET', '/api/v1/me')).toContain(`"type":"${instance.baseUrl}/docs/errors#`);
  const [, token] = /"accessToken":"([^"]+)"/.exec(registered)!;
  expect(decodeJwt(token!).iss).toBe(instance.baseUrl);
  expect((await instance.requestWithAccessToken(token!, 'GET', '/api/v1/me')).status).toBe(200);
});

describe('RL-02: the sign-in of an operator', () => {
  const signInFrom = (
    ip: string,
    headers: Record<string, string> = {},
    body: object = { email: uniqueEmail(), password: 'x' },
  ) => new OperatorClient(instance).request('POST', '/session', body, { 'x-forwarded-for': ip, ...headers });
  /** Returns the headers with which a server would pass this client IP, including both kinds of API keys. */
  const clientIp = (ip: string) => ({
    'x-client-ip': ip,
    'x-publishable-key': instance.credentials.publishableKey,
    'x-api-key': instance.credentials.projectSecretKey,
  });

  it('has a limit per client IP, whatever email addresses are sent', async () => {
    const from = { 'x-forwarded-for': '203.0.113.9' };
    const send = (path: string, body: unknown) =>
      new OperatorClient(instance).request('POST', path, body, from);
    for (let count = 0; count < 29; count += 1) expect((await signInFrom('203.0.113.9')).status).toBe(401);
    expect((await send('/setup', { token: 'x', email: uniqueEmail(), password: 'x' })).status).toBe(400);
    const rejected = await send('/invitations/accept', { token: 'x', password: 'x' });
    expect(rejected).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
    expect(rejected.headers.get('ratelimit-policy')).toBe('"operator-login";q=30;w=60');
    expect((await instance.request('GET', '/operator/v1/session', { headers: from })).status).toBe(200);
    const { untrustedForwards } = (await (await signIn(instance)).request('GET', '/health')).body;
    expect(untrustedForwards).toEqual({ count: 0, lastAt: null });
  });

  it('ignores X-Client-IP for the limit and for the session', async () => {
    const signInWithClientIp = (index: number) => signInFrom('203.0.113.10', clientIp(`198.51.100.${index}`));
    for (let index = 0; index < 30; index += 1) expect((await signInWithClientIp(index)).status).toBe(401);
    expect(await signInWithClientIp(30)).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
    const admin = await signIn(instance);
    const { operator, password } = await inviteOperator(admin, 'viewer');
    await signInFrom('203.0.113.11', clientIp('198.51.100.99'), { email: operator.email, password });
    const { data } = (await admin.request('GET', `/operators/${operator.id}/sessions`)).body;
    expect(data[0]).toMatchObject({ ip: '203.0.113.11' });
  });

  it('requires a second factor unless it comes from this machine, even in development', async () => {
    const ip = { 'x-forwarded-for': '203.0.113.12' };
    const client = new OperatorClient(instance);
    const { operator } = await insertOperator(instance);
    await instance.sql('UPDATE operators SET totp_secret = NULL WHERE id = $1', [operator.id]);
    const credentials = { ...instance.credentials.operator, email: operator.email };
    const opened = await client.request('POST', '/session', credentials, ip);
    expect(opened.body).toMatchObject({ state: 'enrollment', maySkipEnrollment: false });
    expect(await client.request('POST', '/session/enrollment/skip', {}, ip)).toMatchObject({
      status: 403,
      body: { code: 'factor_required' },
    });
  });
});
