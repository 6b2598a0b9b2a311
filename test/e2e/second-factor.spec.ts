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
const createOperator = (): Promise<Enrolled> => inviteOperator(admin, 'viewer');

const signInWithPassword = async ({ operator: { email }, password }: Enrolled): Promise<OperatorClient> => {
  const client = new OperatorClient(instance);
  await client.request('POST', '/session', { email, password });
  return client;
};
const enterCode = (client: OperatorClient, code: string): Promise<TestResponse> =>
  client.request('POST', '/session/second-factor', { code });
const invalid = { status: 400, body: { code: 'invalid_code' } };

/** Makes the authenticator's used codes valid again, instead of waiting for the next step. */
const resetTotpStep = (operator: Enrolled) =>
  instance.sql('UPDATE operators SET totp_step = 0 WHERE id = $1', [operator.operator.id]);

describe('CO-01: an authenticator code', () => {
  it('signs in if it belongs to the current, previous or next step', async () => {
    const operator = await createOperator();
    const currentStep = () => Math.floor(Date.now() / 30_000);
    for (const steps of [-1, 0, 1]) {
      await eventually('a response within one step', async () => {
        await resetTotpStep(operator);
        const client = await signInWithPassword(operator);
        const before = currentStep();
        const response = await enterCode(client, totpCode(operator.secret, steps));
        // If the next step has begun in the meantime, the code is for a different step than intended.
        if (currentStep() !== before) return false;
        expect(response).toMatchObject({ status: 200, body: { state: 'signed_in' } });
        return true;
      });
    }
  });

  it('fails if it is invalid or belongs to any other step', async () => {
    const operator = await createOperator();
    await resetTotpStep(operator);
    const client = await signInWithPassword(operator);
    const others = [totpCode(operator.secret, -3), totpCode(operator.secret, 3)];
    for (const code of [...others, '', '12345', 'abcdef', 'é23456', '🦄0818'])
      expect(await enterCode(client, code)).toMatchObject(invalid);
    expect((await client.request('GET', '/session')).body.state).toBe('second_factor');
  });

  it('works once, even for parallel uses, and invalidates earlier codes', async () => {
    const operator = await createOperator();
    const clients = await Promise.all([1, 2, 3].map(() => signInWithPassword(operator)));
    const code = totpCode(operator.secret, 1);
    const responses = await Promise.all(clients.map((client) => enterCode(client, code)));
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
    expect(await enterCode(await signInWithPassword(operator), totpCode(operator.secret))).toMatchObject(
      invalid,
    );
  });

  it('fails if the enrollment used it or it belongs to a different operator', async () => {
    const [operator, other] = [await createOperator(), await createOperator()];
    expect(await enterCode(await signInWithPassword(operator), operator.enrollmentCode)).toMatchObject(
      invalid,
    );
    await resetTotpStep(operator);
    for (const code of [totpCode(other.secret), other.recoveryCodes[0]!])
      expect(await enterCode(await signInWithPassword(operator), code)).toMatchObject(invalid);
  });
});

describe('CO-01: a recovery code', () => {
  it('signs in once, even in parallel, regardless of case and separators', async () => {
    const operator = await createOperator();
    expect(new Set(operator.recoveryCodes).size).toBe(10);
    const [first, second] = operator.recoveryCodes as [string, string];
    const clients = await Promise.all([1, 2, 3].map(() => signInWithPassword(operator)));
    const responses = await Promise.all(clients.map((client) => enterCode(client, first)));
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
    const typed = ` ${second.replace('-', ' ').toUpperCase()}`;
    expect((await enterCode(await signInWithPassword(operator), typed)).status).toBe(200);
  });

  it('fails once new recovery codes have been created with an authenticator code', async () => {
    const operator = await createOperator();
    await resetTotpStep(operator);
    const renew = (code: string) => operator.request('POST', '/session/recovery-codes', { code });
    expect(await renew('000000x')).toMatchObject(invalid);
    const { status, body } = await renew(totpCode(operator.secret));
    expect([status, body.recoveryCodes.length]).toEqual([200, 10]);
    expect(await enterCode(await signInWithPassword(operator), operator.recoveryCodes[0]!)).toMatchObject(
      invalid,
    );
    const newCode = body.recoveryCodes[0] as string;
    expect((await enterCode(await signInWithPassword(operator), newCode)).status).toBe(200);
  });
});

