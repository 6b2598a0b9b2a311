import { decodeJwt } from 'jose';
import { insertTotpFactor } from '../support/customer-factors.js';
import { refreshSession, registerCustomer, withSettings } from '../support/customers.js';
import {
  receiveEmailCode,
  receiveReauthenticationCode,
  requestEmailCode,
  toFullWidth,
  verifyEmailCode,
  wrongCode,
} from '../support/email-codes.js';
import { PASSWORD, TestInstance, type TestResponse } from '../support/test-instance.js';
import { uniqueEmail } from '../support/unique-email.js';

let instance: TestInstance;
beforeAll(async () => {
  instance = await TestInstance.startShared({ workers: 0 });
});
afterAll(async () => instance?.stop());

const reauthenticate = (accessToken: string, body: object): Promise<TestResponse> =>
  instance.requestWithAccessToken(accessToken, 'POST', '/api/v1/me/reauthenticate', body);

it('MF-05: a reauthentication is stored in the session, and later tokens contain its time', async () => {
  const { id, tokens } = await registerCustomer(instance);
  await instance.sql(`UPDATE sessions SET created_at = now() - interval '1 hour' WHERE customer_id = $1`, [
    id,
  ]);
  const refreshed = (await refreshSession(instance, tokens.refreshToken)).body.tokens;
  const old = decodeJwt(refreshed.accessToken);
  expect(old).toMatchObject({ amr: ['pwd'], auth_time: expect.any(Number) });
  expect(old.iat! - Number(old['auth_time'])).toBeGreaterThanOrEqual(3600);

  const response = await reauthenticate(refreshed.accessToken, { method: 'password', password: PASSWORD });
  expect(response).toMatchObject({ status: 200, body: { accessToken: expect.any(String), expiresIn: 3600 } });
  const newClaims = decodeJwt(response.body.accessToken);
  expect(newClaims).toMatchObject({ sub: id, sid: old['sid'], amr: ['pwd'] });
  expect(Number(newClaims['auth_time'])).toBeGreaterThanOrEqual(Number(old['auth_time']) + 3600);
  // The second refresh with the same token simulates a client that lost the response.
  for (let refresh = 0; refresh < 2; refresh += 1) {
    const { body } = await refreshSession(instance, refreshed.refreshToken);
    expect(decodeJwt(body.tokens.accessToken)).toMatchObject({
      amr: ['pwd'],
      auth_time: newClaims['auth_time'],
    });
  }
});

it('MF-05: a reauthentication rejects a wrong password, an unknown method and an ended session', async () => {
  const { id, tokens } = await registerCustomer(instance);
  const wrong = await reauthenticate(tokens.accessToken, { method: 'password', password: `${PASSWORD}x` });
  expect(wrong).toMatchObject({
    status: 401,
    body: { code: 'invalid_credentials', errors: [{ field: 'password', code: 'wrong' }] },
  });
  for (const body of [{ password: PASSWORD }, { method: 'fax', password: PASSWORD }, { method: 'password' }])
    expect((await reauthenticate(tokens.accessToken, body)).status).toBe(400);
  expect(await instance.sql('SELECT auth_time FROM sessions WHERE customer_id = $1', [id])).toEqual([
    { auth_time: null },
  ]);
  await instance.sql('UPDATE sessions SET revoked_at = now() WHERE customer_id = $1', [id]);
  const ended = await reauthenticate(tokens.accessToken, { method: 'password', password: PASSWORD });
  expect(ended).toMatchObject({ status: 401, body: { code: 'invalid_access_token' } });
});

it('MF-05: a session cannot be refreshed while a secret key requires reauthentication', async () => {
  const { id, tokens } = await registerCustomer(instance);
  const path = `/api/v1/customers/${id}/require-reauthentication`;
  expect(await instance.requestWithSecretKey('POST', path)).toMatchObject({ status: 200, body: { id } });
  // Makes the requirement later than the verification, even if the clock has not advanced.
  await instance.sql(
    `UPDATE customers SET proof_required_at = proof_required_at + interval '1 ms' WHERE id = $1`,
    [id],
  );
  const required = { status: 401, body: { code: 'reauthentication_required' } };
  for (let refresh = 0; refresh < 2; refresh += 1)
    expect(await refreshSession(instance, tokens.refreshToken)).toMatchObject(required);
  const credential = { method: 'password', password: PASSWORD };
  expect((await reauthenticate(tokens.accessToken, credential)).status).toBe(200);
  expect((await refreshSession(instance, tokens.refreshToken)).status).toBe(200);
});

