import { decodeJwt } from 'jose';
import {
  backdateProofs,
  completeChallenge,
  enrollTotp,
  openChallenge,
  registerWithTotp,
  resetTotpSteps,
  type EnrolledCustomer,
} from '../support/customer-factors.js';
import {
  NEW_PASSWORD,
  refreshSession,
  registerCustomer,
  requestReset,
  submitToken,
  withSettings,
} from '../support/customers.js';
import { toFullWidth } from '../support/email-codes.js';
import { setFailedSignIns } from '../support/failed-sign-ins.js';
import { SoftwareAuthenticator } from '../support/software-authenticator.js';
import { startReplica } from '../support/start-replica.js';
import { insertProject } from '../support/tenants.js';
import { PASSWORD, TestInstance, type TestResponse } from '../support/test-instance.js';
import { totpCode } from '../support/totp.js';
import { withConcurrentChange } from '../support/with-concurrent-change.js';
import { uniqueEmail } from '../support/unique-email.js';

let instance: TestInstance;
beforeAll(async () => {
  instance = await TestInstance.startShared({ workers: 0 });
  await setMfa('optional');
});
afterAll(async () => instance?.stop());

const updateSettings = (settings: object): Promise<TestResponse> =>
  instance.requestWithSecretKey('PATCH', `/api/v1/projects/${instance.credentials.projectId}`, { settings });
const setMfa = (mfa: string | null): Promise<TestResponse> => updateSettings({ mfa });

const asCustomer = (
  { tokens }: { tokens: { accessToken: string } },
  method: string,
  path: string,
  body?: object,
): Promise<TestResponse> =>
  instance.requestWithAccessToken(tokens.accessToken, method, `/api/v1/me/${path}`, body);

const reauthenticate = (customer: EnrolledCustomer, body: object): Promise<TestResponse> =>
  asCustomer(customer, 'POST', 'reauthenticate', body);

const statuses = (responses: TestResponse[]): number[] => responses.map(({ status }) => status).sort();
const invalidCode = { status: 400, body: { code: 'invalid_code' } };
const expired = { status: 400, body: { code: 'challenge_expired' } };
const tooMany = { status: 429, body: { code: 'too_many_attempts' } };

const hasFailures = async ({ id }: { id: string }): Promise<boolean> =>
  (await instance.sql('SELECT FROM factor_attempts WHERE customer_id = $1 AND failures > 0', [id])).length >
  0;

