import { randomUUID } from 'node:crypto';
import {
  NEW_PASSWORD,
  normalizeResponse,
  registerCustomer,
  requestReset,
  submitToken,
  withSettings,
  type Tokens,
} from '../support/customers.js';
import { eventually } from '../support/eventually.js';
import { setFailedSignIns } from '../support/failed-sign-ins.js';
import { TestInstance, PASSWORD, bearerHeader, type TestResponse } from '../support/test-instance.js';
import { withConcurrentChange, type RunSql } from '../support/with-concurrent-change.js';
import { retryWhileRejected } from '../support/retry-while-rejected.js';
import { insertKey } from '../support/tenants.js';
import { uniqueEmail } from '../support/unique-email.js';

let instance: TestInstance;
// The limits per client IP are off, because they would apply before the limit on failed logins, which is always on.
beforeAll(async () => (instance = await TestInstance.startShared({ workers: 0 })));
afterAll(async () => instance?.stop());

const HOME = '203.0.113.5';
const ELSEWHERE = '192.0.2.1';

/** Logs in through a server that passes this client IP in X-Client-IP. */
const loginFrom = (ip: string, email: string, password?: string): Promise<TestResponse> =>
  instance.login(email, password, { 'x-api-key': instance.credentials.projectSecretKey, 'x-client-ip': ip });
const statusFrom = async (ip: string, email: string, password?: string): Promise<number> =>
  (await loginFrom(ip, email, password)).status;

/** Sends `count` failed logins in parallel, from different client IPs by default. @returns the responses */
const burst = (email: string, count: number, ip?: string): Promise<TestResponse[]> =>
  Promise.all(
    Array.from({ length: count }, (_, index) =>
      retryWhileRejected(() => loginFrom(ip ?? `198.51.100.${index}`, email, 'wrong password')),
    ),
  );
const statusesOf = (responses: TestResponse[]): number[] => responses.map(({ status }) => status).sort();
const statusesWithTenAllowed = (count: number): number[] => [
  ...Array(10).fill(401),
  ...Array(count - 10).fill(429),
];

/** Registers a customer who has only logged in from HOME. */
const registerAtHome = async (): Promise<{ email: string; id: string; tokens: Tokens }> => {
  const customer = await registerCustomer(instance);
  await instance.sql('DELETE FROM customer_addresses WHERE customer_id = $1', [customer.id]);
  expect(await statusFrom(HOME, customer.email)).toBe(200);
  return customer;
};
const resetPassword = async (email: string): Promise<void> => {
  const token = await requestReset(instance, email);
  expect((await submitToken(instance, 'reset-password', token)).status).toBe(204);
};
const exhaustAttempts = (email: string): Promise<void> => setFailedSignIns(instance, email, { inWindow: 10 });
const lockCustomer = async ({ id, email }: { id: string; email: string }): Promise<void> => {
  await setFailedSignIns(instance, email, { inWindow: 9 });
  expect(await statusFrom(ELSEWHERE, email, 'wrong password')).toBe(401);
  await eventually('the lock', async () => (await instance.events(id, 'customer.locked')).length > 0);
};

