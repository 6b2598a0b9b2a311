import {
  inviteCustomer,
  NEW_PASSWORD,
  normalizeResponse,
  openSession,
  refreshSession,
  registerCustomer,
  requestEmailChange,
  requestReset,
  submitToken,
  withSettings,
  type RegisteredCustomer,
  type Tokens,
} from '../support/customers.js';
import { insertSessions } from '../support/insert-sessions.js';
import { retryWhileRejected } from '../support/retry-while-rejected.js';
import { insertProject } from '../support/tenants.js';
import { bearerHeader, PASSWORD, TestInstance, type TestResponse } from '../support/test-instance.js';
import { uniqueEmail } from '../support/unique-email.js';

let instance: TestInstance;
beforeAll(async () => (instance = await TestInstance.startShared({ workers: 0 })));
afterAll(async () => instance?.stop());

const disown = (token: string): Promise<TestResponse> => submitToken(instance, 'disown', token);
const verify = (token: string): Promise<TestResponse> => submitToken(instance, 'verify-email', token);
const reset = (token: string): Promise<TestResponse> => submitToken(instance, 'reset-password', token);
const invalidToken = { status: 400, body: { code: 'invalid_token' } };
const getMeStatus = async ({ accessToken }: Tokens): Promise<number> =>
  (await instance.requestWithAccessToken(accessToken, 'GET', '/api/v1/me')).status;
const countKnownAddresses = async (id: string): Promise<number> =>
  (await instance.sql('SELECT FROM customer_addresses WHERE customer_id = $1', [id])).length;
const listEventTypes = async (id: string): Promise<string[]> =>
  (await instance.events(id)).map(({ type }) => type as string);

/** Registers another person's address. @returns also the verification token that this person receives */
const registerForeignAddress = async (): Promise<RegisteredCustomer & { token: string }> => {
  const customer = await registerCustomer(instance);
  return { ...customer, token: await instance.getVerificationToken(customer.email) };
};

/** Asserts that the first registrant has no access left, however they gained it. */
async function expectNoAccess(email: string, sessions: Tokens[]): Promise<void> {
  expect((await instance.login(email)).status).toBe(401);
  for (const tokens of sessions) {
    expect(await getMeStatus(tokens)).toBe(401);
    const refreshed = await refreshSession(instance, tokens.refreshToken);
    expect(refreshed).toMatchObject({ status: 401, body: { code: 'invalid_refresh_token' } });
  }
}

