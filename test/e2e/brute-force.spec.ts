import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { eventually } from '../support/eventually.js';
import { House, PASSWORD, type Answer } from '../support/house.js';

let house: House;
// Without the limits per address, which would hide the one for failed logins; that one is never lifted.
beforeAll(async () => (house = await House.start({ env: { RATE_LIMITS: 'off' } })));
afterAll(async () => house?.stop());

const uniqueEmail = (): string => `${randomUUID()}@example.com`;

/** A login from an address that a server vouches for. */
const loginFrom = (ip: string, email: string, password = PASSWORD): Promise<Answer> =>
  house.request('POST', '/api/v1/auth/login', {
    body: { email, password },
    headers: {
      'x-publishable-key': house.credentials.publishableKey,
      'x-api-key': house.credentials.projectSecretKey,
      'x-client-ip': ip,
    },
  });

/** Waits as long as an overloaded house asks for. */
const patiently = async (ask: () => Promise<Answer>): Promise<Answer> => {
  const answer = await ask();
  if (answer.status !== 503) return answer;
  await setTimeout(Number(answer.headers.get('retry-after')) * 1_000);
  return patiently(ask);
};

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
  const { body } = await house.register(email);
  await house.sql('DELETE FROM customer_addresses WHERE customer_id = $1', [body.customer.id]);
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
    await house.sql(
      `UPDATE customer_addresses SET last_login_at = now() - interval '31 days' WHERE customer_id = $1`,
      [first.id],
    );
    await house.sql('DELETE FROM customer_addresses WHERE customer_id = $1', [second.id]);
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
    await house.sql(`UPDATE login_attempts SET window_ends_at = now()`);
    expect((await loginFrom('192.0.2.1', email)).status).toBe(200);
  });

  it('are one count for every route that asks for the password', async () => {
    const { email, accessToken } = await atHome();
    await house.sql('DELETE FROM customer_addresses');
    const wrong = [
      ['password', { currentPassword: 'wrong password', newPassword: 'quite another phrase' }],
      ['email', { email: uniqueEmail(), password: 'wrong password' }],
      ['delete', { currentPassword: 'wrong password' }],
    ] as const;
    const answers: number[] = [];
    for (let index = 0; index < 12; index += 1) {
      const [path, body] = wrong[index % 3]!;
      const answer = await house.customer(accessToken, 'POST', `/api/v1/me/${path}`, body);
      answers.push(answer.status);
      if (answer.status === 401) expect(answer.body.code).toBe('invalid_credentials');
    }
    expect(answers).toEqual([...Array(10).fill(401), 429, 429]);
    expect((await loginFrom('192.0.2.1', email)).status).toBe(429);
    expect((await house.customer(accessToken, 'GET', '/api/v1/me')).status).toBe(200);
  });
});

describe('a locked customer', () => {
  it('is told of once in an event, and unlocked by a secret key', async () => {
    const { email, id } = await atHome();
    await burst(email, 30);
    await eventually('the event', async () => (await house.events(id, 'customer.locked')).length > 0);
    expect(await house.events(id, 'customer.locked')).toHaveLength(1);
    const unlocked = await house.server('POST', `/api/v1/customers/${id}/unlock`);
    expect(unlocked).toMatchObject({ status: 200, body: { id, email } });
    expect((await loginFrom('192.0.2.1', email)).status).toBe(200);
    expect(await house.events(id, 'customer.unlocked')).toHaveLength(1);
    await house.server('POST', `/api/v1/customers/${id}/unlock`);
    expect(await house.events(id, 'customer.unlocked')).toHaveLength(1);
  });

  it('is unlocked by a password reset', async () => {
    const { email, id } = await atHome();
    await burst(email, 30);
    await house.page('POST', '/api/v1/auth/forgot-password', { email });
    const token = await house.token(email, 'reset-password');
    const body = { token, password: 'quite another phrase' };
    expect((await house.request('POST', '/api/v1/auth/reset-password', { body })).status).toBe(204);
    expect((await loginFrom('192.0.2.1', email, 'quite another phrase')).status).toBe(200);
    expect(await house.events(id, 'customer.unlocked')).toHaveLength(1);
  });
});