describe('a customer with an authenticator', () => {
  it('MF-03: enrolls it, completes challenges, reauthenticates with it and removes it', async () => {
    const customer = await registerCustomer(instance);
    const added = await asCustomer(customer, 'POST', 'factors/totp', {});
    expect(added.status).toBe(201);
    const { id: factorId, secret, uri, qrCode } = added.body;
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    expect(new URL(uri).searchParams.get('secret')).toBe(secret);
    expect(qrCode).toMatch(/^<svg /);
    const [{ secret: stored }] = await instance.sql<any>('SELECT secret FROM totp_factors WHERE id = $1', [
      factorId,
    ]);
    expect(stored.includes(secret)).toBe(false);
    expect((await instance.login(customer.email)).body.challenge).toBeNull();

    const confirmPath = `factors/totp/${factorId}/confirm`;
    expect(await asCustomer(customer, 'POST', confirmPath, { code: totpCode(secret, 5) })).toMatchObject(
      invalidCode,
    );
    const confirmed = await asCustomer(customer, 'POST', confirmPath, { code: totpCode(secret) });
    expect(confirmed).toMatchObject({
      status: 200,
      body: { recoveryCodes: Array(10).fill(expect.any(String)) },
    });
    expect((await asCustomer(customer, 'POST', confirmPath, { code: totpCode(secret) })).status).toBe(404);
    const refreshed = await refreshSession(instance, customer.tokens.refreshToken);
    expect(decodeJwt(refreshed.body.tokens.accessToken)['amr']).toEqual(['pwd', 'otp', 'mfa']);
    const listed = await asCustomer(customer, 'GET', 'factors');
    expect(listed.body).toEqual({
      totp: [{ id: factorId, type: 'totp', createdAt: expect.any(String), lastUsedAt: expect.any(String) }],
      passkeys: [],
      recoveryCodes: 10,
    });

    const login = await instance.login(customer.email);
    expect(login).toMatchObject({
      status: 200,
      body: {
        tokens: null,
        customer: null,
        challenge: { kind: 'second_factor', methods: ['totp', 'recovery_code'] },
      },
    });
    const { token } = login.body.challenge;
    // The confirmation code cannot be used again.
    expect(await completeChallenge(instance, token, totpCode(secret, -1))).toMatchObject(invalidCode);
    const completed = await completeChallenge(instance, token, totpCode(secret, 1));
    expect(completed).toMatchObject({
      status: 200,
      body: { customer: { id: customer.id }, recoveryCodes: null },
    });
    const claims = decodeJwt(completed.body.tokens.accessToken);
    expect(claims['amr']).toEqual(['pwd', 'otp', 'mfa']);
    const events = await instance.events(customer.id, 'login.succeeded');
    expect(events.map(({ data }) => data.methods)).toEqual(
      expect.arrayContaining([['pwd'], ['pwd', 'otp', 'mfa']]),
    );

    const session = { tokens: completed.body.tokens };
    expect((await asCustomer(session, 'DELETE', `factors/${factorId}`)).status).toBe(204);
    expect((await asCustomer(session, 'GET', 'factors')).body).toEqual({
      totp: [],
      passkeys: [],
      recoveryCodes: 0,
    });
    expect((await instance.login(customer.email)).body).toMatchObject({ tokens: {}, challenge: null });
    for (const type of ['factor.added', 'factor.removed'])
      expect(await instance.events(customer.id, type)).toMatchObject([
        { data: { customer: { id: customer.id }, factor: { id: factorId, type: 'totp' } } },
      ]);
    expect(await instance.listMailKinds(customer.email)).toEqual(
      expect.arrayContaining(['factor-added', 'factor-removed']),
    );
  });

  it('MF-03: can use the code of a time step once, even in parallel on two API processes', async () => {
    const customer = await registerWithTotp(instance);
    const { baseUrl } = await startReplica(instance);
    const challenges = [
      await openChallenge(instance, customer.email),
      await openChallenge(instance, customer.email),
      await openChallenge(instance, customer.email),
    ];
    const code = totpCode(customer.secret);
    const headers = { 'x-publishable-key': instance.credentials.publishableKey };
    const responses = await Promise.all(
      challenges.flatMap((challengeToken) =>
        [instance.baseUrl, baseUrl].map((url) =>
          instance.request('POST', '/api/v1/auth/challenge/totp', {
            body: { challengeToken, code },
            headers,
            baseUrl: url,
          }),
        ),
      ),
    );
    expect(statuses(responses)).toEqual([200, 400, 400, 400, 400, 400]);
    expect(
      await completeChallenge(instance, await openChallenge(instance, customer.email), code),
    ).toMatchObject(invalidCode);
  });

  it('CO-01: can enter codes in full-width digits, and gets invalid_code for other characters', async () => {
    const customer = await registerWithTotp(instance);
    const { body: added } = await asCustomer(customer, 'POST', 'factors/totp', {});
    const challenge = await openChallenge(instance, customer.email);
    for (const code of ['\u0661\u0662\u0663\u0664\u0665\u0666', '12345é']) {
      const responses = [
        await completeChallenge(instance, challenge, code),
        await asCustomer(customer, 'POST', `factors/totp/${added.id}/confirm`, { code }),
        await reauthenticate(customer, { method: 'totp', code }),
      ];
      expect(responses).toMatchObject([invalidCode, invalidCode, invalidCode]);
    }
    const typed = toFullWidth(totpCode(customer.secret));
    expect((await completeChallenge(instance, challenge, typed)).status).toBe(200);
  });

  it('MF-04: can use each recovery code once, even in parallel, and receives a notification', async () => {
    const customer = await registerWithTotp(instance);
    const [code, other] = customer.recoveryCodes as [string, string];
    const challenges = await Promise.all([1, 2, 3].map(() => openChallenge(instance, customer.email)));
    const responses = await Promise.all(
      challenges.map((token) => completeChallenge(instance, token, code, 'recovery-code')),
    );
    expect(statuses(responses)).toEqual([200, 400, 400]);
    const { tokens } = responses.find(({ status }) => status === 200)!.body;
    expect((await asCustomer({ tokens }, 'GET', 'factors')).body.recoveryCodes).toBe(9);
    expect(await instance.events(customer.id, 'recovery_codes.used')).toHaveLength(1);
    expect(await instance.listMailKinds(customer.email)).toContain('recovery-code-used');
    const stored = await instance.sql<any>('SELECT code_hash FROM recovery_codes WHERE customer_id = $1', [
      customer.id,
    ]);
    for (const { code_hash: hash } of stored) expect(hash).toHaveLength(32);

    const renewed = await asCustomer({ tokens }, 'POST', 'recovery-codes', {});
    expect(renewed).toMatchObject({
      status: 201,
      body: { recoveryCodes: Array(10).fill(expect.any(String)) },
    });
    const challenge = await openChallenge(instance, customer.email);
    expect(await completeChallenge(instance, challenge, other, 'recovery-code')).toMatchObject(invalidCode);
    const typed = renewed.body.recoveryCodes[0]
      .replaceAll('-', ' \u2013 ')
      .replaceAll('0', 'o')
      .replaceAll('1', 'l')
      .toUpperCase();
    expect((await completeChallenge(instance, challenge, typed, 'recovery-code')).status).toBe(200);
  });

  it('MF-08: gets help from support, who can remove the factor but cannot read its secret', async () => {
    const { id, email, factorId, tokens, secret } = await registerWithTotp(instance);
    const path = `/api/v1/customers/${id}/factors`;
    const listed = await instance.requestWithSecretKey('GET', path);
    expect(listed).toMatchObject({ status: 200, body: { totp: [{ id: factorId }], recoveryCodes: 10 } });
    expect(JSON.stringify(listed.body)).not.toContain(secret);
    const remove = (body: object) =>
      instance.requestWithSecretKey('POST', `${path}/${factorId}/remove`, body);
    expect((await remove({})).status).toBe(400);
    expect((await remove({ reason: 'Ticket 4711' })).status).toBe(204);
    expect((await remove({ reason: 'Ticket 4711' })).status).toBe(404);
    expect((await refreshSession(instance, tokens.refreshToken)).status).toBe(401);
    expect((await instance.login(email)).body.challenge).toBeNull();
    expect(await instance.listMailKinds(email)).toContain('factor-removed');
    const [entry] = await instance.sql<any>(
      `SELECT details FROM audit_log WHERE target_id = $1 AND action = 'customer.factor_removed'`,
      [id],
    );
    expect(entry.details).toMatchObject({ factorId, reason: 'Ticket 4711' });
  });
});