describe('disowning an account', () => {
  it('FE-03: removes all earlier access, verifies the address and preserves the profile', async () => {
    const customer = await registerForeignAddress();
    const { id, email, tokens, token } = customer;
    const profile = { firstName: 'Ada', metadata: { plan: 'pro' }, publicMetadata: { seats: 2 } };
    await instance.requestWithSecretKey('PATCH', `/api/v1/customers/${id}`, profile);
    const second = await openSession(instance, email);
    const resetToken = await requestReset(instance, email);
    const { currentToken, newToken } = await requestEmailChange(instance, customer);
    expect((await submitToken(instance, 'confirm-email-change', newToken)).body.status).toBe('pending');

    const response = await disown(token);
    expect(response).toMatchObject({ status: 200, body: { customer: { id, email, emailVerified: true } } });
    // The events are read first, because the failed sign-in below records another one.
    const eventTypes = await listEventTypes(id);
    await expectNoAccess(email, [tokens, second]);
    expect(await reset(resetToken)).toMatchObject(invalidToken);
    expect(await submitToken(instance, 'confirm-email-change', currentToken)).toMatchObject(invalidToken);
    expect(await countKnownAddresses(id)).toBe(0);
    const { body } = await instance.requestWithSecretKey('GET', `/api/v1/customers/${id}`);
    expect(body).toMatchObject({ ...profile, email, emailVerified: true, disabledAt: null });

    expect(eventTypes.slice(-5)).toEqual([
      'verification.completed',
      'session.revoked',
      'session.revoked',
      'password.changed',
      'password.reset_requested',
    ]);
    const [verified] = await instance.events(id, 'verification.completed');
    expect(verified!.data.verification).toMatchObject({ email, via: 'link' });
    const revoked = await instance.events(id, 'session.revoked');
    expect(revoked.map(({ data }) => data.reason)).toEqual(['disowned', 'disowned']);
    const requestId = response.headers.get('x-request-id')!;
    const audit = await instance.requestWithSecretKey('GET', `/api/v1/audit-log?requestId=${requestId}`);
    expect(audit.body.data).toMatchObject([
      { action: 'customer.disowned', actorType: 'customer', actorId: id, targetId: id },
    ]);
  });

  it('sends the owner a link to set a password, even if strangers exhausted the email quota', async () => {
    const { email, token } = await registerForeignAddress();
    const requested = await requestReset(instance, email);
    expect((await disown(token)).status).toBe(200);
    const owned = await instance.getMailToken(email, 'reset-password');
    expect(owned).not.toBe(requested);
    expect((await reset(owned)).status).toBe(204);
    expect((await instance.login(email, NEW_PASSWORD)).body.customer.emailVerified).toBe(true);
  });

  it('EV-02: works for only one of 20 parallel calls, even after the link verified the address', async () => {
    const { id, email, tokens, token } = await registerForeignAddress();
    expect((await verify(token)).status).toBe(200);
    const refreshed = await refreshSession(instance, tokens.refreshToken);
    // Revoking the sessions at verification would sign out honest customers.
    expect(refreshed.body.customer.emailVerified).toBe(true);

    const responses = await Promise.all(
      Array.from({ length: 20 }, () => retryWhileRejected(() => disown(token))),
    );
    for (const response of responses)
      expect(response).toMatchObject({ status: 200, body: { customer: { id, email, emailVerified: true } } });
    await expectNoAccess(email, [tokens, refreshed.body.tokens]);
    const types = await listEventTypes(id);
    for (const type of [
      'verification.completed',
      'session.revoked',
      'password.changed',
      'password.reset_requested',
    ])
      expect([type, types.filter((each) => each === type).length]).toEqual([type, 1]);
    expect(await instance.listMails(email, 'reset-password')).toHaveLength(1);
    expect((await verify(token)).status).toBe(200);
  });

  it('does not remove what the owner has set up since the link was sent', async () => {
    for (const [name, claim] of [
      ['disowning', ({ token }: { token: string }) => disown(token)],
      ['a reset', ({ email }: { email: string }) => requestReset(instance, email)],
    ] as const) {
      const customer = await registerForeignAddress();
      const { email, token } = customer;
      expect((await verify(token)).status).toBe(200);
      await claim(customer);
      expect((await reset(await instance.getMailToken(email, 'reset-password'))).status).toBe(204);
      const { body } = await instance.login(email, NEW_PASSWORD);
      expect([name, (await disown(token)).status]).toEqual([name, 200]);
      expect([name, await getMeStatus(body.tokens)]).toEqual([name, 200]);
      expect((await instance.login(email, NEW_PASSWORD)).status).toBe(200);
    }
  });

  it('prevents concurrent requests from retaining access (I4)', async () => {
    const customer = await registerForeignAddress();
    const { email, tokens, token } = customer;
    const second = await openSession(instance, email);
    const postMe = (path: string, body: object): Promise<TestResponse> =>
      retryWhileRejected(() =>
        instance.requestWithAccessToken(second.accessToken, 'POST', `/api/v1/me${path}`, body),
      );
    const send = [
      () => disown(token),
      () => refreshSession(instance, tokens.refreshToken),
      () => refreshSession(instance, tokens.refreshToken),
      () => instance.login(email),
      () => instance.login(email),
      () => postMe('/password', { currentPassword: PASSWORD, newPassword: 'a third phrase of mine' }),
      () => postMe('/email', { email: uniqueEmail(), password: PASSWORD }),
    ];
    const responses = await Promise.all(send.map((request) => retryWhileRejected(request)));
    expect(responses[0]!.status).toBe(200);
    const issued = responses.flatMap(({ body }): Tokens[] => (body.tokens ? [body.tokens] : []));
    await expectNoAccess(email, [tokens, second, ...issued]);
    expect((await instance.login(email, 'a third phrase of mine')).status).toBe(401);
    const open = await instance.sql(
      `SELECT kind FROM one_time_tokens
       WHERE customer_id = $1 AND consumed_at IS NULL AND voided_at IS NULL`,
      [customer.id],
    );
    expect(open).toEqual([{ kind: 'reset-password' }]);
  });

  it("FE-03: removes the access of a person who changed their address to the owner's", async () => {
    const changing = await registerCustomer(instance);
    const { newEmail: email, currentToken, newToken } = await requestEmailChange(instance, changing);
    const confirm = (token: string) => submitToken(instance, 'confirm-email-change', token);
    // The address does not belong to the account until both sides have confirmed the change.
    expect(await disown(newToken)).toMatchObject(invalidToken);
    expect((await confirm(newToken)).body.status).toBe('pending');
    for (const token of [newToken, currentToken]) expect(await disown(token)).toMatchObject(invalidToken);
    expect((await confirm(currentToken)).body.status).toBe('changed');
    expect(await disown(currentToken)).toMatchObject(invalidToken);

    const customer = { id: changing.id, email, emailVerified: true };
    expect(await disown(newToken)).toMatchObject({ status: 200, body: { customer } });
    await expectNoAccess(email, [changing.tokens]);
    expect((await reset(await instance.getMailToken(email, 'reset-password'))).status).toBe(204);
    expect((await disown(newToken)).status).toBe(200);
    expect((await instance.login(email, NEW_PASSWORD)).body.customer).toMatchObject(customer);
  });

  it('removes the tokens from the stored response of the registration', async () => {
    const email = uniqueEmail();
    const register = (): Promise<TestResponse> =>
      instance.request('POST', '/api/v1/auth/register', {
        body: { email, password: PASSWORD },
        headers: { ...bearerHeader(instance.credentials.secretKey), 'idempotency-key': email },
      });
    expect((await register()).body.tokens).not.toBeNull();
    await disown(await instance.getVerificationToken(email));
    const replayed = await register();
    expect(replayed.headers.get('idempotent-replayed')).toBe('true');
    expect(replayed.body.tokens).toBeNull();
  });

  it('EV-04: returns the same response for every invalid token, and changes nothing', async () => {
    const setState = (column: string, email: string) =>
      instance.sql(`UPDATE one_time_tokens SET ${column} = now() WHERE email = $1`, [email]);
    const changes: Record<string, (customer: RegisteredCustomer) => Promise<unknown>> = {
      expired: ({ email }) => setState('expires_at', email),
      voided: ({ email }) => setState('voided_at', email),
      'the address has changed': ({ id }) =>
        instance.requestWithSecretKey('PATCH', `/api/v1/customers/${id}`, { email: uniqueEmail() }),
      'the customer is disabled': ({ id }) =>
        instance.requestWithSecretKey('POST', `/api/v1/customers/${id}/disable`),
    };
    const unknown = normalizeResponse(await disown('x'.repeat(43)));
    expect(unknown).toMatchObject(invalidToken);
    for (const isVerified of [false, true]) {
      for (const [name, change] of Object.entries(changes)) {
        const customer = await registerForeignAddress();
        const { id, token } = customer;
        if (isVerified) await verify(token);
        await change(customer);
        const readRow = () => instance.sql('SELECT * FROM customers WHERE id = $1', [id]);
        const before = await readRow();
        expect([name, normalizeResponse(await disown(token))]).toEqual([name, unknown]);
        expect(await readRow()).toEqual(before);
      }
    }
    const { email } = await registerCustomer(instance);
    for (const token of ['', await requestReset(instance, email), (await inviteCustomer(instance)).token])
      expect(normalizeResponse(await disown(token))).toEqual(unknown);
  });

  it("works only in the token's project, from its origins, and not if it is archived", async () => {
    const email = uniqueEmail();
    const tenant = await insertProject(instance, instance.credentials.organizationId);
    const { body: other } = await instance.request('POST', '/api/v1/auth/register', {
      body: { email, password: PASSWORD },
      headers: { 'x-publishable-key': tenant.publishableKey },
    });
    const otherToken = await instance.getVerificationToken(email);
    const own = await registerCustomer(instance, email);
    const token = await instance.getVerificationToken(email);
    await withSettings(instance, { allowedOrigins: ['https://app.example.com'] }, async () => {
      const rejected = await instance.request('POST', '/api/v1/auth/disown', {
        body: { token },
        headers: { origin: 'https://evil.example' },
      });
      expect(rejected).toMatchObject({ status: 403, body: { code: 'origin_not_allowed' } });
    });
    expect(await getMeStatus(own.tokens)).toBe(200);
    expect((await disown(token)).body.customer.id).toBe(own.id);
    expect([await getMeStatus(own.tokens), await getMeStatus(other.tokens)]).toEqual([401, 200]);
    await instance.requestWithSecretKey('POST', `/api/v1/projects/${tenant.projectId}/archive`);
    expect(await disown(otherToken)).toMatchObject(invalidToken);
  });
});

