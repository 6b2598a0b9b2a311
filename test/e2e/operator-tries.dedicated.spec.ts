import { TestInstance, type TestResponse } from '../support/test-instance.js';
import { inviteOperator, OperatorClient, signIn } from '../support/operator-client.js';
import { retryWhileRejected } from '../support/retry-while-rejected.js';
import { uniqueEmail } from '../support/unique-email.js';

let instance: TestInstance;
let admin: OperatorClient;
beforeAll(async () => {
  // Without the limits per address, which would hide the one for failures; that one is never lifted.
  const env = { RATE_LIMITS: 'off', TRUSTED_PROXIES: '127.0.0.1/32' };
  instance = await TestInstance.start({ workers: 0, env });
  admin = await signIn(instance);
});
afterAll(async () => instance?.stop());

type Somebody = Awaited<ReturnType<typeof inviteOperator>>;

const HOME = '203.0.113.5';
const ELSEWHERE = '192.0.2.44';
let hosts = 0;
const anyAddress = (): string => `198.51.100.${(hosts += 1) % 250}`;
const from = (ip: string) => ({ 'x-forwarded-for': ip });

const enterPassword = (ip: string, email: string, password: string, client = new OperatorClient(instance)) =>
  client.request('POST', '/session', { email, password }, from(ip));

/** Signs in with both factors, or answers the refusal of the password. */
const signInFrom = async (ip: string, somebody: Somebody): Promise<TestResponse> => {
  const client = new OperatorClient(instance);
  const opened = await enterPassword(ip, somebody.operator.email, somebody.password, client);
  if (opened.status !== 200) return opened;
  return client.request('POST', '/session/second-factor', { code: somebody.recoveryCodes.shift() }, from(ip));
};
const isIn = { status: 200, body: { state: 'signed_in' } };
const isRefused = { status: 429, body: { code: 'too_many_attempts' } };

/** An operator who has signed in from an address. */
const atHome = async (ip = HOME): Promise<Somebody> => {
  const somebody = await inviteOperator(admin, 'viewer');
  expect(await signInFrom(ip, somebody)).toMatchObject(isIn);
  return somebody;
};

/** How often each status answers requests that are sent all at once. */
const burst = async (count: number, ask: (index: number) => Promise<TestResponse>) => {
  const answers = await Promise.all(
    Array.from({ length: count }, (_, index) => retryWhileRejected(() => ask(index))),
  );
  const byStatus: Record<number, number> = {};
  for (const { status } of answers) byStatus[status] = (byStatus[status] ?? 0) + 1;
  return byStatus;
};
const wrong = (ip: string, email: string) => enterPassword(ip, email, 'not the password');
/** A stranger fails in the name of an operator until they are refused. */
const useUp = async (email: string): Promise<void> =>
  expect(await burst(12, () => wrong(anyAddress(), email))).toEqual({ 401: 10, 429: 2 });

describe('CO-01: a stranger who uses up the attempts of an operator', () => {
  it('keeps them out of addresses that they have not used, and of no others', async () => {
    const somebody = await atHome();
    await useUp(somebody.operator.email);
    expect(await signInFrom(ELSEWHERE, somebody)).toMatchObject(isRefused);
    expect(await signInFrom(HOME, somebody)).toMatchObject(isIn);
    // Who is in has the failures forgotten.
    expect(await signInFrom(ELSEWHERE, somebody)).toMatchObject(isIn);
  });

  it('leaves them ten attempts of passwords and codes together, in parallel too', async () => {
    const { operator, password } = await atHome();
    await useUp(operator.email);
    const client = new OperatorClient(instance);
    expect((await enterPassword(HOME, operator.email, password, client)).status).toBe(200);
    const code = () => client.request('POST', '/session/second-factor', { code: 'wrong' }, from(HOME));
    expect(await burst(40, code)).toEqual({ 401: 9, 429: 31 });
    expect(await enterPassword(HOME, operator.email, password)).toMatchObject(isRefused);
  });

  it('finds that IPv6 addresses are known by their /64 (RL-02)', async () => {
    const somebody = await atHome('2001:db8:7:7::1');
    await useUp(somebody.operator.email);
    expect(await signInFrom('2001:db8:7:8::1', somebody)).toMatchObject(isRefused);
    expect(await signInFrom('2001:db8:7:7:ffff::2', somebody)).toMatchObject(isIn);
  });
});

describe('CO-01: 40 wrong attempts in parallel', () => {
  it('get ten from unused addresses, and for an unknown email', async () => {
    const known = (await atHome()).operator.email;
    const unknown = uniqueEmail();
    expect(await burst(40, () => wrong(anyAddress(), known))).toEqual({ 401: 10, 429: 30 });
    expect(await burst(40, () => wrong(HOME, unknown))).toEqual({ 401: 10, 429: 30 });
  });

  it('get twenty where some or all come from an address that the operator has used', async () => {
    for (const other of [HOME, ELSEWHERE]) {
      const { email } = (await atHome()).operator;
      const answers = await burst(40, (index) => wrong(index % 2 ? HOME : other, email));
      expect(answers).toEqual({ 401: 20, 429: 20 });
    }
  });
});

describe("CO-01: an address is a stranger's", () => {
  const expectStranger = async (somebody: Somebody): Promise<void> => {
    await useUp(somebody.operator.email);
    expect(await signInFrom(HOME, somebody)).toMatchObject(isRefused);
  };

  it('when only a password was right there, or somebody else has used it', async () => {
    const somebody = await inviteOperator(admin, 'viewer');
    await atHome();
    expect((await enterPassword(HOME, somebody.operator.email, somebody.password)).status).toBe(200);
    const ask = () => wrong(anyAddress(), somebody.operator.email);
    expect(await burst(12, ask)).toEqual({ 401: 9, 429: 3 });
    expect(await signInFrom(HOME, somebody)).toMatchObject(isRefused);
  });

  it('when it was last used 31 days ago, or its operator has lost a factor or been disabled since', async () => {
    const people = [await atHome(), await atHome(), await atHome()];
    const [old, reset, disabled] = people.map(({ operator }) => operator.id);
    await instance.sql(
      `UPDATE operator_addresses SET last_sign_in_at = now() - interval '31 days' WHERE operator_id = $1`,
      [old],
    );
    await admin.request('POST', `/operators/${reset}/reset-second-factor`);
    await admin.request('POST', `/operators/${disabled}/disable`);
    await admin.request('POST', `/operators/${disabled}/enable`);
    for (const somebody of people) await expectStranger(somebody);
  });

  it('when they have chosen another password by an invitation', async () => {
    const somebody = await atHome();
    const { body } = await admin.request('POST', `/operators/${somebody.operator.id}/invite-again`);
    const token = new URL(body.invitationUrl as string).hash.slice('#token='.length);
    somebody.password = 'an unusual long phrase';
    const accepted = { token, password: somebody.password };
    const client = new OperatorClient(instance);
    const answer = await client.request('POST', '/invitations/accept', accepted, from(HOME));
    expect(answer.status).toBe(200);
    await expectStranger(somebody);
  });
});
