import { createClient, memoryStorage, type Client, type ClientOptions, type Session } from '@gatehouse/js';
import { decodeJwt } from 'jose';
import { resetTotpSteps } from '../support/customer-factors.js';
import { NEW_PASSWORD, withSettings } from '../support/customers.js';
import { readEmailCode, submitEmailLink } from '../support/email-codes.js';
import { PASSWORD, TestInstance } from '../support/test-instance.js';
import { totpCode } from '../support/totp.js';
import { uniqueEmail } from '../support/unique-email.js';

let instance: TestInstance;
beforeAll(async () => (instance = await TestInstance.startShared({ workers: 0 })));
afterAll(async () => instance?.stop());

const newClient = (more: Partial<ClientOptions> = {}): Client => {
  const { publishableKey, projectId } = instance.credentials;
  return createClient({ url: instance.baseUrl, publishableKey, projectId, ...more });
};

interface SignedUp {
  client: Client;
  id: string;
  email: string;
}

/** Registers a customer with a new client. */
async function signUp(options: Partial<ClientOptions> = {}): Promise<SignedUp> {
  const client = newClient(options);
  const email = uniqueEmail();
  const result = await client.signUp({ email, password: PASSWORD, firstName: 'Ada' });
  if (result.status !== 'complete') throw new Error(`the registration ended with ${result.status}`);
  return { client, id: result.customer.id, email };
}

const claimsOf = async (client: Client) => decodeJwt((await client.getAccessToken())!);

const listSessions = (customerId: string): Promise<{ generation: number; active: boolean }[]> =>
  instance.sql('SELECT generation, revoked_at IS NULL AS active FROM sessions WHERE customer_id = $1', [
    customerId,
  ]);

it('HD-03: a client registers, signs in with a password, manages the profile and signs out', async () => {
  const { client, id, email } = await signUp();
  expect(await client.customer.get()).toMatchObject({ id, email, firstName: 'Ada' });
  expect(await client.customer.update({ firstName: 'Grace', locale: 'de' })).toMatchObject({
    firstName: 'Grace',
    locale: 'de',
  });
  await client.customer.changePassword({ currentPassword: PASSWORD, newPassword: NEW_PASSWORD });

  const other = newClient();
  expect(await other.signIn.password({ email, password: NEW_PASSWORD })).toMatchObject({
    status: 'complete',
    customer: { id, firstName: 'Grace' },
  });
  await other.customer.delete({ currentPassword: NEW_PASSWORD });
  expect(await other.getAccessToken()).toBeNull();
  await client.signOut();
  expect(await client.getAccessToken()).toBeNull();
  await expect(client.customer.get()).rejects.toMatchObject({ code: 'signed_out', status: 401 });
});

it('a client lists the sessions on all pages, revokes one and signs out the others', async () => {
  const { client, id, email } = await signUp();
  const others = [newClient(), newClient(), newClient()];
  for (const other of others) await other.signIn.password({ email, password: PASSWORD });

  const page = await client.sessions.list({ limit: 2 });
  expect([page.data.length, page.hasMore]).toEqual([2, true]);
  const all: Session[] = [];
  for await (const session of client.sessions.list({ limit: 2 })) all.push(session);
  expect(all.map(({ current }) => current)).toEqual([false, false, false, true]);
  await client.sessions.revoke(all[0]!.id);
  expect((await client.sessions.list()).data).toHaveLength(3);
  await client.signOut({ scope: 'others' });
  expect((await client.sessions.list()).data.map(({ current }) => current)).toEqual([true]);
  await client.signOut({ scope: 'all' });
  expect((await listSessions(id)).filter(({ active }) => active)).toEqual([]);
});

it('a client signs in with the code and with the link in an email', async () => {
  const redirectUrl = 'https://app.example.com/welcome';
  await withSettings(instance, { signIn: { emailCode: true }, redirectUrls: [redirectUrl] }, async () => {
    const client = newClient();
    const email = uniqueEmail();
    const { token } = await client.sendEmailCode({ email });
    const code = await readEmailCode(instance, email);
    expect(await client.signIn.emailCode({ token, code })).toMatchObject({
      status: 'complete',
      customer: { email, emailVerified: true },
    });

    const byLink = newClient();
    await byLink.sendEmailCode({ email, redirectUrl });
    await readEmailCode(instance, email, 1);
    const [mail] = await instance.listMails(email, 'email-code');
    const { pathname, search } = new URL(mail!['link'] as string);
    const url = (await submitEmailLink({ path: pathname + search }, instance.baseUrl)).headers.get(
      'location',
    )!;
    expect(await newClient().handleRedirect(url)).toBeNull();
    const [first, second] = await Promise.all([byLink.handleRedirect(url), byLink.handleRedirect(url)]);
    expect(first).toMatchObject({ status: 'complete', customer: { email } });
    expect(second).toEqual(first);
    expect(await byLink.handleRedirect(url)).toBeNull();
  });
});

