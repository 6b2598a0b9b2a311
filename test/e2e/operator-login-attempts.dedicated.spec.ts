import { eventually } from '../support/eventually.js';
import { TestInstance, type TestResponse } from '../support/test-instance.js';
import { inviteOperator, OperatorClient, signIn } from '../support/operator-client.js';
import { retryWhileRejected } from '../support/retry-while-rejected.js';
import { uniqueEmail } from '../support/unique-email.js';

let instance: TestInstance;
let admin: OperatorClient;
beforeAll(async () => {
  // RATE_LIMITS=off disables the limits per address, which would hide the limit on failed sign-ins.
  // That limit always applies.
  const env = { RATE_LIMITS: 'off', TRUSTED_PROXIES: '127.0.0.1/32' };
  instance = await TestInstance.start({ workers: 0, env });
  admin = await signIn(instance);
});
afterAll(async () => instance?.stop());

type InvitedOperator = Awaited<ReturnType<typeof inviteOperator>>;

const USED_ADDRESS = '203.0.113.5';
const UNUSED_ADDRESS = '192.0.2.44';
let hosts = 0;
const nextUnusedAddress = (): string => `198.51.100.${(hosts += 1) % 250}`;
const forwardedFor = (ip: string) => ({ 'x-forwarded-for': ip });

const enterPassword = (ip: string, email: string, password: string, client = new OperatorClient(instance)) =>
  client.request('POST', '/session', { email, password }, forwardedFor(ip));

/** Signs in with both factors. Returns the first response if the password is rejected. */
const signInFrom = async (ip: string, invitee: InvitedOperator): Promise<TestResponse> => {
  const client = new OperatorClient(instance);
  const withPassword = await enterPassword(ip, invitee.operator.email, invitee.password, client);
  if (withPassword.status !== 200) return withPassword;
  return client.request(
    'POST',
    '/session/second-factor',
    { code: invitee.recoveryCodes.shift() },
    forwardedFor(ip),
  );
};
const signedIn = { status: 200, body: { state: 'signed_in' } };
const rejected = { status: 429, body: { code: 'too_many_attempts', limit: 'failed-operator-login' } };

/** Invites an operator who then signs in from an address. */
const inviteAndSignIn = async (ip = USED_ADDRESS): Promise<InvitedOperator> => {
  const invitee = await inviteOperator(admin, 'viewer');
  expect(await signInFrom(ip, invitee)).toMatchObject(signedIn);
  return invitee;
};

/** Sends requests concurrently and returns the number of responses by status. */
const burst = async (count: number, send: (index: number) => Promise<TestResponse>) => {
  const responses = await Promise.all(
    Array.from({ length: count }, (_, index) => retryWhileRejected(() => send(index))),
  );
  const byStatus: Record<number, number> = {};
  for (const { status } of responses) byStatus[status] = (byStatus[status] ?? 0) + 1;
  return byStatus;
};
const enterWrongPassword = (ip: string, email: string) => enterPassword(ip, email, 'not the password');
/** Sends wrong passwords from unused addresses until they are rejected. */
const exhaustAttempts = async (email: string): Promise<void> =>
  expect(await burst(12, () => enterWrongPassword(nextUnusedAddress(), email))).toEqual({ 401: 10, 429: 2 });

describe('CO-01: an attacker who exhausts the attempts of an operator', () => {
  it('blocks the operator only at addresses that the operator has not used', async () => {
    const invitee = await inviteAndSignIn();
    await exhaustAttempts(invitee.operator.email);
    expect(await signInFrom(UNUSED_ADDRESS, invitee)).toMatchObject(rejected);
    expect(await signInFrom(USED_ADDRESS, invitee)).toMatchObject(signedIn);
    // A completed sign-in resets the failures.
    expect(await signInFrom(UNUSED_ADDRESS, invitee)).toMatchObject(signedIn);
  });

  it('leaves the operator ten attempts for passwords and codes together, even in parallel', async () => {
    const { operator, password } = await inviteAndSignIn();
    await exhaustAttempts(operator.email);
    const client = new OperatorClient(instance);
    expect((await enterPassword(USED_ADDRESS, operator.email, password, client)).status).toBe(200);
    const enterWrongCode = () =>
      client.request('POST', '/session/second-factor', { code: 'wrong' }, forwardedFor(USED_ADDRESS));
    expect(await burst(15, enterWrongCode)).toEqual({ 400: 9, 429: 6 });
    expect(await enterPassword(USED_ADDRESS, operator.email, password)).toMatchObject(rejected);
  });

  it('waits twice as long after ten more consecutive failures', async () => {
    const email = uniqueEmail();
    for (const seconds of [900, 1_800]) {
      await exhaustAttempts(email);
      const response = await enterWrongPassword(UNUSED_ADDRESS, email);
      expect([response.status, response.headers.get('ratelimit-policy')]).toEqual([
        429,
        `"failed-operator-login";q=10;w=${seconds}`,
      ]);
      await instance.sql(
        `UPDATE operator_login_attempts SET window_ends_at = now() - interval '1 ms' WHERE email_hash = sha256($1)`,
        [Buffer.from(email)],
      );
    }
  });

  it('blocks the operator except in the /64 of a known IPv6 address (RL-02)', async () => {
    const invitee = await inviteAndSignIn('2001:db8:7:7::1');
    await exhaustAttempts(invitee.operator.email);
    expect(await signInFrom('2001:db8:7:8::1', invitee)).toMatchObject(rejected);
    expect(await signInFrom('2001:db8:7:7:ffff::2', invitee)).toMatchObject(signedIn);
  });
});

