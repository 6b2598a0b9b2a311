import { randomUUID } from 'node:crypto';
import {
  NEW_PASSWORD,
  registerCustomer,
  requestReset,
  submitToken,
  type Tokens,
} from '../support/customers.js';
import { eventually } from '../support/eventually.js';
import { TestInstance, PASSWORD, bearerHeader, type TestResponse } from '../support/test-instance.js';
import { withConcurrentChange, type RunSql } from '../support/with-concurrent-change.js';
import { retryWhileRejected } from '../support/retry-while-rejected.js';
import { insertKey } from '../support/tenants.js';
import { uniqueEmail } from '../support/unique-email.js';

let instance: TestInstance;
// Without the limits per address, which would hide the one for failed logins; that one is never lifted.
beforeAll(async () => (instance = await TestInstance.startShared({ workers: 0 })));
afterAll(async () => instance?.stop());

const HOME = '203.0.113.5';
const ELSEWHERE = '192.0.2.1';

/** A login from an address that a server vouches for. */
const loginFrom = (ip: string, email: string, password?: string): Promise<TestResponse> =>
  instance.login(email, password, { 'x-api-key': instance.credentials.projectSecretKey, 'x-client-ip': ip });
const statusFrom = async (ip: string, email: string, password?: string): Promise<number> =>
  (await loginFrom(ip, email, password)).status;

/** The responses to `count` wrong logins, all at once and from different addresses. */
const burst = (email: string, count: number, ip?: string): Promise<TestResponse[]> =>
  Promise.all(
    Array.from({ length: count }, (_, index) =>
      retryWhileRejected(() => loginFrom(ip ?? `198.51.100.${index}`, email, 'wrong password')),
    ),
  );
const statusesOf = (answers: TestResponse[]): number[] => answers.map(({ status }) => status).sort();
const tenOf = (count: number): number[] => [...Array(10).fill(401), ...Array(count - 10).fill(429)];

/** A customer who has logged in from HOME. */
const atHome = async (): Promise<{ email: string; id: string; tokens: Tokens }> => {
  const customer = await registerCustomer(instance);
  await instance.sql('DELETE FROM customer_addresses WHERE customer_id = $1', [customer.id]);
  expect(await statusFrom(HOME, customer.email)).toBe(200);
  return customer;
};
const reset = async (email: string): Promise<void> => {
  const token = await requestReset(instance, email);
  expect((await submitToken(instance, 'reset-password', token)).status).toBe(204);
};
const lock = async ({ id, email }: { id: string; email: string }): Promise<void> => {
  await burst(email, 12);
  await eventually('the lock', async () => (await instance.events(id, 'customer.locked')).length > 0);
};

describe('failed logins with RATE_LIMITS=off (RL-01)', () => {
  it('of 100 in parallel never more than the limit are checked, for known and unknown emails alike', async () => {
    const { email } = await atHome();
    for (const address of [email, uniqueEmail()]) {
      const answers = await burst(address, 100);
      expect(statusesOf(answers)).toEqual(tenOf(100));
      const refused = answers.find(({ status }) => status === 429)!;
      expect(refused.body.code).toBe('too_many_attempts');
      const wait = Number(refused.headers.get('retry-after'));
      expect(wait).toBeGreaterThan(800);
      expect(wait).toBeLessThanOrEqual(900);
      expect(refused.headers.get('ratelimit-policy')).toBe('"failed-login";q=10;w=900');
      expect(refused.headers.get('ratelimit')).toBe(`"failed-login";r=0;t=${wait}`);
    }
  });

  it('leave a known address 10 attempts of its own and no more, in parallel too', async () => {
    const { email } = await atHome();
    await burst(email, 12);
    expect([await statusFrom(ELSEWHERE, email), await statusFrom(HOME, email)]).toEqual([429, 200]);
    await burst(email, 12);
    expect(statusesOf(await burst(email, 50, HOME))).toEqual(tenOf(50));
    expect(await statusFrom(HOME, email)).toBe(429);
  });

  it("leave none to an address that another customer uses, that was used long ago, or before a reset: it may be an intruder's", async () => {
    const [first, second, third] = [await atHome(), await atHome(), await atHome()];
    await instance.sql(
      `UPDATE customer_addresses SET last_login_at = now() - interval '31 days' WHERE customer_id = $1`,
      [first.id],
    );
    await instance.sql('DELETE FROM customer_addresses WHERE customer_id = $1', [second.id]);
    await reset(third.email);
    for (const [{ email }, password] of [[first], [second], [third, NEW_PASSWORD]] as const) {
      await burst(email, 12);
      expect(await statusFrom(HOME, email, password)).toBe(429);
    }
  });

  it('know IPv6 addresses by their /64 (RL-02)', async () => {
    const { email } = await atHome();
    expect(await statusFrom('2001:db8:7:7::1', email)).toBe(200);
    await burst(email, 12);
    expect(await statusFrom('2001:db8:7:8::1', email)).toBe(429);
    expect(await statusFrom('2001:db8:7:7:ffff::2', email)).toBe(200);
  });

  it('are forgotten by a success, which may be the tenth attempt, and at the end of the window', async () => {
    const { email, id } = await atHome();
    await burst(email, 9);
    expect(await statusFrom(ELSEWHERE, email)).toBe(200);
    expect(await instance.events(id, 'customer.unlocked')).toEqual([]);
    expect(statusesOf(await burst(email, 20))).toEqual(tenOf(20));
    await instance.sql(`UPDATE login_attempts SET window_ends_at = now()`);
    expect(await statusFrom(ELSEWHERE, email)).toBe(200);
  });

  it('are one count for every route that requires the password', async () => {
    const { email, tokens } = await atHome();
    await instance.sql('DELETE FROM customer_addresses');
    const wrong = [
      ['password', { currentPassword: 'wrong password', newPassword: NEW_PASSWORD }],
      ['email', { email: uniqueEmail(), password: 'wrong password' }],
      ['delete', { currentPassword: 'wrong password' }],
    ] as const;
    const codes: string[] = [];
    for (let index = 0; index < 12; index += 1) {
      const [path, body] = wrong[index % 3]!;
      const answer = await instance.requestWithAccessToken(
        tokens.accessToken,
        'POST',
        `/api/v1/me/${path}`,
        body,
      );
      codes.push(`${answer.status} ${answer.body.code}`);
    }
    expect(codes).toEqual([
      ...Array(10).fill('401 invalid_credentials'),
      ...Array(2).fill('429 too_many_attempts'),
    ]);
    expect(await statusFrom(ELSEWHERE, email)).toBe(429);
    expect((await instance.requestWithAccessToken(tokens.accessToken, 'GET', '/api/v1/me')).status).toBe(200);
  });

  it('are counted and reported although the idempotent request that they are part of is undone', async () => {
    const { email, id } = await atHome();
    const attempt = () =>
      instance.login(email, 'wrong password', {
        'x-api-key': instance.credentials.projectSecretKey,
        'x-client-ip': ELSEWHERE,
        'idempotency-key': randomUUID(),
      });
    const statuses: number[] = [];
    for (let count = 0; count < 11; count += 1) statuses.push((await retryWhileRejected(attempt)).status);
    expect(statuses).toEqual(tenOf(11));
    expect(await statusFrom(ELSEWHERE, email)).toBe(429);
    for (const type of ['login.failed', 'customer.locked']) {
      await eventually(type, async () => (await instance.events(id, type)).length > 0);
      expect(await instance.events(id, type)).toHaveLength(1);
    }
  });
});