describe('MF-02: a challenge', () => {
  it('works once, and fails on another route, in another project and for another customer', async () => {
    const customer = await registerWithTotp(instance);
    const other = await registerWithTotp(instance);
    const token = await openChallenge(instance, customer.email);
    expect((await instance.requestWithAccessToken(token, 'GET', '/api/v1/me')).status).toBe(401);
    expect((await refreshSession(instance, token)).status).toBe(401);
    const enroll = await instance.requestWithPublishableKey('POST', '/api/v1/auth/challenge/enroll-totp', {
      challengeToken: token,
    });
    expect(enroll).toMatchObject(expired);
    const { publishableKey } = await insertProject(instance, instance.credentials.organizationId);
    const foreign = await instance.request('POST', '/api/v1/auth/challenge/totp', {
      body: { challengeToken: token, code: totpCode(customer.secret) },
      headers: { 'x-publishable-key': publishableKey },
    });
    expect(foreign).toMatchObject(expired);
    expect(await completeChallenge(instance, token, totpCode(other.secret))).toMatchObject(invalidCode);
    expect(await completeChallenge(instance, token, other.recoveryCodes[0]!, 'recovery-code')).toMatchObject(
      invalidCode,
    );
    expect((await completeChallenge(instance, token, totpCode(customer.secret))).status).toBe(200);
    await resetTotpSteps(instance, customer);
    expect(await completeChallenge(instance, token, totpCode(customer.secret))).toMatchObject(expired);
  });

  it('expires after ten minutes, five codes or three newer challenges of the customer', async () => {
    const customer = await registerWithTotp(instance);
    const complete = (token: string) => completeChallenge(instance, token, totpCode(customer.secret));
    const [oldest, second] = [
      await openChallenge(instance, customer.email),
      await openChallenge(instance, customer.email),
    ];
    const [row] = await instance.sql<any>(
      `SELECT extract(epoch FROM expires_at - created_at)::int AS seconds FROM challenges
       WHERE customer_id = $1 LIMIT 1`,
      [customer.id],
    );
    expect(row.seconds).toBe(600);
    const third = await openChallenge(instance, customer.email);
    const fourth = await openChallenge(instance, customer.email);
    expect(await complete(oldest)).toMatchObject(expired);
    for (let count = 0; count < 5; count += 1)
      expect(await completeChallenge(instance, second, '000000x')).toMatchObject(invalidCode);
    expect(await complete(second)).toMatchObject(expired);
    await instance.sql(
      `UPDATE challenges SET expires_at = now() - interval '1 ms' WHERE token_hash = sha256($1)`,
      [Buffer.from(third)],
    );
    expect(await complete(third)).toMatchObject(expired);
    expect((await complete(fourth)).status).toBe(200);
  });

  it("shares one limit with the customer's other challenges, even under 100 parallel attempts", async () => {
    const customer = await registerWithTotp(instance);
    const open = () => openChallenge(instance, customer.email);
    const challenges = [await open(), await open(), await open()];
    const responses = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        completeChallenge(instance, challenges[index % 3]!, '000000x'),
      ),
    );
    let last: TestResponse | undefined;
    while (last?.status !== 429) {
      last = await completeChallenge(instance, await open(), '000000x');
      responses.push(last);
    }
    expect(responses.filter(({ body }) => body.code === 'invalid_code')).toHaveLength(10);
    expect(responses.filter(({ status }) => status === 200)).toEqual([]);
    // Even the correct code is rejected in every challenge and session until the window ends.
    const challenge = await openChallenge(instance, customer.email);
    expect(await completeChallenge(instance, challenge, totpCode(customer.secret))).toMatchObject(tooMany);
    const credential = { method: 'totp', code: totpCode(customer.secret) };
    expect(await reauthenticate(customer, credential)).toMatchObject(tooMany);
    expect(await hasFailures(customer)).toBe(true);
    await instance.sql(
      `UPDATE factor_attempts SET window_ends_at = now() - interval '1 ms' WHERE customer_id = $1`,
      [customer.id],
    );
    expect((await completeChallenge(instance, challenge, totpCode(customer.secret))).status).toBe(200);
    expect(await hasFailures(customer)).toBe(false);
  });

  it('does not reset the failure count before its session exists', async () => {
    const customer = await registerWithTotp(instance);
    await instance.sql('DELETE FROM customer_addresses WHERE customer_id = $1', [customer.id]);
    await setFailedSignIns(instance, customer.email, { inWindow: 9 });
    const challenge = await openChallenge(instance, customer.email);
    expect((await instance.login(customer.email, 'wrong password')).status).toBe(401);
    expect((await instance.login(customer.email)).status).toBe(429);
    expect((await completeChallenge(instance, challenge, totpCode(customer.secret))).status).toBe(200);
    expect((await instance.login(customer.email, 'wrong password')).status).toBe(401);
    expect(await instance.events(customer.id, 'customer.unlocked')).toHaveLength(1);
  });

  it('works again once support has unlocked the customer', async () => {
    const customer = await registerWithTotp(instance);
    await instance.sql(
      `UPDATE factor_attempts SET tries = 10, window_ends_at = now() + interval '1 day', failures = 70
       WHERE customer_id = $1`,
      [customer.id],
    );
    const challenge = await openChallenge(instance, customer.email);
    const complete = () => completeChallenge(instance, challenge, totpCode(customer.secret));
    expect(await complete()).toMatchObject(tooMany);
    await instance.requestWithSecretKey('POST', `/api/v1/customers/${customer.id}/unlock`);
    expect((await complete()).status).toBe(200);
  });

  it('MF-01: fails once the customer is disabled', async () => {
    const customer = await registerWithTotp(instance);
    const challenge = await openChallenge(instance, customer.email);
    await instance.requestWithSecretKey('POST', `/api/v1/customers/${customer.id}/disable`);
    expect(await completeChallenge(instance, challenge, totpCode(customer.secret))).toMatchObject({
      status: 403,
      body: { code: 'customer_disabled' },
    });
  });

  it('FE-03: ends, together with all factors, when the address owner claims the account', async () => {
    const intruder = await registerWithTotp(instance);
    const challenge = await openChallenge(instance, intruder.email);
    await submitToken(instance, 'reset-password', await requestReset(instance, intruder.email));
    expect(await completeChallenge(instance, challenge, totpCode(intruder.secret))).toMatchObject(expired);
    const login = await instance.login(intruder.email, NEW_PASSWORD);
    expect(login).toMatchObject({ status: 200, body: { tokens: {}, challenge: null } });
    expect((await asCustomer({ tokens: login.body.tokens }, 'GET', 'factors')).body).toEqual({
      totp: [],
      passkeys: [],
      recoveryCodes: 0,
    });
  });
});

