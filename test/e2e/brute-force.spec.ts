import { randomUUID } from 'node:crypto';
import { registerOne } from '../support/customers.js';
import { eventually } from '../support/eventually.js';
import { TestInstance, PASSWORD, type Answer } from '../support/test-instance.js';
import { overtaken, type Statement } from '../support/overtaken.js';
import { patiently } from '../support/patiently.js';
import { insertKey } from '../support/tenants.js';
import { uniqueEmail } from '../support/unique-email.js';

let instance: TestInstance;
// Without the limits per address, which would hide the one for failed logins; that one is never lifted.
beforeAll(async () => (instance = await TestInstance.shared({ workers: 0 })));
afterAll(async () => instance?.stop());

/** A login from an address that a server vouches for. */
const loginFrom = (ip: string, email: string, password?: string): Promise<Answer> =>
  instance.login(email, password, { 'x-api-key': instance.credentials.projectSecretKey, 'x-client-ip': ip });

/** Counts the answers of `count` wrong logins, all at once and from different addresses. */
const burst = async (
  email: string,
  count: number,
  ip = () => `198.51.${100 + (hosts % 100)}.${(hosts += 1) % 250}`,
) => {
  const answers = await Promise.all(
    Array.from({ length: count }, () => patiently(() => loginFrom(ip(), email, 'wrong password'))),
  );
  const byStatus: Record<number, number> = {};
  for (const { status } of answers) byStatus[status] = (byStatus[status] ?? 0) + 1;
  return { byStatus, answers };
};
let hosts = 1;

const HOME = '203.0.113.5';

/** A customer who has logged in from HOME. */
const atHome = async (): Promise<{ email: string; id: string; accessToken: string }> => {
  const email = uniqueEmail();
  const { body } = await instance.register(email);
  await instance.sql('DELETE FROM customer_addresses WHERE customer_id = $1', [body.customer.id]);
  expect((await loginFrom(HOME, email)).status).toBe(200);
  return { email, id: body.customer.id, accessToken: body.tokens.accessToken };
};

describe('failed logins with RATE_LIMITS=off (RL-01)', () => {
  it('of 100 in parallel never more than the limit are checked, for known and unknown e-mails alike', async () => {
    const { email } = await atHome();
    for (const address of [email, uniqueEmail()]) {
      const { byStatus, answers } = await burst(address, 100);
      expect(byStatus).toEqual({ 401: 10, 429: 90 });
      const refused = answers.find(({ status }) => status === 429)!;
      expect(refused.body.code).toBe('too_many_attempts');
      const wait = Number(refused.headers.get('retry-after'));
      expect(wait).toBeGreaterThan(800);
      expect(wait).toBeLessThanOrEqual(900);
      expect(refused.headers.get('ratelimit-policy')).toBe('"failed-login";q=10;w=900');
      expect(refused.headers.get('ratelimit')).toBe(`"failed-login";r=0;t=${wait}`);
    }
  });

  it('a stranger who uses up the tries locks nobody out of the addresses they use', async () => {
    const { email } = await atHome();
    await burst(email, 30);
    expect((await loginFrom('192.0.2.44', email)).status).toBe(429);
    expect((await loginFrom(HOME, email)).status).toBe(200);
  });

  it('a known address has 10 tries of its own and no more, in parallel too', async () => {
    const { email } = await atHome();
    await burst(email, 12);
    expect((await burst(email, 50, () => HOME)).byStatus).toEqual({ 401: 10, 429: 40 });
    expect((await loginFrom(HOME, email)).status).toBe(429);
  });

  it("an address that another customer uses, or that was used long ago, is a stranger's", async () => {
    const [first, second] = [await atHome(), await atHome()];
    await instance.sql(
      `UPDATE customer_addresses SET last_login_at = now() - interval '31 days' WHERE customer_id = $1`,
      [first.id],
    );
    await instance.sql('DELETE FROM customer_addresses WHERE customer_id = $1', [second.id]);
    for (const { email } of [first, second]) {
      await burst(email, 10);
      expect((await loginFrom(HOME, email)).status).toBe(429);
    }
  });

  it('IPv6 addresses are known by their /64 (RL-02)', async () => {
    const { email } = await atHome();
    expect((await loginFrom('2001:db8:7:7::1', email)).status).toBe(200);
    await burst(email, 12);
    expect((await loginFrom('2001:db8:7:8::1', email)).status).toBe(429);
    expect((await loginFrom('2001:db8:7:7:ffff::2', email)).status).toBe(200);
  });

  it('a success forgets them, and the end of the window does', async () => {
    const { email } = await atHome();
    await burst(email, 9);
    expect((await loginFrom('192.0.2.1', email)).status).toBe(200);
    expect((await burst(email, 20)).byStatus).toEqual({ 401: 10, 429: 10 });
    await instance.sql(`UPDATE login_attempts SET window_ends_at = now()`);
    expect((await loginFrom('192.0.2.1', email)).status).toBe(200);
  });

  it('are one count for every route that asks for the password', async () => {
    const { email, accessToken } = await atHome();
    await instance.sql('DELETE FROM customer_addresses');
    const wrong = [
      ['password', { currentPassword: 'wrong password', newPassword: 'quite another phrase' }],
      ['email', { email: uniqueEmail(), password: 'wrong password' }],
      ['delete', { currentPassword: 'wrong password' }],
    ] as const;
    const answers: number[] = [];
    for (let index = 0; index < 12; index += 1) {
      const [path, body] = wrong[index % 3]!;
      const answer = await instance.customer(accessToken, 'POST', `/api/v1/me/${path}`, body);
      answers.push(answer.status);
      if (answer.status === 401) expect(answer.body.code).toBe('invalid_credentials');
    }
    expect(answers).toEqual([...Array(10).fill(401), 429, 429]);
    expect((await loginFrom('192.0.2.1', email)).status).toBe(429);
    expect((await instance.customer(accessToken, 'GET', '/api/v1/me')).status).toBe(200);
  });
});