describe('OP-01: the replacement of an authenticator by its owner', () => {
  const start = (client: OperatorClient, code: string): Promise<TestResponse> =>
    client.request('POST', '/session/enrollment/replace', { code });
  const confirm = (client: OperatorClient, secret: string): Promise<TestResponse> =>
    client.request('POST', '/session/enrollment/confirm', { code: totpCode(secret) });

  it('requires a current code, and replaces the authenticator and the recovery codes', async () => {
    const owner = await createOperator();
    const other = await signInWithPassword(owner);
    await enterCode(other, owner.recoveryCodes[1]!);
    const { body } = await start(owner, totpCode(owner.secret, 1));
    // The current authenticator stays valid until the new one is confirmed.
    expect(await enterCode(await signInWithPassword(owner), owner.recoveryCodes[2]!)).toMatchObject({
      status: 200,
    });
    const confirmed = await confirm(owner, body.secret as string);
    expect(confirmed).toMatchObject({ status: 200, body: { session: { state: 'signed_in' } } });
    expect((await owner.request('GET', '/projects')).status).toBe(200);
    expect((await other.request('GET', '/projects')).status).toBe(401);
    await resetTotpStep(owner);
    for (const code of [totpCode(owner.secret), owner.recoveryCodes[0]!])
      expect(await enterCode(await signInWithPassword(owner), code)).toMatchObject(invalid);
    const signedIn = await enterCode(await signInWithPassword(owner), totpCode(body.secret as string));
    expect(signedIn.status).toBe(200);
    const invite = () => owner.request('POST', '/operators', { email: uniqueEmail(), role: 'viewer' });
    await instance.sql(`UPDATE operators SET role = 'admin' WHERE id = $1`, [owner.operator.id]);
    expect(await invite()).toMatchObject({ status: 403, body: { code: 'reauthentication_required' } });
  });

  it('works once with a recovery code', async () => {
    const owner = await createOperator();
    const [code] = owner.recoveryCodes;
    expect((await start(owner, code!)).status).toBe(200);
    expect(await start(owner, code!)).toMatchObject(invalid);
  });

  it('fails with a session alone, even shortly after a reauthentication', async () => {
    const owner = await createOperator();
    const enroll = () => owner.request('POST', '/session/enrollment');
    const sessionRequired = { status: 401, body: { code: 'operator_session_required' } };
    for (const code of ['000000', 'xxxxx-xxxxx', owner.enrollmentCode])
      expect(await start(owner, code)).toMatchObject(invalid);
    expect(await enroll()).toMatchObject(sessionRequired);
    expect(await confirm(owner, owner.secret)).toMatchObject(sessionRequired);
    // Once the owner has started a replacement, no other request may get the new secret.
    const { secret } = (await start(owner, totpCode(owner.secret, 1))).body;
    expect(await enroll()).toMatchObject(sessionRequired);
    const stolen = await signInWithPassword(owner);
    await enterCode(stolen, owner.recoveryCodes[0]!);
    expect(await confirm(stolen, secret as string)).toMatchObject(sessionRequired);
    expect(await confirm(owner, owner.secret)).toMatchObject(invalid);
  });
});