describe('MF-05: an account change', () => {
  const changes: [method: string, path: (customer: EnrolledCustomer) => string, body?: object][] = [
    ['POST', () => 'factors/totp', {}],
    ['DELETE', ({ factorId }) => `factors/${factorId}`],
    ['POST', () => 'recovery-codes', {}],
    ['POST', () => 'password', { currentPassword: PASSWORD, newPassword: NEW_PASSWORD }],
    ['POST', () => 'email', { email: uniqueEmail(), password: PASSWORD }],
    ['POST', () => 'delete', { currentPassword: PASSWORD }],
  ];

  it('requires a recent verification of the second factor, even with a password', async () => {
    const customer = await registerWithTotp(instance);
    // Confirming the authenticator was itself a verification.
    await backdateProofs(instance, customer);
    const send = () =>
      Promise.all(changes.map(([method, path, body]) => asCustomer(customer, method, path(customer), body)));
    const required = {
      status: 403,
      body: { code: 'reauthentication_required', methods: ['totp', 'recovery_code'] },
    };
    for (const response of await send()) expect(response).toMatchObject(required);
    const withPassword = { method: 'password', password: PASSWORD };
    // The password alone must not renew auth_time in a token whose amr contains mfa.
    expect(await reauthenticate(customer, withPassword)).toMatchObject(required);

    expect(await reauthenticate(customer, { method: 'totp', code: '000000x' })).toMatchObject(invalidCode);
    expect((await reauthenticate(customer, { method: 'totp' })).body.errors).toMatchObject([
      { field: 'code' },
    ]);
    const reauthenticated = await reauthenticate(customer, {
      method: 'totp',
      code: totpCode(customer.secret),
    });
    expect(decodeJwt(reauthenticated.body.accessToken)['amr']).toEqual(['pwd', 'otp', 'mfa']);
    // A wrong code stays counted, because only a completed sign-in clears it.
    expect(await hasFailures(customer)).toBe(true);
    expect((await asCustomer(customer, 'POST', 'recovery-codes', {})).status).toBe(201);
    await backdateProofs(instance, customer);
    expect((await send())[2]).toMatchObject(required);
    const [, recoveryCode] = customer.recoveryCodes;
    // These codes were replaced above.
    expect(await reauthenticate(customer, { method: 'recovery_code', code: recoveryCode! })).toMatchObject(
      invalidCode,
    );
  });

  it('requires recent verification or the password if the customer has no factor', async () => {
    const customer = await registerCustomer(instance);
    await backdateProofs(instance, customer);
    const add = (body: object) => asCustomer(customer, 'POST', 'factors/totp', body);
    expect(await add({})).toMatchObject({
      status: 403,
      body: { code: 'reauthentication_required', methods: ['password'] },
    });
    expect(await add({ password: 'wrong password' })).toMatchObject({
      status: 401,
      body: { code: 'invalid_credentials', errors: [{ field: 'password' }] },
    });
    expect((await add({ password: PASSWORD })).status).toBe(201);
    expect(await asCustomer(customer, 'POST', 'recovery-codes', { password: PASSWORD })).toMatchObject({
      status: 409,
      body: { code: 'conflict' },
    });
  });

  it('fails if the session ended while the request waited for another change', async () => {
    const customer = await registerCustomer(instance);
    const added = await asCustomer(customer, 'POST', 'factors/totp', { password: PASSWORD });
    const { id, secret } = added.body;
    const confirmed = await withConcurrentChange(
      instance,
      async (sql) => {
        await sql('SELECT FROM customers WHERE id = $1 FOR UPDATE', [customer.id]);
        await sql('UPDATE sessions SET revoked_at = now() WHERE customer_id = $1', [customer.id]);
      },
      () => asCustomer(customer, 'POST', `factors/totp/${id}/confirm`, { code: totpCode(secret) }),
    );
    expect(confirmed).toMatchObject({ status: 401, body: { code: 'invalid_access_token' } });
    const { body } = await instance.requestWithSecretKey('GET', `/api/v1/customers/${customer.id}/factors`);
    expect(body.totp).toEqual([]);
  });

  it.each<[path: string, body: object]>([
    ['reauthenticate', { method: 'password', password: PASSWORD }],
    ['factors/totp', { password: PASSWORD }],
    ['recovery-codes', { password: PASSWORD }],
    ['passkeys/options', { password: PASSWORD }],
  ])('EX-01: fails with a password that was replaced in the meantime: %s', async (path, body) => {
    const [customer, other] = [await registerCustomer(instance), await registerCustomer(instance)];
    await submitToken(instance, 'reset-password', await requestReset(instance, other.email));
    const response = await withConcurrentChange(
      instance,
      async (sql) => {
        await sql('SELECT FROM customers WHERE id = $1 FOR UPDATE', [customer.id]);
        // Simulates a change in the same session, which stays active.
        await sql(
          'UPDATE customers SET password_hash = (SELECT password_hash FROM customers WHERE id = $2) WHERE id = $1',
          [customer.id, other.id],
        );
      },
      () => asCustomer(customer, 'POST', path, body),
    );
    expect(response).toMatchObject({ status: 401, body: { code: 'invalid_credentials' } });
  });

  it('fails without a new verification once a secret key has required one', async () => {
    const [first, second] = [await registerCustomer(instance), await registerCustomer(instance)];
    const enrolled = await registerWithTotp(instance);
    const authenticator = new SoftwareAuthenticator();
    const totp = (await asCustomer(first, 'POST', 'factors/totp', {})).body;
    const { options } = (await asCustomer(second, 'POST', 'passkeys/options', {})).body;
    for (const { id } of [first, second, enrolled])
      await instance.requestWithSecretKey('POST', `/api/v1/customers/${id}/require-reauthentication`);
    const confirm = () =>
      asCustomer(first, 'POST', `factors/totp/${totp.id}/confirm`, { code: totpCode(totp.secret) });
    const required = { status: 403, body: { code: 'reauthentication_required', methods: ['password'] } };
    expect(await confirm()).toMatchObject(required);
    const response = authenticator.create(options);
    expect(await asCustomer(second, 'POST', 'passkeys', { response })).toMatchObject(required);
    for (const { tokens } of [first, second])
      expect((await refreshSession(instance, tokens.refreshToken)).status).toBe(401);
    // The earlier verification with the factor is not valid, even together with the password.
    const change = { email: uniqueEmail(), password: PASSWORD };
    expect(await asCustomer(enrolled, 'POST', 'email', change)).toMatchObject({
      status: 403,
      body: { code: 'reauthentication_required', methods: ['totp', 'recovery_code'] },
    });
  });

  it('EX-01: completes only in the session that began it, and not if access has ended since', async () => {
    const customer = await registerCustomer(instance);
    const { tokens } = (await instance.login(customer.email)).body;
    const begin = async () =>
      (await asCustomer(customer, 'POST', 'factors/totp', { password: PASSWORD })).body;
    const confirm = async (session: { tokens: { accessToken: string } }, { id, secret }: any) =>
      (await asCustomer(session, 'POST', `factors/totp/${id}/confirm`, { code: totpCode(secret) })).status;
    const begun = await begin();
    expect(await confirm({ tokens }, begun)).toBe(404);
    const scope = { scope: 'others' };
    await instance.requestWithAccessToken(customer.tokens.accessToken, 'POST', '/api/v1/auth/logout', scope);
    expect(await confirm(customer, begun)).toBe(404);
    expect(await confirm(customer, await begin())).toBe(200);
  });

  it('fails if it adds a sixth authenticator', async () => {
    const customer = await registerWithTotp(instance);
    for (let count = 0; count < 4; count += 1) {
      const { recoveryCodes } = await enrollTotp(instance, customer);
      expect(recoveryCodes).toBeNull();
    }
    expect(await asCustomer(customer, 'POST', 'factors/totp', {})).toMatchObject({ status: 409 });
  });
});