it('a client adds an authenticator, and signs in with its code and with a recovery code', async () => {
  await withSettings(instance, { mfa: 'optional' }, async () => {
    const { client, id, email } = await signUp();
    const { id: factorId, secret } = await client.factors.addTotp({ password: PASSWORD });
    const { recoveryCodes } = await client.factors.confirmTotp(factorId, { code: totpCode(secret) });
    expect(recoveryCodes).toHaveLength(10);
    await resetTotpSteps(instance, { id });

    const challengeOf = async (other: Client) => {
      const result = await other.signIn.password({ email, password: PASSWORD });
      if (result.status !== 'second_factor') throw new Error(`the sign-in ended with ${result.status}`);
      return result.challenge;
    };
    const byCode = newClient();
    const { token, methods } = await challengeOf(byCode);
    expect(methods).toEqual(['totp', 'recovery_code']);
    await expect(byCode.challenge.totp({ token, code: '000000' })).rejects.toMatchObject({
      code: 'invalid_code',
    });
    expect(await byCode.challenge.totp({ token, code: totpCode(secret) })).toMatchObject({
      status: 'complete',
    });
    expect((await claimsOf(byCode))['amr']).toEqual(expect.arrayContaining(['pwd', 'otp', 'mfa']));

    const byRecoveryCode = newClient();
    const challenge = await challengeOf(byRecoveryCode);
    const credential = { token: challenge.token, code: recoveryCodes![0]! };
    expect(await byRecoveryCode.challenge.recoveryCode(credential)).toMatchObject({ status: 'complete' });
    expect(await byCode.factors.list()).toMatchObject({
      totp: [{ id: factorId }],
      passkeys: [],
      recoveryCodes: 9,
    });
    expect(await byCode.factors.createRecoveryCodes()).toHaveLength(10);
    await byCode.factors.remove(factorId);
    expect((await byCode.factors.list()).totp).toEqual([]);
  });
});

it('a client adds the authenticator that a sign-in requires, and returns its recovery codes', async () => {
  const { email } = await signUp();
  await withSettings(instance, { mfa: 'required' }, async () => {
    const client = newClient();
    const result = await client.signIn.password({ email, password: PASSWORD });
    if (result.status !== 'enroll_factor') throw new Error(`the sign-in ended with ${result.status}`);
    const { token } = result.challenge;
    const { secret } = await client.challenge.enrollTotp({ token });
    const completed = await client.challenge.totp({ token, code: totpCode(secret) });
    expect(completed).toMatchObject({ status: 'complete', recoveryCodes: expect.any(Array) });
  });
});

it('a client reauthenticates with each method, and uses the new access token', async () => {
  await withSettings(instance, { mfa: 'optional', signIn: { emailCode: true } }, async () => {
    const { client, id, email } = await signUp();
    await client.verifyEmail(await instance.getMailToken(email, 'verify-email'));
    const tokens = [await client.getAccessToken()];
    const expectNewToken = async (reauthentication: Promise<void>) => {
      await reauthentication;
      tokens.push(await client.getAccessToken());
    };
    await expectNewToken(client.reauthenticate.password({ password: PASSWORD }));
    await client.reauthenticate.sendEmailCode();
    const code = await readEmailCode(instance, email, 0, 'reauthentication-code');
    await expectNewToken(client.reauthenticate.emailCode({ code }));

    const { id: factorId, secret } = await client.factors.addTotp();
    const { recoveryCodes } = await client.factors.confirmTotp(factorId, { code: totpCode(secret) });
    await resetTotpSteps(instance, { id });
    await expectNewToken(client.reauthenticate.totp({ code: totpCode(secret) }));
    await expectNewToken(client.reauthenticate.recoveryCode({ code: recoveryCodes![0]! }));
    expect(new Set(tokens).size).toBe(5);
    expect((await claimsOf(client))['amr']).toEqual(expect.arrayContaining(['pwd', 'otp', 'email']));
    expect((await listSessions(id)).map(({ generation }) => generation)).toEqual([1]);
  });
});