describe('CO-01: the limit on failures', () => {
  // api-settings.dedicated.spec.ts tests the additional attempts of known client IPs, and
  // rate-limits.dedicated.spec.ts tests the limits per client IP.
  const deleteAddresses = () => instance.sql('DELETE FROM operator_addresses');
  const createOperatorWithoutAddresses = async (): Promise<Enrolled> => {
    const operator = await createOperator();
    await deleteAddresses();
    return operator;
  };
  const enterWrongPassword = (email: string): Promise<TestResponse> =>
    retryWhileRejected(() =>
      new OperatorClient(instance).request('POST', '/session', { email, password: 'not the password' }),
    );

  it('allows ten of 30 parallel passwords for each email, known or unknown', async () => {
    const operator = await createOperatorWithoutAddresses();
    for (const email of [operator.operator.email, uniqueEmail()]) {
      const responses = await Promise.all(Array.from({ length: 30 }, () => enterWrongPassword(email)));
      expect(responses.filter(({ status }) => status === 401)).toHaveLength(10);
      const rejected = responses.find(({ status }) => status === 429)!;
      expect(rejected.body.code).toBe('too_many_attempts');
      expect(rejected.headers.get('ratelimit-policy')).toBe('"failed-operator-login";q=10;w=900');
      expect(Number(rejected.headers.get('retry-after'))).toBeGreaterThan(800);
    }
    // Even the correct password is rejected until the window ends.
    const enterCorrectPassword = async () => {
      const { password } = operator;
      const body = { email: operator.operator.email, password };
      return new OperatorClient(instance).request('POST', '/session', body);
    };
    expect((await enterCorrectPassword()).status).toBe(429);
    await instance.sql(`UPDATE operator_login_attempts SET window_ends_at = now() - interval '1 ms'`);
    expect((await enterCorrectPassword()).status).toBe(200);
    // Existing sessions are not affected.
    expect((await operator.request('GET', '/projects')).status).toBe(200);
  });

  it('counts codes, recovery codes and passwords together, and resets at a sign-in', async () => {
    const operator = await createOperatorWithoutAddresses();
    await resetTotpStep(operator);
    const { email } = operator.operator;
    for (let index = 0; index < 4; index += 1) await enterWrongPassword(email);
    const client = await signInWithPassword(operator);
    for (const code of ['0', '1', 'xxxxx-xxxxx', '3']) await enterCode(client, code);
    expect((await enterCode(client, totpCode(operator.secret))).status).toBe(200);
    await deleteAddresses();
    const nextClient = await signInWithPassword(operator);
    for (let index = 0; index < 9; index += 1)
      expect((await enterCode(nextClient, `${index}`)).status).toBe(400);
    expect(await enterCode(nextClient, operator.recoveryCodes[0]!)).toMatchObject({
      status: 429,
      body: { code: 'too_many_attempts' },
    });
  });

  it('does not reset on a correct password alone', async () => {
    const operator = await createOperatorWithoutAddresses();
    for (let index = 0; index < 5; index += 1) await enterWrongPassword(operator.operator.email);
    for (let index = 0; index < 5; index += 1) await signInWithPassword(operator);
    expect((await enterWrongPassword(operator.operator.email)).status).toBe(429);
  });

  it('does not reset on new recovery codes or a password change in an existing session', async () => {
    const operator = await createOperatorWithoutAddresses();
    const renewCodes = (code: string) => operator.request('POST', '/session/recovery-codes', { code });
    for (let index = 0; index < 9; index += 1) expect(await renewCodes(`${index}`)).toMatchObject(invalid);
    expect((await renewCodes(totpCode(operator.secret, 1))).status).toBe(200);
    const passwords = { currentPassword: operator.password, newPassword: 'an unusual long phrase' };
    expect((await operator.request('POST', '/session/password', passwords)).status).toBe(204);
    expect(await renewCodes('wrong')).toMatchObject(invalid);
    expect(await renewCodes('wrong')).toMatchObject({ status: 429, body: { code: 'too_many_attempts' } });
  });
});

