import { eventually } from '../support/eventually.js';
import { TestInstance, type TestResponse } from '../support/test-instance.js';
import { inviteOperator, OperatorClient, signIn } from '../support/operator-client.js';
import { retryWhileRejected } from '../support/retry-while-rejected.js';
import { totpCode } from '../support/totp.js';
import { uniqueEmail } from '../support/unique-email.js';

let instance: TestInstance;
let admin: OperatorClient;
beforeAll(async () => {
  instance = await TestInstance.startShared({ workers: 0 });
  admin = await signIn(instance);
});
afterAll(async () => instance?.stop());

type Enrolled = Awaited<ReturnType<typeof inviteOperator>>;
const newOperator = (): Promise<Enrolled> => inviteOperator(admin, 'viewer');

const byPassword = async ({ operator: { email }, password }: Enrolled): Promise<OperatorClient> => {
  const client = new OperatorClient(instance);
  await client.request('POST', '/session', { email, password });
  return client;
};
const enterCode = (client: OperatorClient, code: string): Promise<TestResponse> =>
  client.request('POST', '/session/second-factor', { code });
const invalid = { status: 401, body: { code: 'invalid_code' } };

/** Lets codes of the authenticator be used again, as time would. */
const laterOn = (operator: Enrolled) =>
  instance.sql('UPDATE operators SET totp_step = 0 WHERE id = $1', [operator.operator.id]);

