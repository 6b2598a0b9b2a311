import {
  normalizeResponse,
  refreshSession,
  registerCustomer,
  submitToken,
  withSettings,
} from '../support/customers.js';
import { TestInstance, PASSWORD, type TestResponse } from '../support/test-instance.js';
import { retryWhileRejected } from '../support/retry-while-rejected.js';
import { uniqueEmail } from '../support/unique-email.js';

let instance: TestInstance;
beforeAll(async () => (instance = await TestInstance.startShared({ workers: 0 })));
afterAll(async () => instance?.stop());

const verify = (token: string): Promise<TestResponse> => submitToken(instance, 'verify-email', token);
const findCustomerId = async (email: string): Promise<string> =>
  (await instance.sql('SELECT id FROM customers WHERE email = $1', [email]))[0]!['id'];

describe('register', () => {
  it('returns one 201 for 50 parallel registrations of one address, with one email and event', async () => {
    const email = uniqueEmail();
    const variants = Array.from({ length: 50 }, (_, index) => (index % 2 ? email : email.toUpperCase()));
    const responses = await Promise.all(
      variants.map((variant) => retryWhileRejected(() => instance.register(variant))),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([201, ...Array(49).fill(409)]);
    expect(responses.find(({ status }) => status === 409)!.body).not.toHaveProperty('customerId');
    const customerId = await findCustomerId(email);
    expect(await instance.events(customerId, 'customer.created')).toHaveLength(1);
    expect(await instance.listMailKinds(email)).toEqual(['verify-email']);
    // A secret key permits the caller to learn which customer has the address.
    const repeated = await instance.requestWithSecretKey('POST', '/api/v1/auth/register', {
      email,
      password: PASSWORD,
    });
    const body = { code: 'email_already_registered', customerId };
    expect(repeated).toMatchObject({ status: 409, body });
  });

  it('responds the same for every address, without tokens, if enumeration protection is on', async () => {
    await withSettings(instance, { enumerationProtection: true }, async () => {
      const email = uniqueEmail();
      const [first, second] = [await instance.register(email), await instance.register(email)];
      expect(normalizeResponse(second)).toEqual(normalizeResponse(first));
      expect(first).toMatchObject({ status: 202, body: {} });
      expect(await instance.events(await findCustomerId(email), 'customer.created')).toHaveLength(1);
      // An email notifies the address owner, at most once a minute. The response must not reveal this.
      await instance.register(email);
      expect(await instance.listMailKinds(email)).toEqual(['verify-email', 'already-registered']);
      const [notice] = await instance.listMails(email, 'already-registered');
      expect(notice).toMatchObject({ to: email, link: null });
      // A login with the first registration's password must not reveal which registration was first.
      expect(normalizeResponse(await instance.login(email))).toEqual(
        normalizeResponse(await instance.login(uniqueEmail())),
      );
    });
  });

  it('does not create a session before verification if the project requires it', async () => {
    await withSettings(instance, { requireVerifiedEmail: true }, async () => {
      const email = uniqueEmail();
      expect((await instance.register(email)).body.tokens).toBeNull();
      const rejected = await instance.login(email);
      expect(rejected).toMatchObject({ status: 403, body: { code: 'email_not_verified' } });
      await verify(await instance.getVerificationToken(email));
      expect((await instance.login(email)).status).toBe(200);
    });
  });
});

it('a login is rejected with the same response for every reason (PW-08)', async () => {
  const [known, passwordless, disabled] = [uniqueEmail(), uniqueEmail(), uniqueEmail()];
  await Promise.all([known, disabled].map((email) => instance.register(email)));
  await instance.requestWithSecretKey('POST', '/api/v1/customers', { email: passwordless });
  await instance.sql('UPDATE customers SET disabled_at = now() WHERE email = $1', [disabled]);
  const [unknown, ...others] = [
    await instance.login(uniqueEmail(), 'wrong password'),
    await instance.login(known, 'wrong password'),
    await instance.login(passwordless, PASSWORD),
    await instance.login(disabled, 'wrong password'),
  ].map(normalizeResponse);
  expect(unknown).toMatchObject({ status: 401, body: { code: 'invalid_credentials' } });
  for (const other of others) expect(other).toEqual(unknown);
  const withPassword = await instance.login(disabled);
  expect(withPassword).toMatchObject({ status: 403, body: { code: 'customer_disabled' } });
});

it('GET /me returns publicMetadata and the last login, but not metadata', async () => {
  const { id, email } = await registerCustomer(instance);
  const data = { metadata: { risk: 1 }, publicMetadata: { plan: 'pro' } };
  await instance.requestWithSecretKey('PATCH', `/api/v1/customers/${id}`, data);
  const { body } = await instance.login(email);
  const me = await instance.requestWithAccessToken(body.tokens.accessToken, 'GET', '/api/v1/me');
  expect(me.body).toEqual({
    ...body.customer,
    projectId: instance.credentials.projectId,
    locale: null,
    imageUrl: null,
    publicMetadata: { plan: 'pro' },
    createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    updatedAt: expect.any(String),
    lastLoginAt: expect.stringMatching(/^\d{4}-.*Z$/),
  });
});

it('a disallowed origin is rejected in refresh and verification without using up the token', async () => {
  const { id, email, tokens } = await registerCustomer(instance);
  const token = await instance.getVerificationToken(email);
  await withSettings(instance, { allowedOrigins: ['https://app.example.com'] }, async () => {
    for (const [path, body] of [
      ['refresh', { refreshToken: tokens.refreshToken }],
      ['verify-email', { token }],
    ] as const) {
      const requestFrom = (origin: string) =>
        instance.request('POST', `/api/v1/auth/${path}`, { body, headers: { origin } });
      const rejected = await requestFrom('https://evil.example');
      expect(rejected).toMatchObject({ status: 403, body: { code: 'origin_not_allowed' } });
      expect((await requestFrom('https://app.example.com')).status).toBe(200);
    }
  });
  expect(await instance.events(id, 'verification.completed')).toHaveLength(1);
});

it('20 parallel calls to verify-email get the same response, and cause one event (EV-02)', async () => {
  const { id, email, tokens } = await registerCustomer(instance);
  const token = await instance.getVerificationToken(email);
  const responses = await Promise.all(
    Array.from({ length: 20 }, () => retryWhileRejected(() => verify(token))),
  );
  for (const response of responses)
    expect(response).toMatchObject({ status: 200, body: { customer: { id, email, emailVerified: true } } });
  expect(await instance.events(id, 'verification.completed')).toHaveLength(1);
  const { body } = await refreshSession(instance, tokens.refreshToken);
  expect(body.customer.emailVerified).toBe(true);
});