describe('CO-01: enrollment', () => {
  /** Accepts an invitation. Returns the client, which has no authenticator yet. */
  const acceptInvitation = async (role: string) => {
    const email = uniqueEmail();
    const invited = await admin.request('POST', '/operators', { email, role });
    const token = new URL(invited.body.invitationUrl as string).hash.slice('#token='.length);
    const client = new OperatorClient(instance);
    const password = 'an unusual long phrase';
    const { body } = await client.request('POST', '/invitations/accept', { token, password });
    return { client, email, password, session: body };
  };

  it('stays optional in development, except for managing operators and creating keys', async () => {
    const { client, session } = await acceptInvitation('admin');
    expect(session).toMatchObject({ state: 'enrollment', hasSecondFactor: false, maySkipEnrollment: true });
    const skip = () => client.request('POST', '/session/enrollment/skip');
    const skipped = { state: 'signed_in', hasSecondFactor: false, maySkipEnrollment: false };
    expect(await skip()).toMatchObject({ status: 200, body: skipped });
    expect(await skip()).toMatchObject({ status: 401, body: { code: 'operator_session_required' } });
    expect((await client.request('GET', '/operators')).status).toBe(200);

    const { operator } = await createOperator();
    const keys = `/projects/${instance.credentials.projectId}/api-keys`;
    const invite = () => client.request('POST', '/operators', { email: uniqueEmail(), role: 'viewer' });
    const createKey = () => client.request('POST', keys, { name: 'Console' });
    const requests = [
      invite,
      createKey,
      () => client.request('PATCH', `/operators/${operator.id}`, { role: 'admin' }),
      ...['enable', 'disable', 'reset-second-factor', 'invite-again'].map(
        (action) => () => client.request('POST', `/operators/${operator.id}/${action}`),
      ),
      () => client.request('DELETE', `/operators/${operator.id}/sessions`),
      () => client.request('POST', `${keys}/${operator.id}/rotate`),
    ];
    for (const send of requests)
      expect(await send()).toMatchObject({ status: 403, body: { code: 'factor_required' } });
    expect((await client.request('DELETE', '/session/sessions')).status).toBe(204);

    expect((await client.enroll()).status).toBe(200);
    expect((await client.request('GET', '/session')).body).toMatchObject({ hasSecondFactor: true });
    for (const send of [invite, createKey])
      expect(await send()).toMatchObject({ status: 403, body: { code: 'reauthentication_required' } });
    await client.request('POST', '/session/reauthenticate', { code: totpCode(client.secret, 1) });
    expect([(await invite()).status, (await createKey()).status]).toEqual([201, 201]);
  });

  it('requires a code of the latest secret, and succeeds only once', async () => {
    const { client, email, password } = await acceptInvitation('viewer');
    const confirm = (code: string) => client.request('POST', '/session/enrollment/confirm', { code });
    expect(await confirm('123456')).toMatchObject(invalid);
    const oldSecret = (await client.request('POST', '/session/enrollment')).body.secret as string;
    const { secret, otpauthUri } = (await client.request('POST', '/session/enrollment')).body;
    const uri = new URL(otpauthUri as string);
    expect(uri.searchParams.get('secret')).toBe(secret);
    expect(decodeURIComponent(uri.pathname)).toContain(email);
    expect(await confirm(totpCode(oldSecret))).toMatchObject(invalid);
    // A concurrent session with only the password competes for the enrollment. The first confirmation succeeds.
    const rival = new OperatorClient(instance);
    expect((await rival.request('POST', '/session', { email, password })).body.state).toBe('enrollment');
    const rivalSecret = (await rival.request('POST', '/session/enrollment')).body.secret as string;
    expect((await confirm(totpCode(secret as string))).body).toMatchObject({
      session: { state: 'signed_in' },
    });
    const late = await rival.request('POST', '/session/enrollment/confirm', { code: totpCode(rivalSecret) });
    expect(late).toMatchObject({ status: 401, body: { code: 'operator_session_required' } });
    expect((await rival.request('POST', '/session', { email, password })).body.state).toBe('second_factor');
  });
});
