import { randomUUID } from 'node:crypto';
import { request as httpRequest, type ClientRequest } from 'node:http';
import { Redis } from 'ioredis';
import { eventually } from '../support/eventually.js';
import { availableQueues, TestInstance, PASSWORD, type TestResponse } from '../support/test-instance.js';
import { uniqueEmail } from '../support/unique-email.js';

let instance: TestInstance;
beforeAll(async () => {
  const env = { TRUSTED_PROXIES: '127.0.0.0/8,10.0.0.0/8', HASH_THREADS: '1', HASH_QUEUE_WAIT: '600ms' };
  instance = await TestInstance.start({ workers: 0, env });
});
afterAll(async () => instance?.stop());

const loginFrom = (headers: Record<string, string>, target = instance): Promise<TestResponse> =>
  target.login(uniqueEmail(), PASSWORD, headers);
/**
 * Logs in 31 times sequentially, so that the only hash thread is never overloaded, and returns the last
 * status.
 */
async function getStatusAfter30(headersOf: (index: number) => Record<string, string>): Promise<number> {
  for (let index = 0; index < 30; index += 1) expect((await loginFrom(headersOf(index))).status).toBe(401);
  return (await loginFrom(headersOf(30))).status;
}
const secretKeyHeader = () => ({ authorization: `Bearer ${instance.credentials.projectSecretKey}` });

describe('the limits of sign-in methods', () => {
  it.each([
    ['options', 120],
    ['email-code', 10],
    ['email-code/verify', 30],
    ['exchange', 60],
  ])('RL-02: %s allows %i requests a minute for each client address', async (path, quota) => {
    // The limit comes before the validation of the body.
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

describe('the limits of the hosted sign-in page', () => {
  const from = { 'x-forwarded-for': '203.0.113.78' };
  const open = (clientId: string): Promise<Response> =>
    fetch(`${instance.baseUrl}/sign-in?client_id=${clientId}`, { headers: from });

  it('RL-02: allow 60 views a minute for each client address and project, and together for unknown projects', async () => {
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

  it('RL-02: count the forms with the requests to the API that do the same', async () => {
    const { projectId, publishableKey } = instance.credentials;
    const headers = { 'x-publishable-key': publishableKey, ...from };
    for (let count = 0; count < 30; count += 1)
      await instance.request('POST', '/api/v1/auth/login', { body: {}, headers });
    const submit = (): Promise<Response> =>
      fetch(`${instance.baseUrl}/sign-in?client_id=${projectId}`, { method: 'POST', headers: from });
    expect((await submit()).status).toBe(429);
  });
});

describe('the limit of logins', () => {
  it('RL-02, RL-07, LG-03: is 30 a minute for each client address, and is in the documented headers and the log', async () => {
    const from = { 'x-forwarded-for': '203.0.113.9' };
    expect(await getStatusAfter30(() => from)).toBe(429);
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

  it('RL-02: applies to the last address before the trusted proxies, IPv6 by /64, and accepts X-Client-IP only with a secret key', async () => {
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
      expect([name, await getStatusAfter30(headersOf)]).toEqual([name, 429]);
    await eventually(
      'the address in the log',
      () => instance.api.log.filter(({ ip }) => ip === '203.0.113.19').length === 31,
    );
    expect((await loginFrom({ 'x-forwarded-for': '2001:db8:1:3::1' })).status).toBe(401);

    const unlimited = {
      'X-Client-IP with a secret key': clientIp((index) => `198.51.100.${index}`),
      'IPv4 in the form of IPv6': clientIp((index) => `::ffff:198.51.100.${index + 100}`),
    };
    for (const [name, headersOf] of Object.entries(unlimited))
      expect([
        name,
        await getStatusAfter30((index) => ({ ...secretKeyHeader(), ...headersOf(index) })),
      ]).toEqual([name, 401]);
    expect(['loopback outside production', await getStatusAfter30(() => ({}))]).toEqual([
      'loopback outside production',
      401,
    ]);
  });
});

(availableQueues.includes('redis') ? describe : describe.skip)('limits in Redis', () => {
  let redisInstance: TestInstance;
  let redis: Redis;
  beforeAll(async () => {
    redisInstance = await TestInstance.start({
      queue: 'redis',
      workers: 0,
      env: { TRUSTED_PROXIES: '127.0.0.0/8' },
    });
    redis = new Redis(redisInstance.env['REDIS_URL']!);
  });
  afterAll(async () => {
    redis?.disconnect();
    await redisInstance?.stop();
  });

  /**
   * Sends requests until one is rejected. A request that times out in Redis is counted only in the memory of
   * the api.
   */
  const waitForRejection = (send: () => Promise<TestResponse>): Promise<TestResponse> =>
    eventually('a rejected request', async () => {
      const response = await send();
      return response.status === 429 && response;
    });

  it('allow a secret key 100 requests a second across all apis', async () => {
    const { secretKey } = redisInstance.credentials;
    const [key] = await redisInstance.sql('SELECT id FROM api_keys WHERE last4 = $1', [secretKey.slice(-4)]);
    // The long expiry makes the window outlast the second.
    await redis.set(`gatehouse:limit:secret-key:${key!['id']}`, 99, 'PX', 600_000);
    const list = () => redisInstance.requestWithSecretKey('GET', '/v1/webhooks/endpoints?limit=1');
    expect((await list()).status).toBe(200);
    expect((await waitForRejection(list)).headers.get('ratelimit-policy')).toBe('"secret-key";q=100;w=1');
  });

  it('RL-02: allow an address 30 logins a minute across all apis', async () => {
    await redis.set(
      `gatehouse:limit:login:${redisInstance.credentials.projectId}:203.0.113.9`,
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

describe('more passwords than the threads can hash', () => {
  const HOLD = 'password.before-hash';
  // This hash costs as much as a thousand hashes of this instance. The queue is full while it waits.
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

  it('RL-03, RL-04: cause 503 with Retry-After while /me, refresh and /livez respond, and an aborted request leaves the queue without hashing', async () => {
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