describe('CO-01: a code of the authenticator', () => {
  it('of now, of the step before and of the next one signs in', async () => {
    const operator = await newOperator();
    const currentStep = () => Math.floor(Date.now() / 30_000);
    for (const steps of [-1, 0, 1]) {
      await eventually('a response within one step', async () => {
        await laterOn(operator);
        const client = await byPassword(operator);
        const before = currentStep();
        const answer = await enterCode(client, totpCode(operator.secret, steps));
        // Where the next step has begun meanwhile, the code was of another one.
        if (currentStep() !== before) return false;
        expect(answer).toMatchObject({ status: 200, body: { state: 'signed_in' } });
        return true;
      });
    }
  });

  it('of another time, or of nothing, does not', async () => {
    const operator = await newOperator();
    await laterOn(operator);
    const client = await byPassword(operator);
    for (const code of [totpCode(operator.secret, -3), totpCode(operator.secret, 3), '', '12345', 'abcdef'])
      expect(await enterCode(client, code)).toMatchObject(invalid);
    expect((await client.request('GET', '/session')).body.state).toBe('second_factor');
  });

  it('is valid once, also for parallel uses, and no earlier one is valid after it', async () => {
    const operator = await newOperator();
    const clients = await Promise.all([1, 2, 3].map(() => byPassword(operator)));
    const code = totpCode(operator.secret, 1);
    const answers = await Promise.all(clients.map((client) => enterCode(client, code)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
    expect(await enterCode(await byPassword(operator), totpCode(operator.secret))).toMatchObject(invalid);
  });

  it('that enrolled the authenticator is used up, and those of another operator are worth nothing', async () => {
    const [operator, other] = [await newOperator(), await newOperator()];
    expect(await enterCode(await byPassword(operator), operator.enrollmentCode)).toMatchObject(invalid);
    await laterOn(operator);
    for (const code of [totpCode(other.secret), other.recoveryCodes[0]!])
      expect(await enterCode(await byPassword(operator), code)).toMatchObject(invalid);
  });
});

describe('CO-01: a recovery code', () => {
  it('takes the place of the authenticator once, also for parallel uses, however it is typed', async () => {
    const operator = await newOperator();
    expect(new Set(operator.recoveryCodes).size).toBe(10);
    const [first, second] = operator.recoveryCodes as [string, string];
    const clients = await Promise.all([1, 2, 3].map(() => byPassword(operator)));
    const answers = await Promise.all(clients.map((client) => enterCode(client, first)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
    const typed = ` ${second.replace('-', ' ').toUpperCase()}`;
    expect((await enterCode(await byPassword(operator), typed)).status).toBe(200);
  });

  it('is void once there are new ones, which a code of the authenticator makes', async () => {
    const operator = await newOperator();
    await laterOn(operator);
    const renew = (code: string) => operator.request('POST', '/session/recovery-codes', { code });
    expect(await renew('000000x')).toMatchObject(invalid);
    const { status, body } = await renew(totpCode(operator.secret));
    expect([status, body.recoveryCodes.length]).toEqual([200, 10]);
    expect(await enterCode(await byPassword(operator), operator.recoveryCodes[0]!)).toMatchObject(invalid);
    const fresh = body.recoveryCodes[0] as string;
    expect((await enterCode(await byPassword(operator), fresh)).status).toBe(200);
  });
});

describe('CO-01: failures', () => {
  // Where an operator is known there are more: operator-tries.dedicated.spec.ts. Per address: trusted-proxies.dedicated.spec.ts.
  const forgetAddresses = () => instance.sql('DELETE FROM operator_addresses');
  const newStranger = async (): Promise<Enrolled> => {
    const operator = await newOperator();
    await forgetAddresses();
    return operator;
  };
  const wrong = (email: string): Promise<TestResponse> =>
    retryWhileRejected(() =>
      new OperatorClient(instance).request('POST', '/session', { email, password: 'not the password' }),
    );

  it('of passwords are counted per email, known or not: of 30 in parallel ten are checked', async () => {
    const operator = await newStranger();
    for (const email of [operator.operator.email, uniqueEmail()]) {
      const answers = await Promise.all(Array.from({ length: 30 }, () => wrong(email)));
      expect(answers.filter(({ status }) => status === 401)).toHaveLength(10);
      const refused = answers.find(({ status }) => status === 429)!;
      expect(refused.body.code).toBe('too_many_attempts');
      expect(refused.headers.get('ratelimit-policy')).toBe('"failed-operator-login";q=10;w=900');
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(800);
    }
    // Not even the right one, until the window is over.
    const right = async () => {
      const { password } = operator;
      const body = { email: operator.operator.email, password };
      return new OperatorClient(instance).request('POST', '/session', body);
    };
    expect((await right()).status).toBe(429);
    await instance.sql(`UPDATE operator_login_attempts SET window_ends_at = now()`);
    expect((await right()).status).toBe(200);
    // Whoever is signed in already is not hindered.
    expect((await operator.request('GET', '/projects')).status).toBe(200);
  });

  it('of codes are counted with them, also those of recovery, and signing in forgets them', async () => {
    const operator = await newStranger();
    await laterOn(operator);
    const { email } = operator.operator;
    for (let index = 0; index < 4; index += 1) await wrong(email);
    const client = await byPassword(operator);
    for (const code of ['0', '1', 'xxxxx-xxxxx', '3']) await enterCode(client, code);
    expect((await enterCode(client, totpCode(operator.secret))).status).toBe(200);
    await forgetAddresses();
    const again = await byPassword(operator);
    for (let index = 0; index < 9; index += 1) expect((await enterCode(again, `${index}`)).status).toBe(401);
    expect(await enterCode(again, operator.recoveryCodes[0]!)).toMatchObject({
      status: 429,
      body: { code: 'too_many_attempts' },
    });
  });

  it('are not forgotten by a right password alone', async () => {
    const operator = await newStranger();
    for (let index = 0; index < 5; index += 1) await wrong(operator.operator.email);
    for (let index = 0; index < 5; index += 1) await byPassword(operator);
    expect((await wrong(operator.operator.email)).status).toBe(429);
  });
});

describe('CO-01: enrolling', () => {
  /** Accepts an invitation. @returns the client, who has no authenticator yet */
  const acceptInvitation = async (role: string) => {
    const email = uniqueEmail();
    const invited = await admin.request('POST', '/operators', { email, role });
    const token = new URL(invited.body.invitationUrl as string).hash.slice('#token='.length);
    const client = new OperatorClient(instance);
    const password = 'an unusual long phrase';
    const { body } = await client.request('POST', '/invitations/accept', { token, password });
    return { client, email, password, session: body };
  };

  it('can be skipped in development, and is required to manage operators and to create keys', async () => {
    const { client, session } = await acceptInvitation('admin');
    expect(session).toMatchObject({ state: 'enrollment', hasSecondFactor: false, maySkipEnrollment: true });
    const skip = () => client.request('POST', '/session/enrollment/skip');
    const skipped = { state: 'signed_in', hasSecondFactor: false, maySkipEnrollment: false };
    expect(await skip()).toMatchObject({ status: 200, body: skipped });
    expect(await skip()).toMatchObject({ status: 401, body: { code: 'operator_session_required' } });
    expect((await client.request('GET', '/operators')).status).toBe(200);

    const { operator } = await newOperator();
    const keys = `/projects/${instance.credentials.projectId}/api-keys`;
    const invite = () => client.request('POST', '/operators', { email: uniqueEmail(), role: 'viewer' });
    const key = () => client.request('POST', keys, { name: 'Console' });
    const requests = [
      invite,
      key,
      () => client.request('PATCH', `/operators/${operator.id}`, { role: 'admin' }),
      ...['enable', 'reset-second-factor', 'invite-again'].map(
        (action) => () => client.request('POST', `/operators/${operator.id}/${action}`),
      ),
      () => client.request('POST', `${keys}/${operator.id}/rotate`),
    ];
    for (const send of requests)
      expect(await send()).toMatchObject({ status: 403, body: { code: 'factor_required' } });

    expect((await client.enroll()).status).toBe(200);
    expect((await client.request('GET', '/session')).body).toMatchObject({ hasSecondFactor: true });
    expect([(await invite()).status, (await key()).status]).toEqual([201, 201]);
  });

  it('takes a code of the very secret, and no operator enrolls twice', async () => {
    const { client, email, password } = await acceptInvitation('viewer');
    const confirm = (code: string) => client.request('POST', '/session/enrollment/confirm', { code });
    expect(await confirm('123456')).toMatchObject(invalid);
    const old = (await client.request('POST', '/session/enrollment')).body.secret as string;
    const { secret, otpauthUri } = (await client.request('POST', '/session/enrollment')).body;
    const uri = new URL(otpauthUri as string);
    expect(uri.searchParams.get('secret')).toBe(secret);
    expect(decodeURIComponent(uri.pathname)).toContain(email);
    expect(await confirm(totpCode(old))).toMatchObject(invalid);
    // Beside it, by the password alone: whoever is first wins.
    const rival = new OperatorClient(instance);
    expect((await rival.request('POST', '/session', { email, password })).body.state).toBe('enrollment');
    const stolen = (await rival.request('POST', '/session/enrollment')).body.secret as string;
    expect((await confirm(totpCode(secret as string))).body).toMatchObject({
      session: { state: 'signed_in' },
    });
    const late = await rival.request('POST', '/session/enrollment/confirm', { code: totpCode(stolen) });
    expect(late).toMatchObject({ status: 401, body: { code: 'operator_session_required' } });
    expect((await rival.request('POST', '/session', { email, password })).body.state).toBe('second_factor');
  });
});