describe('a locked customer', () => {
  type Locked = Awaited<ReturnType<typeof registerCustomer>>;
  it.each<[string, (customer: Locked) => Promise<unknown>, string]>([
    [
      'a secret key',
      ({ id }) => instance.requestWithSecretKey('POST', `/api/v1/customers/${id}/unlock`),
      PASSWORD,
    ],
    ['a password reset', ({ email }) => reset(email), NEW_PASSWORD],
    ['a login from an address they know', ({ email }) => instance.login(email), PASSWORD],
    [
      'a change of password',
      ({ tokens }) =>
        instance.requestWithAccessToken(tokens.accessToken, 'POST', '/api/v1/me/password', {
          currentPassword: PASSWORD,
          newPassword: NEW_PASSWORD,
        }),
      NEW_PASSWORD,
    ],
  ])('is unlocked by %s, and each step is one event', async (_, unlock, password) => {
    const customer = await registerCustomer(instance);
    const { id, email } = customer;
    await lock(customer);
    expect(await instance.events(id, 'customer.locked')).toHaveLength(1);
    expect(await statusFrom(ELSEWHERE, email)).toBe(429);
    await unlock(customer);
    expect(await statusFrom(ELSEWHERE, email, password)).toBe(200);
    // Of a customer who is not locked it changes nothing.
    const again = await instance.requestWithSecretKey('POST', `/api/v1/customers/${id}/unlock`);
    expect(again).toMatchObject({ status: 200, body: { id, email } });
    const unlocked = await instance.events(id, 'customer.unlocked');
    expect(unlocked).toMatchObject([{ data: { customer: { id, email } } }]);
  });

  it('is reported no more once deleted', async () => {
    const { email, id } = await atHome();
    await burst(email, 9);
    const remove = (sql: RunSql) => sql('DELETE FROM customers WHERE id = $1', [id]);
    const answer = await withConcurrentChange(instance, remove, () =>
      loginFrom(ELSEWHERE, email, 'wrong password'),
    );
    expect(answer.status).toBe(401);
    await eventually('the end of every transaction', async () => {
      const open = `SELECT 1 FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start IS NOT NULL`;
      return (await instance.sql(open)).length === 0;
    });
    expect(await instance.events(id, 'customer.locked')).toEqual([]);
  });
});

it('a server without an X-Client-IP that it may vouch for adds no address of its own to those of the customer', async () => {
  const { projectSecretKey } = instance.credentials;
  const reader = { ...instance.credentials, type: 'secret' as const, scopes: ['customer:read'] };
  for (const [key, headers] of [
    [projectSecretKey, {}],
    [projectSecretKey, { 'x-client-ip': 'unknown' }],
    [await insertKey(instance, reader), { 'x-client-ip': HOME }],
  ] as const) {
    const { email } = await atHome();
    expect((await instance.login(email, PASSWORD, { 'x-api-key': key, ...headers })).status).toBe(200);
    await burst(email, 12);
    expect((await instance.login(email)).status).toBe(429);
    expect(await statusFrom(HOME, email)).toBe(200);
  }
  const body = { email: uniqueEmail(), password: PASSWORD };
  const headers = { ...bearerHeader(projectSecretKey), 'x-client-ip': 'unknown' };
  expect((await instance.request('POST', '/api/v1/auth/register', { body, headers })).status).toBe(201);
  await burst(body.email, 12);
  expect((await instance.login(body.email)).status).toBe(429);
});