describe('proving ownership of an unverified address', () => {
  it('FE-03: removes all earlier access, whether through a reset or an invitation', async () => {
    const claims = {
      reset: async () => {
        const customer = await registerForeignAddress();
        return { ...customer, token: await requestReset(instance, customer.email) };
      },
      invite: async () => {
        const { id, email, token } = await inviteCustomer(instance);
        await instance.sql(
          `UPDATE customers SET password_hash = (SELECT password_hash FROM customers WHERE email = $2)
           WHERE id = $1`,
          [id, (await registerCustomer(instance)).email],
        );
        await insertSessions(instance, id, 2);
        return { id, email, token, tokens: await openSession(instance, email) };
      },
    };
    for (const [via, prepare] of Object.entries(claims)) {
      const { id, email, token, tokens } = await prepare();
      const { currentToken, newToken } = await requestEmailChange(instance, { email, tokens });
      await submitToken(instance, 'confirm-email-change', newToken);
      const [response, ...logins] = await Promise.all([
        retryWhileRejected(() => reset(token)),
        ...[1, 2, 3].map(() => retryWhileRejected(() => instance.login(email))),
      ]);
      expect([via, response.status]).toEqual([via, 204]);
      const opened = logins.flatMap(({ body }): Tokens[] => (body.tokens ? [body.tokens] : []));
      await expectNoAccess(email, [tokens, ...opened]);
      expect(await submitToken(instance, 'confirm-email-change', currentToken)).toMatchObject(invalidToken);
      expect(await countKnownAddresses(id)).toBe(0);
      const sessions = await instance.requestWithSecretKey('GET', `/api/v1/customers/${id}/sessions`);
      expect(sessions.body.data).toEqual([]);
      const [verified, ...others] = await instance.events(id, 'verification.completed');
      expect([verified!.data.verification.via, others]).toEqual([via, []]);
      const { body } = await instance.login(email, NEW_PASSWORD);
      expect(body.customer).toMatchObject({ id, email, emailVerified: true });
    }
  });
});