describe('CO-01: the limit on parallel wrong attempts', () => {
  it('allows ten attempts from unused addresses, and ten for an unknown email', async () => {
    const known = (await inviteAndSignIn()).operator.email;
    const unknown = uniqueEmail();
    expect(await burst(25, () => enterWrongPassword(nextUnusedAddress(), known))).toEqual({
      401: 10,
      429: 15,
    });
    expect(await burst(25, () => enterWrongPassword(USED_ADDRESS, unknown))).toEqual({ 401: 10, 429: 15 });
  });

  it('allows ten more from a used address, with the same responses as for an unknown email', async () => {
    for (const other of [USED_ADDRESS, UNUSED_ADDRESS]) {
      const { id, email } = (await inviteAndSignIn()).operator;
      const responses = await burst(40, (index) =>
        enterWrongPassword(index % 2 ? USED_ADDRESS : other, email),
      );
      expect(responses).toEqual({ 401: 10, 429: 30 });
      const failures = `SELECT FROM audit_log WHERE action = 'operator.password_failed' AND target_id = $1`;
      await eventually('twenty entries', async () => (await instance.sql(failures, [id])).length === 20);
    }
  });
});

describe('CO-01: a client IP', () => {
  const expectUnusedAddress = async (invitee: InvitedOperator): Promise<void> => {
    await exhaustAttempts(invitee.operator.email);
    expect(await signInFrom(USED_ADDRESS, invitee)).toMatchObject(rejected);
  };

  it('counts as unused after only a correct password, or a sign-in by another operator', async () => {
    const invitee = await inviteOperator(admin, 'viewer');
    await inviteAndSignIn();
    expect((await enterPassword(USED_ADDRESS, invitee.operator.email, invitee.password)).status).toBe(200);
    const send = () => enterWrongPassword(nextUnusedAddress(), invitee.operator.email);
    expect(await burst(12, send)).toEqual({ 401: 9, 429: 3 });
    expect(await signInFrom(USED_ADDRESS, invitee)).toMatchObject(rejected);
  });

  it('counts as unused after 31 days, a reset second factor or a disabled operator', async () => {
    const operators = [await inviteAndSignIn(), await inviteAndSignIn(), await inviteAndSignIn()];
    const [old, reset, disabled] = operators.map(({ operator }) => operator.id);
    await instance.sql(
      `UPDATE operator_addresses SET last_sign_in_at = now() - interval '31 days' WHERE operator_id = $1`,
      [old],
    );
    await admin.request('POST', `/operators/${reset}/reset-second-factor`);
    await admin.request('POST', `/operators/${disabled}/disable`);
    await admin.request('POST', `/operators/${disabled}/enable`);
    for (const invitee of operators) await expectUnusedAddress(invitee);
  });

  it('counts as unused after the operator has set another password through an invitation', async () => {
    const invitee = await inviteAndSignIn();
    const { body } = await admin.request('POST', `/operators/${invitee.operator.id}/invite-again`);
    const token = new URL(body.invitationUrl as string).hash.slice('#token='.length);
    invitee.password = 'an unusual long phrase';
    const accepted = { token, password: invitee.password };
    const client = new OperatorClient(instance);
    const response = await client.request(
      'POST',
      '/invitations/accept',
      accepted,
      forwardedFor(USED_ADDRESS),
    );
    expect(response.status).toBe(200);
    await expectUnusedAddress(invitee);
  });
});