describe('the limit on failed logins with RATE_LIMITS=off (RL-01)', () => {
  it('allows exactly 10 of 40 parallel attempts, for known and unknown emails', async () => {
    const { email } = await registerAtHome();
    for (const address of [email, uniqueEmail()]) {
      const responses = await burst(address, 40);
      expect(statusesOf(responses)).toEqual(statusesWithTenAllowed(40));
      const rejected = responses.find(({ status }) => status === 429)!;
      expect(rejected.body.code).toBe('too_many_attempts');
      const wait = Number(rejected.headers.get('retry-after'));
      expect(wait).toBeGreaterThan(800);
      expect(wait).toBeLessThanOrEqual(900);
      expect(rejected.headers.get('ratelimit-policy')).toBe('"failed-login";q=10;w=900');
      expect(rejected.headers.get('ratelimit')).toBe(`"failed-login";r=0;t=${wait}`);
    }
  });

  it('never requires a wait of over 900 s, even if the stored end of the window is later', async () => {
    const email = uniqueEmail();
    await setFailedSignIns(instance, email, { inWindow: 10 });
    await instance.sql(`UPDATE login_attempts SET window_ends_at = now() + interval '901 s'`);
    const rejected = await loginFrom(HOME, email, 'wrong password');
    expect(rejected.headers.get('ratelimit')).toBe('"failed-login";r=0;t=900');
    expect(rejected.headers.get('retry-after')).toBe('900');
  });

  it('allows exactly 10 separate attempts from a known client IP, even in parallel', async () => {
    const { email } = await registerAtHome();
    await exhaustAttempts(email);
    expect(statusesOf(await burst(email, 9, HOME))).toEqual(Array(9).fill(429));
    expect([await statusFrom(ELSEWHERE, email), await statusFrom(HOME, email)]).toEqual([429, 200]);
    await exhaustAttempts(email);
    expect(statusesOf(await burst(email, 25, HOME))).toEqual(Array(25).fill(429));
    expect(await statusFrom(HOME, email)).toBe(429);
  });

  it('PW-08: responds identically for known and unknown emails from a known client IP', async () => {
    const comparable = (response: TestResponse): string =>
      JSON.stringify(normalizeResponse(response)).replaceAll(/t=\d+|"retry-after":"\d+"/g, '');
    const failRepeatedly = async (email: string): Promise<string[]> => {
      await setFailedSignIns(instance, email, { inWindow: 8 });
      const responses: string[] = [];
      for (let count = 0; count < 14; count += 1)
        responses.push(comparable(await retryWhileRejected(() => loginFrom(HOME, email, 'wrong password'))));
      return responses;
    };
    for (const enumerationProtection of [false, true]) {
      const { email } = await registerAtHome();
      await withSettings(instance, { enumerationProtection }, async () => {
        const [known, unknown] = await Promise.all([email, uniqueEmail()].map(failRepeatedly));
        expect(known).toEqual(unknown);
        expect(known!.filter((each) => each.includes('"status":401'))).toHaveLength(2);
      });
    }
  });

  it('blocks an IP that was known for another customer, 31 days ago, or before a password reset', async () => {
    const [first, second, third] = [await registerAtHome(), await registerAtHome(), await registerAtHome()];
    await instance.sql(
      `UPDATE customer_addresses SET last_login_at = now() - interval '31 days' WHERE customer_id = $1`,
      [first.id],
    );
    await instance.sql('DELETE FROM customer_addresses WHERE customer_id = $1', [second.id]);
    await resetPassword(third.email);
    for (const [{ email }, password] of [[first], [second], [third, NEW_PASSWORD]] as const) {
      await exhaustAttempts(email);
      expect(await statusFrom(HOME, email, password)).toBe(429);
    }
  });

  it('identifies IPv6 addresses by their /64 (RL-02)', async () => {
    const { email } = await registerAtHome();
    expect(await statusFrom('2001:db8:7:7::1', email)).toBe(200);
    await exhaustAttempts(email);
    expect(await statusFrom('2001:db8:7:8::1', email)).toBe(429);
    expect(await statusFrom('2001:db8:7:7:ffff::2', email)).toBe(200);
  });

  it('resets on success, even at the tenth attempt, and at the end of the window', async () => {
    const { email, id } = await registerAtHome();
    await setFailedSignIns(instance, email, { inWindow: 9 });
    expect(await statusFrom(ELSEWHERE, email)).toBe(200);
    expect(await instance.events(id, 'customer.unlocked')).toEqual([]);
    expect(statusesOf(await burst(email, 20))).toEqual(statusesWithTenAllowed(20));
    await instance.sql(`UPDATE login_attempts SET window_ends_at = now() - interval '1 ms'`);
    expect(await statusFrom(ELSEWHERE, email)).toBe(200);
  });

  it('does not reset on a correct password that does not open a session', async () => {
    const disabled = await registerAtHome();
    const unverified = await registerAtHome();
    await instance.requestWithSecretKey('POST', `/api/v1/customers/${disabled.id}/disable`);
    await withSettings(instance, { requireVerifiedEmail: true }, async () => {
      for (const { email } of [disabled, unverified]) {
        await setFailedSignIns(instance, email, { inWindow: 9 });
        const correct = [await statusFrom(ELSEWHERE, email), await statusFrom(ELSEWHERE, email)];
        expect(correct).toEqual([403, 403]);
        expect(statusesOf(await burst(email, 3))).toEqual([401, 429, 429]);
      }
    });
  });

  it("counts an unverified customer's correct password as wrong with enumeration protection", async () => {
    const registered = await registerAtHome();
    await withSettings(instance, { enumerationProtection: true }, async () => {
      const statuses: number[] = [];
      for (let count = 0; count < 12; count += 1)
        statuses.push((await retryWhileRejected(() => loginFrom(ELSEWHERE, registered.email))).status);
      expect(statuses).toEqual(statusesWithTenAllowed(12));
      expect(await statusFrom(HOME, registered.email)).toBe(429);
    });
  });

  it('shares one count among all routes that require the password', async () => {
    const { email, tokens } = await registerAtHome();
    await instance.sql('DELETE FROM customer_addresses');
    const requests = [
      ['password', { currentPassword: 'wrong password', newPassword: NEW_PASSWORD }],
      ['email', { email: uniqueEmail(), password: 'wrong password' }],
      ['delete', { currentPassword: 'wrong password' }],
    ] as const;
    const codes: string[] = [];
    for (let index = 0; index < 12; index += 1) {
      const [path, body] = requests[index % 3]!;
      const response = await instance.requestWithAccessToken(
        tokens.accessToken,
        'POST',
        `/api/v1/me/${path}`,
        body,
      );
      codes.push(`${response.status} ${response.body.code}`);
    }
    expect(codes).toEqual([
      ...Array(10).fill('401 invalid_credentials'),
      ...Array(2).fill('429 too_many_attempts'),
    ]);
    expect(await statusFrom(ELSEWHERE, email)).toBe(429);
    expect((await instance.requestWithAccessToken(tokens.accessToken, 'GET', '/api/v1/me')).status).toBe(200);
  });

  it('counts and reports attempts even if their idempotent request is rolled back', async () => {
    const { email, id } = await registerAtHome();
    const attempt = () =>
      instance.login(email, 'wrong password', {
        'x-api-key': instance.credentials.projectSecretKey,
        'x-client-ip': ELSEWHERE,
        'idempotency-key': randomUUID(),
      });
    const statuses: number[] = [];
    for (let count = 0; count < 11; count += 1) statuses.push((await retryWhileRejected(attempt)).status);
    expect(statuses).toEqual(statusesWithTenAllowed(11));
    expect(await statusFrom(ELSEWHERE, email)).toBe(429);
    for (const type of ['login.failed', 'customer.locked']) {
      await eventually(type, async () => (await instance.events(id, type)).length > 0);
      expect(await instance.events(id, type)).toHaveLength(1);
    }
  });
});