it('a client completes the flows that emailed links start', async () => {
  const { client, email } = await signUp();
  await client.verifyEmail(await instance.getMailToken(email, 'verify-email'));
  expect((await client.customer.get()).emailVerified).toBe(true);
  await client.resendVerification(email);

  await client.forgotPassword(email);
  await client.resetPassword({
    token: await instance.getMailToken(email, 'reset-password'),
    password: NEW_PASSWORD,
  });
  await client.signIn.password({ email, password: NEW_PASSWORD });
  const newEmail = uniqueEmail();
  await client.customer.changeEmail({ email: newEmail, password: NEW_PASSWORD });
  const current = await instance.getMailToken(email, 'change-email-current');
  expect(await client.confirmEmailChange(current)).toEqual({ status: 'pending' });
  expect(await client.confirmEmailChange(await instance.getMailToken(newEmail, 'change-email-new'))).toEqual({
    status: 'changed',
  });
  expect((await client.customer.get()).email).toBe(newEmail);

  const stranger = await signUp();
  const { customer } = await client.disown(await instance.getMailToken(stranger.email, 'verify-email'));
  expect(customer).toEqual({ id: stranger.id, email: stranger.email, emailVerified: true });
  await expect(
    newClient().signIn.password({ email: stranger.email, password: PASSWORD }),
  ).rejects.toMatchObject({ code: 'invalid_credentials' });
});

it('a client returns the options that a page should offer, and the details of an error', async () => {
  const client = newClient();
  expect(await client.options()).toMatchObject({ password: true, allowSignUp: true });
  expect(await client.options({ email: uniqueEmail() })).toMatchObject({ password: true, provider: null });
  await expect(client.signUp({ email: 'not-an-address', password: PASSWORD })).rejects.toMatchObject({
    name: 'GatehouseError',
    code: 'validation_failed',
    status: 400,
    fields: [{ field: 'email', code: 'invalid', message: expect.any(String) }],
    requestId: expect.any(String),
    retryAfter: undefined,
  });
  await expect(client.signUp({ email: uniqueEmail(), password: 'short' })).rejects.toMatchObject({
    code: 'weak_password',
    reasons: expect.arrayContaining(['too_short']),
  });
  await expect(client.signIn.idToken({ provider: 'unknown', idToken: 'a.b.c' })).rejects.toMatchObject({
    code: 'provider_not_found',
  });
  await expect(newClient({ url: 'http://127.0.0.1:9' }).options()).rejects.toMatchObject({
    code: 'network_error',
    status: 0,
  });
});

it('a sign-up returns verify_email if the project requires a verified address', async () => {
  await withSettings(instance, { requireVerifiedEmail: true }, async () => {
    const client = newClient();
    const email = uniqueEmail();
    expect(await client.signUp({ email, password: PASSWORD })).toMatchObject({
      status: 'verify_email',
      customer: { email },
    });
    expect(await client.getAccessToken()).toBeNull();
  });
});

it('20 clients that share storage with an expired token keep one session', async () => {
  const shared = memoryStorage();
  const { client, id } = await signUp({ storage: shared });
  const key = 'gatehouse.session';
  const record = JSON.parse((await shared.getItem(key))!);
  await shared.setItem(key, JSON.stringify({ ...record, expiresAt: 0 }));
  const clients = Array.from({ length: 20 }, () => newClient({ storage: shared }));
  const profiles = await Promise.all(clients.map(({ customer }) => customer.get()));
  expect(profiles.map((profile) => profile.id)).toEqual(Array(20).fill(id));
  expect(await listSessions(id)).toEqual([{ generation: 2, active: true }]);
  expect(await client.getAccessToken()).not.toBeNull();
});

it('a client signs out when a refresh is rejected, and passes the reason to the listener', async () => {
  const storage = memoryStorage();
  const { id } = await signUp({ storage });
  const key = 'gatehouse.session';
  const record = JSON.parse((await storage.getItem(key))!);
  await storage.setItem(key, JSON.stringify({ ...record, expiresAt: 0 }));
  await instance.requestWithSecretKey('DELETE', `/api/v1/customers/${id}/sessions`);
  const client = newClient({ storage });
  const states: unknown[] = [];
  client.onAuthStateChange((state) => states.push(state));
  expect(await client.getAccessToken()).toBeNull();
  await expect(client.customer.get()).rejects.toMatchObject({ code: 'invalid_refresh_token' });
  expect(states).toEqual([
    expect.objectContaining({ status: 'signed_in' }),
    { status: 'signed_out', customer: null, reason: 'invalid_refresh_token' },
  ]);
});