it('failed logins are counted and told although the idempotent request that they are part of is undone', async () => {
  const { email, id } = await atHome();
  const tryOnce = () =>
    instance.login(email, 'wrong password', {
      'x-api-key': instance.credentials.projectSecretKey,
      'x-client-ip': '192.0.2.7',
      'idempotency-key': randomUUID(),
    });
  const statuses: number[] = [];
  for (let tries = 0; tries < 11; tries += 1) statuses.push((await patiently(tryOnce)).status);
  expect(statuses).toEqual([...Array(10).fill(401), 429]);
  expect((await loginFrom('192.0.2.7', email)).status).toBe(429);
  for (const type of ['login.failed', 'customer.locked']) {
    await eventually(type, async () => (await instance.events(id, type)).length > 0);
    expect(await instance.events(id, type)).toHaveLength(1);
  }
});

describe('a locked customer', () => {
  it('is told of once in an event, and unlocked by a secret key', async () => {
    const { email, id } = await atHome();
    await burst(email, 30);
    await eventually('the event', async () => (await instance.events(id, 'customer.locked')).length > 0);
    expect(await instance.events(id, 'customer.locked')).toHaveLength(1);
    const unlocked = await instance.server('POST', `/api/v1/customers/${id}/unlock`);
    expect(unlocked).toMatchObject({ status: 200, body: { id, email } });
    expect((await loginFrom('192.0.2.1', email)).status).toBe(200);
    expect(await instance.events(id, 'customer.unlocked')).toHaveLength(1);
    await instance.server('POST', `/api/v1/customers/${id}/unlock`);
    expect(await instance.events(id, 'customer.unlocked')).toHaveLength(1);
  });

  it('is unlocked by a password reset', async () => {
    const { email, id } = await atHome();
    await burst(email, 30);
    await instance.page('POST', '/api/v1/auth/forgot-password', { email });
    const token = await instance.token(email, 'reset-password');
    const body = { token, password: 'quite another phrase' };
    expect((await instance.request('POST', '/api/v1/auth/reset-password', { body })).status).toBe(204);
    expect((await loginFrom('192.0.2.1', email, 'quite another phrase')).status).toBe(200);
    expect(await instance.events(id, 'customer.unlocked')).toHaveLength(1);
  });

  it.each(['a login', 'a change of password'])('is unlocked by %s from an address they know', async (way) => {
    const { email, id, tokens } = await registerOne(instance);
    await burst(email, 12);
    await eventually('the lock', async () => (await instance.events(id, 'customer.locked')).length > 0);
    if (way === 'a login') expect((await instance.login(email)).status).toBe(200);
    else {
      const body = { currentPassword: PASSWORD, newPassword: 'quite another phrase' };
      const answer = await instance.customer(tokens.accessToken, 'POST', '/api/v1/me/password', body);
      expect(answer.status).toBe(204);
    }
    const [event] = await instance.events(id, 'customer.unlocked');
    expect(event!.data).toMatchObject({ customer: { id, email } });
    expect(await instance.events(id, 'customer.unlocked')).toHaveLength(1);
    expect((await loginFrom('192.0.2.1', email, 'wrong password')).status).toBe(401);
  });

  it('is none while the tenth try is the right one', async () => {
    const { email, id } = await atHome();
    await burst(email, 9);
    expect((await loginFrom('192.0.2.1', email)).status).toBe(200);
    expect(await instance.events(id, 'customer.unlocked')).toEqual([]);
  });

  it('is told of no more once deleted', async () => {
    const { email, id } = await atHome();
    await burst(email, 9);
    const remove = (sql: Statement) => sql('DELETE FROM customers WHERE id = $1', [id]);
    const answer = await overtaken(instance, remove, () => loginFrom('192.0.2.1', email, 'wrong password'));
    expect(answer.status).toBe(401);
    await eventually('the end of every transaction', async () => {
      const open = `SELECT 1 FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start IS NOT NULL`;
      return (await instance.sql(open)).length === 0;
    });
    expect(await instance.events(id, 'customer.locked')).toEqual([]);
  });

  it('whose password was reset has no known addresses: they can be those of an intruder', async () => {
    const { email } = await atHome();
    await instance.page('POST', '/api/v1/auth/forgot-password', { email });
    const body = { token: await instance.token(email, 'reset-password'), password: 'quite another phrase' };
    expect((await instance.request('POST', '/api/v1/auth/reset-password', { body })).status).toBe(204);
    await burst(email, 12);
    expect((await loginFrom(HOME, email, 'quite another phrase')).status).toBe(429);
  });
});

describe('a server that asks without an X-Client-IP that it may vouch for', () => {
  it('never adds its own address to those of the customer at a login', async () => {
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
      expect((await loginFrom(HOME, email)).status).toBe(200);
    }
  });

  it('nor does a registration with a secret key', async () => {
    const email = uniqueEmail();
    const answer = await instance.request('POST', '/api/v1/auth/register', {
      body: { email, password: PASSWORD },
      headers: { authorization: `Bearer ${instance.credentials.projectSecretKey}`, 'x-client-ip': 'unknown' },
    });
    expect(answer.status).toBe(201);
    await burst(email, 12);
    expect((await instance.login(email)).status).toBe(429);
  });
});