describe('reauthentication with an emailed code', () => {
  const invalid = { status: 400, body: { code: 'invalid_code' } };
  const notEnabled = { status: 403, body: { code: 'method_not_enabled' } };
  const emailCodes = { signIn: { emailCode: true } };

  interface SignedIn {
    id: string;
    email: string;
    accessToken: string;
  }

  /** Signs in with an email code, which creates the customer. */
  async function signIn(email = uniqueEmail()): Promise<SignedIn> {
    return withSettings(instance, emailCodes, async () => {
      const { body } = await verifyEmailCode(instance, await receiveEmailCode(instance, email));
      return { id: body.customer.id as string, email, accessToken: body.tokens.accessToken as string };
    });
  }
  const receive = ({ accessToken, email }: SignedIn): Promise<string> =>
    receiveReauthenticationCode(instance, accessToken, email);
  const submitCode = ({ accessToken }: SignedIn, code: string): Promise<TestResponse> =>
    reauthenticate(accessToken, { method: 'email_code', code });
  const submitWrongCodes = async (customer: SignedIn, code: string, count: number): Promise<void> => {
    for (let guess = 0; guess < count; guess += 1)
      expect(await submitCode(customer, wrongCode({ token: '', code }).code)).toMatchObject(invalid);
  };
  const requestCode = (accessToken: string): Promise<TestResponse> =>
    instance.requestWithAccessToken(accessToken, 'POST', '/api/v1/me/reauthenticate/options', {
      method: 'email_code',
    });
  /** Requests a change that requires a recent verification. By default, first makes the last one too old. */
  const change = async ({ id, accessToken }: SignedIn, isStale = true): Promise<TestResponse> => {
    if (isStale)
      await instance.sql(
        `UPDATE sessions SET created_at = now() - interval '1 hour', auth_time = NULL WHERE customer_id = $1`,
        [id],
      );
    return instance.requestWithAccessToken(accessToken, 'DELETE', `/api/v1/me/passkeys/${id}`);
  };

  it('MF-05: works in the session if there is no other method, even if the project has email codes off', async () => {
    const customer = await signIn();
    expect(await change(customer)).toMatchObject({ status: 403, body: { methods: ['email_code'] } });
    const code = await receive(customer);
    expect((await instance.listMails(customer.email, 'reauthentication-code'))[0]!['link']).toBeNull();
    await submitWrongCodes(customer, code, 1);
    const response = await submitCode(customer, toFullWidth(`${code.slice(0, 3)} ${code.slice(3)}`));
    expect(response.status).toBe(200);
    expect(decodeJwt(response.body.accessToken)['amr']).toEqual(['email']);
    expect((await change(customer, false)).status).toBe(404);
    expect(await submitCode(customer, code)).toMatchObject(invalid);
  });

  it('MQ-01: sends a code even if strangers have used up the sign-in emails to the address', async () => {
    const { email, accessToken } = await signIn();
    await withSettings(instance, emailCodes, async () => {
      for (let count = 0; count < 6; count += 1) await requestEmailCode(instance, email);
    });
    // The first one counts as a sign-up.
    expect(await instance.listMails(email, 'email-code')).toHaveLength(6);
    expect((await requestCode(accessToken)).status).toBe(202);
    expect(await instance.listMails(email, 'reauthentication-code')).toHaveLength(1);
  });

  it('MF-05: is listed in `methods` exactly when it can be used', async () => {
    const { id, email, tokens } = await registerCustomer(instance);
    const customer = { id, email, accessToken: tokens.accessToken };
    const methods = async (): Promise<string[]> => (await change(customer)).body.methods as string[];
    await withSettings(instance, emailCodes, async () => {
      expect(await methods()).toEqual(['password']);
      expect(await requestCode(customer.accessToken)).toMatchObject(notEnabled);
      await instance.sql('UPDATE customers SET email_verified = true WHERE id = $1', [id]);
      expect(await methods()).toEqual(['password', 'email_code']);
      const { body } = await submitCode(customer, await receive(customer));
      expect(decodeJwt(body.accessToken)['amr']).toEqual(['pwd', 'email']);
    });
    expect(await methods()).toEqual(['password']);
    expect(await requestCode(customer.accessToken)).toMatchObject(notEnabled);
    expect(await submitCode(customer, '123456')).toMatchObject(notEnabled);
  });

  it('MF-05: does not suffice once the customer has a second factor', async () => {
    const customer = await signIn();
    const code = await receive(customer);
    await insertTotpFactor(instance, customer.id);
    await withSettings(instance, { ...emailCodes, mfa: 'optional' }, async () => {
      for (const response of [await requestCode(customer.accessToken), await submitCode(customer, code)])
        expect(response).toMatchObject({
          status: 403,
          body: { code: 'reauthentication_required', methods: ['totp'] },
        });
    });
  });

  it('MF-05: works in its session and for its address for ten minutes, until it is replaced', async () => {
    const customer = await signIn();
    const other = await signIn(customer.email);
    const first = await receive(customer);
    expect(await submitCode(other, first)).toMatchObject(invalid);
    const second = await receive(customer);
    expect(await submitCode(customer, first)).toMatchObject(invalid);
    const setEmail = (email: string) =>
      instance.sql('UPDATE customers SET email = $2 WHERE id = $1', [customer.id, email]);
    await setEmail(uniqueEmail());
    expect(await submitCode(customer, second)).toMatchObject(invalid);
    await setEmail(customer.email);
    await instance.sql("UPDATE reauthentication_codes SET expires_at = expires_at - interval '10 minutes'");
    expect(await submitCode(customer, second)).toMatchObject(invalid);
    await withSettings(instance, emailCodes, async () => {
      const signInCode = await receiveEmailCode(instance, customer.email);
      const code = await receive(customer);
      expect(await submitCode(customer, signInCode.code)).toMatchObject(invalid);
      expect(await verifyEmailCode(instance, { ...signInCode, code })).toMatchObject(invalid);
      expect((await submitCode(customer, code)).status).toBe(200);
      expect((await verifyEmailCode(instance, signInCode)).status).toBe(200);
    });
  });

  it('MF-02: expires after five wrong codes; ten wrong codes in 15 minutes block all factors', async () => {
    const customer = await signIn();
    let code = await receive(customer);
    await submitWrongCodes(customer, code, 5);
    expect(await submitCode(customer, code)).toMatchObject(invalid);
    code = await receive(customer);
    await submitWrongCodes(customer, code, 4);
    expect(await submitCode(customer, code)).toMatchObject({
      status: 429,
      body: { code: 'too_many_attempts' },
    });
    expect(
      await instance.sql('SELECT tries FROM factor_attempts WHERE customer_id = $1', [customer.id]),
    ).toEqual([{ tries: 10 }]);
  });

  it('MF-02: succeeds for only one of ten parallel requests with the same code', async () => {
    const customer = await signIn();
    const code = await receive(customer);
    const responses = await Promise.all(Array.from({ length: 10 }, () => submitCode(customer, code)));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
  });
});

it('the discovery document contains the issuer and the keys of access tokens', async () => {
  const { tokens } = await registerCustomer(instance);
  const { body } = await instance.request('GET', '/.well-known/openid-configuration');
  expect(body.issuer).toBe(decodeJwt(tokens.accessToken).iss);
  expect(body.id_token_signing_alg_values_supported).toEqual(['ES256', 'RS256']);
  const jwks = await fetch(body.jwks_uri).then((response) => response.json());
  expect(jwks).toEqual((await instance.request('GET', '/.well-known/jwks.json')).body);
});
