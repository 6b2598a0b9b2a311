import { request as httpRequest, type ClientRequest } from 'node:http';
import { eventually } from '../support/eventually.js';
import { TestInstance, PASSWORD, type Answer } from '../support/test-instance.js';
import { uniqueEmail } from '../support/unique-email.js';

describe('RL-02: the address of a client', () => {
  const loginFrom = (instance: TestInstance, forwarded: string): Promise<Answer> =>
    instance.login(uniqueEmail(), PASSWORD, { 'x-forwarded-for': forwarded });
  const loggedIps = (instance: TestInstance): unknown[] =>
    instance.api.log.filter(({ route }) => route === '/api/v1/auth/login').map(({ ip }) => ip);

  it('is that of the connection when nobody is trusted, whatever X-Forwarded-For says', async () => {
    const instance = await TestInstance.start({ workers: 0 });
    try {
      const { body } = await instance.request('POST', '/api/v1/auth/register', {
        body: { email: uniqueEmail(), password: PASSWORD },
        headers: {
          'x-publishable-key': instance.credentials.publishableKey,
          'x-forwarded-for': '203.0.113.9',
          'x-real-ip': '203.0.113.9',
          'x-client-ip': '203.0.113.9',
          forwarded: 'for=203.0.113.9',
        },
      });
      const sessions = await instance.server('GET', `/api/v1/customers/${body.customer.id}/sessions`);
      expect(sessions.body.data[0].ip).toBe('127.0.0.1');
      await loginFrom(instance, '203.0.113.9, 127.0.0.1');
      await eventually('the log', () => loggedIps(instance).length === 1);
      expect(loggedIps(instance)).toEqual(['127.0.0.1']);
    } finally {
      await instance.stop();
    }
  });

  it('is the last one that a trusted proxy has not added, so nobody chooses their own', async () => {
    const instance = await TestInstance.start({
      workers: 0,
      env: { TRUSTED_PROXIES: '127.0.0.0/8,10.0.0.0/8' },
    });
    try {
      let invented = 0;
      const statuses: number[] = [];
      for (let times = 0; times < 31; times += 1) {
        const chain = `198.51.100.${(invented += 1)}, 203.0.113.9, 10.1.2.3`;
        statuses.push((await loginFrom(instance, chain)).status);
      }
      expect(statuses).toEqual([...Array(30).fill(401), 429]);
      await eventually('the log', () => loggedIps(instance).length === 31);
      expect(new Set(loggedIps(instance))).toEqual(new Set(['203.0.113.9']));
    } finally {
      await instance.stop();
    }
  });
});

describe('more passwords than the threads can hash', () => {
  let instance: TestInstance;
  let tokens: { accessToken: string; refreshToken: string };
  // A hash takes long enough that what comes meanwhile has to wait.
  beforeAll(async () => {
    const env = { HASH_THREADS: '1', BCRYPT_COST: '12', RATE_LIMITS: 'off' };
    instance = await TestInstance.start({ workers: 0, env });
    tokens = (await instance.register()).body.tokens;
  });
  afterAll(async () => instance?.stop());

  it('RL-03, RL-04: 503 with Retry-After for the overflow, while /me, refresh and /livez answer', async () => {
    let isOver = false;
    const beside: number[] = [];
    const watch = async (): Promise<void> => {
      while (!isOver) {
        const refreshed = await instance.request('POST', '/api/v1/auth/refresh', {
          body: { refreshToken: tokens.refreshToken },
        });
        tokens = refreshed.body.tokens ?? tokens;
        const me = await instance.customer(tokens.accessToken, 'GET', '/api/v1/me');
        beside.push(refreshed.status, me.status, (await instance.request('GET', '/livez')).status);
      }
    };
    const watching = watch();
    const answers: Answer[] = [];
    // Until some have been asked beside it.
    do answers.push(...(await flood(200)));
    while (beside.length <= 3);
    isOver = true;
    await watching;
    const refused = answers.filter(({ status }) => status === 503);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401, 503]));
    expect(refused.length).toBeGreaterThan(answers.length / 2);
    for (const { headers, body } of refused) {
      expect(body.code).toBe('overloaded');
      expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    }
    expect(new Set(beside)).toEqual(new Set([200]));
  });

  const flood = (count: number): Promise<Answer[]> =>
    Promise.all(Array.from({ length: count }, () => instance.login(uniqueEmail())));
});

describe('a password that waits', () => {
  let instance: TestInstance;
  // The instance's own hashes are quick, so that nobody is refused however slow the machine; one that was imported is not.
  const slow = { email: uniqueEmail(), passwordHash: `$2b$14$${'C'.repeat(21)}.${'E'.repeat(30)}C` };
  beforeAll(async () => {
    instance = await TestInstance.start({ workers: 0, env: { HASH_THREADS: '1', RATE_LIMITS: 'off' } });
    expect(await instance.server('POST', '/api/v1/customers', slow)).toMatchObject({ status: 201 });
  });
  afterAll(async () => instance?.stop());

  const triesOf = async (): Promise<number[]> =>
    (await instance.sql<{ tries: number }>('SELECT tries FROM login_attempts ORDER BY window_ends_at')).map(
      ({ tries }) => tries,
    );

  it('RL-03: a request that is given up leaves the queue, and its password is never hashed', async () => {
    // The first one keeps the only thread busy, the second one waits behind it.
    const running = instance.login(slow.email);
    await eventually('the first try', async () => (await triesOf()).length === 1);
    const waiting = givenUpLater();
    await eventually('the second try', async () => (await triesOf()).length === 2);
    waiting.destroy();
    expect((await running).status).toBe(401);
    // Whoever comes now would stand behind it.
    expect((await instance.login(uniqueEmail())).status).toBe(401);
    await eventually('the second try given back', async () => (await triesOf()).join() === '1,0,1');
    await eventually('the log', () => instance.api.log.some(({ status }) => status === 499));
  });

  const givenUpLater = (): ClientRequest => {
    const request = httpRequest(`${instance.baseUrl}/api/v1/auth/login`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-publishable-key': instance.credentials.publishableKey,
      },
    });
    request.on('error', () => undefined).end(JSON.stringify({ email: uniqueEmail(), password: PASSWORD }));
    return request;
  };
});