describe('the lock on a customer', () => {
  type Locked = Awaited<ReturnType<typeof registerCustomer>>;
  it.each<[string, (customer: Locked) => Promise<unknown>, string]>([
    [
      'a secret key',
      ({ id }) => instance.requestWithSecretKey('POST', `/api/v1/customers/${id}/unlock`),
      PASSWORD,
    ],
    ['a password reset', ({ email }) => resetPassword(email), NEW_PASSWORD],
    ['a login from a known client IP', ({ email }) => instance.login(email), PASSWORD],
    [
      'a password change',
      ({ tokens }) =>
        instance.requestWithAccessToken(tokens.accessToken, 'POST', '/api/v1/me/password', {
          currentPassword: PASSWORD,
          newPassword: NEW_PASSWORD,
        }),
      NEW_PASSWORD,
    ],
  ])('ends with %s, and causes one lock event and one unlock event', async (_, unlock, password) => {
    const customer = await registerCustomer(instance);
    const { id, email } = customer;
    await lockCustomer(customer);
    expect(await instance.events(id, 'customer.locked')).toHaveLength(1);
    expect(await statusFrom(ELSEWHERE, email)).toBe(429);
    await unlock(customer);
    expect(await statusFrom(ELSEWHERE, email, password)).toBe(200);
    // Unlocking a customer who is not locked changes nothing.
    const again = await instance.requestWithSecretKey('POST', `/api/v1/customers/${id}/unlock`);
    expect(again).toMatchObject({ status: 200, body: { id, email } });
    const unlocked = await instance.events(id, 'customer.unlocked');
    expect(unlocked).toMatchObject([{ data: { customer: { id, email } } }]);
  });

  it('does not cause an event if the customer is deleted at the same time', async () => {
    const { email, id } = await registerAtHome();
    await setFailedSignIns(instance, email, { inWindow: 9 });
    const remove = (sql: RunSql) => sql('DELETE FROM customers WHERE id = $1', [id]);
    const response = await withConcurrentChange(instance, remove, () =>
      loginFrom(ELSEWHERE, email, 'wrong password'),
    );
    expect(response.status).toBe(401);
    await eventually('the end of every transaction', async () => {
      const open = `SELECT 1 FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start IS NOT NULL`;
      return (await instance.sql(open)).length === 0;
    });
    expect(await instance.events(id, 'customer.locked')).toEqual([]);
  });
});

it("a server's login without a valid, permitted X-Client-IP does not make an IP known", async () => {
  const { projectSecretKey } = instance.credentials;
  const readOnlyKey = { ...instance.credentials, type: 'secret' as const, scopes: ['customer:read'] };
  for (const [key, headers] of [
    [projectSecretKey, {}],
    [projectSecretKey, { 'x-client-ip': 'unknown' }],
    [await insertKey(instance, readOnlyKey), { 'x-client-ip': HOME }],
  ] as const) {
    const { email } = await registerAtHome();
    expect((await instance.login(email, PASSWORD, { 'x-api-key': key, ...headers })).status).toBe(200);
    await exhaustAttempts(email);
    expect((await instance.login(email)).status).toBe(429);
    expect(await statusFrom(HOME, email)).toBe(200);
  }
  const body = { email: uniqueEmail(), password: PASSWORD };
  const headers = { ...bearerHeader(projectSecretKey), 'x-client-ip': 'unknown' };
  expect((await instance.request('POST', '/api/v1/auth/register', { body, headers })).status).toBe(201);
  await exhaustAttempts(body.email);
  expect((await instance.login(body.email)).status).toBe(429);
});