describe('the setting mfa', () => {
  const withMfa = async (mfa: string, work: () => Promise<unknown>, more: object = {}) => {
    try {
      await withSettings(instance, { mfa, ...more }, work);
    } finally {
      await setMfa('optional');
    }
  };

  it('prevents enrollment if "off", and does not require existing factors', async () => {
    const customer = await registerWithTotp(instance);
    await withMfa('off', async () => {
      const notEnabled = { status: 403, body: { code: 'method_not_enabled' } };
      expect(await asCustomer(customer, 'POST', 'factors/totp', {})).toMatchObject(notEnabled);
      expect(
        await reauthenticate(customer, { method: 'totp', code: totpCode(customer.secret) }),
      ).toMatchObject(notEnabled);
      expect((await instance.login(customer.email)).body.challenge).toBeNull();
    });
    expect((await instance.login(customer.email)).body.challenge).toMatchObject({ kind: 'second_factor' });
  });

  it('requires enrollment at registration and login if "required"; the enrollment code signs in', async () => {
    await withMfa('required', async () => {
      const email = uniqueEmail();
      const registered = await instance.register(email);
      expect(registered).toMatchObject({
        status: 201,
        body: {
          tokens: null,
          customer: null,
          challenge: { kind: 'enroll_factor', methods: ['totp', 'passkey'] },
        },
      });
      const { token: olderToken } = registered.body.challenge;
      const challengeToken = await openChallenge(instance, email);
      const enroll = (token = challengeToken) =>
        instance.requestWithPublishableKey('POST', '/api/v1/auth/challenge/enroll-totp', {
          challengeToken: token,
        });
      expect(await completeChallenge(instance, challengeToken, '123456')).toMatchObject(invalidCode);
      const replaced = (await enroll()).body.secret;
      const { secret } = (await enroll()).body;
      expect(await completeChallenge(instance, challengeToken, totpCode(replaced))).toMatchObject(
        invalidCode,
      );
      const [pending] = await instance.sql(
        'SELECT totp_secret AS sealed FROM challenges WHERE token_hash = sha256($1)',
        [Buffer.from(challengeToken)],
      );
      const { body } = await completeChallenge(instance, challengeToken, totpCode(secret));
      // The secret is encrypted again. If the row were copied during `reencrypt`, it could be missed in both tables.
      expect(await instance.sql('SELECT FROM totp_factors WHERE secret = $1', [pending!['sealed']])).toEqual(
        [],
      );
      expect(body.recoveryCodes).toHaveLength(10);
      expect(decodeJwt(body.tokens.accessToken)['amr']).toEqual(['pwd', 'otp', 'mfa']);
      // A challenge from before the enrollment cannot enroll another factor.
      const enrolled = await enroll(olderToken);
      expect(await completeChallenge(instance, olderToken, totpCode(enrolled.body.secret))).toMatchObject(
        expired,
      );
      // The last factor cannot be removed.
      const [factor] = (await asCustomer(body, 'GET', 'factors')).body.totp;
      expect(await asCustomer(body, 'DELETE', `factors/${factor.id}`)).toMatchObject({ status: 409 });
      expect((await asCustomer(body, 'GET', 'factors')).body).toMatchObject({
        totp: [{ id: factor.id }],
        recoveryCodes: 10,
      });
    });
  });

  it('allows sessions without a factor to refresh during the grace period if "required"', async () => {
    const customer = await registerCustomer(instance);
    const withFactor = await registerWithTotp(instance);
    let { refreshToken } = customer.tokens;
    const refresh = async (): Promise<TestResponse> => {
      const response = await refreshSession(instance, refreshToken);
      if (response.status === 200) ({ refreshToken } = response.body.tokens);
      return response;
    };
    await withMfa('required', async () => {
      expect((await refresh()).status).toBe(200);
      await updateSettings({ mfaGraceDays: 0 });
      expect(await refresh()).toMatchObject({ status: 401, body: { code: 'reauthentication_required' } });
      const other = await refreshSession(instance, withFactor.tokens.refreshToken);
      expect(other.status).toBe(200);
      await updateSettings({ mfaGraceDays: 1 });
      expect((await refresh()).status).toBe(200);
      await instance.sql(
        `UPDATE projects SET mfa_required_at = now() - interval '1 day 1 ms' WHERE id = $1`,
        [instance.credentials.projectId],
      );
      expect((await refresh()).status).toBe(401);
    });
    await updateSettings({ mfaGraceDays: null });
    expect((await refresh()).status).toBe(200);
  });

  it('cannot exempt a customer whose own setting requires a second factor', async () => {
    await withMfa('off', async () => {
      const { id, email, tokens } = await registerCustomer(instance);
      const updated = await instance.requestWithSecretKey('PATCH', `/api/v1/customers/${id}`, {
        mfa: 'required',
      });
      expect(updated).toMatchObject({ status: 200, body: { mfa: 'required' } });
      expect((await instance.login(email)).body.challenge).toMatchObject({ kind: 'enroll_factor' });
      expect(await refreshSession(instance, tokens.refreshToken)).toMatchObject({
        status: 401,
        body: { code: 'reauthentication_required' },
      });
    });
  });
});
