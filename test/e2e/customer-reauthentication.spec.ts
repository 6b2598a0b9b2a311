import { decodeJwt } from 'jose';
import { refreshSession, registerCustomer } from '../support/customers.js';
import { PASSWORD, TestInstance, type TestResponse } from '../support/test-instance.js';

let instance: TestInstance;
beforeAll(async () => {
  instance = await TestInstance.startShared({ workers: 0 });
});
afterAll(async () => instance?.stop());

const reauthenticate = (accessToken: string, body: object): Promise<TestResponse> =>
  instance.requestWithAccessToken(accessToken, 'POST', '/api/v1/me/reauthenticate', body);

it('MF-05: a proof of identity is part of the session, and later tokens contain its time', async () => {
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
  const proven = decodeJwt(response.body.accessToken);
  expect(proven).toMatchObject({ sub: id, sid: old['sid'], amr: ['pwd'] });
  expect(Number(proven['auth_time'])).toBeGreaterThanOrEqual(Number(old['auth_time']) + 3600);
  // The second refresh with the same token is that of a client that has lost the response.
  for (let refresh = 0; refresh < 2; refresh += 1) {
    const { body } = await refreshSession(instance, refreshed.refreshToken);
    expect(decodeJwt(body.tokens.accessToken)).toMatchObject({
      amr: ['pwd'],
      auth_time: proven['auth_time'],
    });
  }
});

it('MF-05: a wrong password, another method and an ended session prove nothing', async () => {
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

it('MF-05: a session needs a new proof of identity before it is refreshed, once a secret key has required it', async () => {
  const { id, tokens } = await registerCustomer(instance);
  const path = `/api/v1/customers/${id}/require-reauthentication`;
  expect(await instance.requestWithSecretKey('POST', path)).toMatchObject({ status: 200, body: { id } });
  // The time of the requirement is later than that of the proof, even if the clock has not advanced.
  await instance.sql(
    `UPDATE customers SET proof_required_at = proof_required_at + interval '1 ms' WHERE id = $1`,
    [id],
  );
  const required = { status: 401, body: { code: 'reauthentication_required' } };
  for (let refresh = 0; refresh < 2; refresh += 1)
    expect(await refreshSession(instance, tokens.refreshToken)).toMatchObject(required);
  const proof = { method: 'password', password: PASSWORD };
  expect((await reauthenticate(tokens.accessToken, proof)).status).toBe(200);
  expect((await refreshSession(instance, tokens.refreshToken)).status).toBe(200);
});

it('the discovery document names the issuer and the keys of access tokens', async () => {
  const { tokens } = await registerCustomer(instance);
  const { body } = await instance.request('GET', '/.well-known/openid-configuration');
  expect(body.issuer).toBe(decodeJwt(tokens.accessToken).iss);
  expect(body.id_token_signing_alg_values_supported).toEqual(['ES256', 'RS256']);
  const jwks = await fetch(body.jwks_uri).then((response) => response.json());
  expect(jwks).toEqual((await instance.request('GET', '/.well-known/jwks.json')).body);
});
