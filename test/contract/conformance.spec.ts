import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { Webhook } from 'standardwebhooks';
import { apiKeyPattern } from '@gatehouse/domain';
import { emptyProfile, profile } from '../support/customer-fields.js';
import { eventually } from '../support/eventually.js';
import { bearerHeader, TestInstance, PASSWORD, type TestResponse } from '../support/test-instance.js';
import { runInChunks } from '../support/run-in-chunks.js';
import { Receiver, respondWithStatus } from '../support/receiver.js';
import { insertProject, type Tenant } from '../support/tenants.js';
import { uniqueEmail } from '../support/unique-email.js';

/**
 * Tests the interface specification rule by rule, from the outside: only with requests and webhook receivers. §1 to §9
 * are sections of the specification, and #1 to #13 are the endpoints in its section 4. Where the specification leaves
 * something open, the contract applies. conformance.nightly.spec.ts tests the ten-second limit for an attempt.
 */

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const uuid = expect.stringMatching(UUID) as string;
const time = expect.stringMatching(TIME) as string;
const text = expect.any(String) as string;

let instance: TestInstance;
let targets: Receiver[];
/** A project with its own webhook endpoint. */
interface WatchedProject {
  tenant: Tenant;
  receiver: Receiver;
  endpoint: { id: string; secret: string };
}

beforeAll(async () => {
  targets = [];
  instance = await TestInstance.startShared();
});
afterAll(async () => {
  await instance?.stop();
  await Promise.all(targets.map((target) => target.stop()));
});

const slug = (): string => `org-${randomUUID().slice(0, 8)}`;
const fieldsOf = (value: unknown): string[] => Object.keys(value as object).sort();
const errorFields = ({ body }: TestResponse): string[] =>
  (body.errors as { field: string }[]).map(({ field }) => field);

/** Replaces one field of a valid body at a time, and expects a validation error for that field. */
async function expectFieldErrors(
  send: (body: object) => Promise<TestResponse>,
  valid: () => object,
  invalid: readonly (readonly [field: string, ...values: unknown[]])[],
): Promise<void> {
  for (const [field, ...values] of invalid) {
    for (const value of values) {
      const response = await send({ ...valid(), [field]: value });
      const { code } = response.body;
      const expected = [field, value, 400, 'validation_failed', [field]];
      expect([field, value, response.status, code, errorFields(response)]).toEqual(expected);
    }
  }
}
const person = () => ({ email: uniqueEmail(), password: PASSWORD });
/** Returns a function that posts a body with the organization's secret key. */
const postTo = (path: string) => (body: object) => instance.requestWithSecretKey('POST', path, body);

async function createWatchedProject(events = ['customer.created']): Promise<WatchedProject> {
  const receiver = await Receiver.start();
  targets.push(receiver);
  const tenant = await insertProject(instance, instance.credentials.organizationId);
  const { body } = await instance.request('POST', '/v1/webhooks/endpoints', {
    headers: bearerHeader(tenant.secretKey),
    body: { url: receiver.url, events },
  });
  return { tenant, receiver, endpoint: body.data };
}

/** Creates a customer, which sends an event to the project's endpoint. */
async function createCustomerIn({ tenant }: WatchedProject): Promise<void> {
  const response = await instance.request('POST', '/api/v1/customers', {
    headers: bearerHeader(tenant.secretKey),
    body: { email: uniqueEmail() },
  });
  expect(response.status).toBe(201);
}

const listAttempts = async ({ tenant }: WatchedProject, query = ''): Promise<Record<string, any>[]> =>
  (
    await instance.request('GET', `/v1/webhooks/deliveries${query}`, {
      headers: bearerHeader(tenant.secretKey),
    })
  ).body.data;

/** Waits for the attempt with a given number in a project's history. Later attempts do not matter. */
const waitForAttempt = (watched: WatchedProject, number: number): Promise<Record<string, any>> =>
  eventually(`attempt ${number}`, async () => (await listAttempts(watched)).at(-number));

/** Makes a scheduled attempt due immediately. */
const makeDue = (deliveryId: string): Promise<unknown> =>
  instance
    .sql('UPDATE deliveries SET next_attempt_at = now() WHERE id = $1', [deliveryId.replace('dlv_', '')])
    .then(() => instance.sql('NOTIFY gatehouse_deliveries'));

/** Invalid key headers, for routes that accept no key. */
const ignoredKeys = { 'x-publishable-key': 'pk_none', 'x-api-key': 'sk_none', ...bearerHeader('nonsense') };
const tokens = { accessToken: text, refreshToken: text, expiresIn: 3600 };

describe('§4 #1 POST /api/v1/auth/register', () => {
  const path = '/api/v1/auth/register';

  it('§2: returns 201 with tokens and customer, each with exactly the specified fields', async () => {
    const email = uniqueEmail();
    const response = await instance.requestWithPublishableKey('POST', path, {
      email,
      password: PASSWORD,
      ...profile,
    });
    expect(response.status).toBe(201);
    const { locale, ...names } = profile;
    expect(response.body).toEqual({
      tokens,
      customer: { id: uuid, email, ...names, emailVerified: false },
      challenge: null,
    });
    const { accessToken } = response.body.tokens;
    const me = await instance.requestWithAccessToken(accessToken, 'GET', '/api/v1/me');
    expect(me.body).toMatchObject({ ...names, locale });
  });

  it('requires email and password as strings, and returns null for unset names', async () => {
    const { status, body } = await instance.requestWithPublishableKey('POST', path, person());
    expect([status, body.customer.firstName, body.customer.lastName]).toEqual([201, null, null]);
    const shown = await instance.requestWithSecretKey('GET', `/api/v1/customers/${body.customer.id}`);
    expect(shown.body.projectId).toBe(instance.credentials.projectId);
    await expectFieldErrors((input) => instance.requestWithPublishableKey('POST', path, input), person, [
      ['email', undefined, 1],
      ['password', undefined, 1],
      ['firstName', 1],
      ['lastName', 1],
    ]);
  });

  it('§5: accepts a secret key instead of a publishable key in either header, and no other key', async () => {
    const { secretKey } = instance.credentials;
    for (const headers of [bearerHeader(secretKey), { 'x-api-key': secretKey }] as Record<string, string>[]) {
      const response = await instance.request('POST', path, { body: person(), headers });
      expect(response).toMatchObject({ status: 201, body: { tokens } });
    }
    for (const headers of [{}, { 'x-publishable-key': 'pk_none' }] as Record<string, string>[]) {
      const response = await instance.request('POST', path, { body: person(), headers });
      expect(response).toMatchObject({ status: 401, body: { code: 'invalid_api_key' } });
      expect(response.headers.get('www-authenticate')).toBe('Bearer');
    }
  });

  it('returns 422 for a password that violates the policy, and 409 for a taken address', async () => {
    const email = uniqueEmail();
    const weak = await instance.requestWithPublishableKey('POST', path, { email, password: 'password' });
    expect(weak).toMatchObject({ status: 422, body: { code: 'weak_password', reasons: ['too_common'] } });
    await instance.register(email);
    const taken = await instance.requestWithPublishableKey('POST', path, { email, password: PASSWORD });
    expect(taken).toMatchObject({ status: 409, body: { code: 'email_already_registered' } });
    expect(taken.body).not.toHaveProperty('customerId');
  });
});

describe('§4 #2 POST /api/v1/auth/login', () => {
  const path = '/api/v1/auth/login';

  it('returns 200 in the format of register, and 401 for an unknown address or a wrong password', async () => {
    const email = uniqueEmail();
    const { customer } = (await instance.register(email)).body;
    const login = (body: object) => instance.requestWithPublishableKey('POST', path, body);
    const response = await login({ email, password: PASSWORD });
    expect(response.status).toBe(200);
    expect(response.body).toEqual({ tokens, customer, challenge: null });
    for (const body of [{ email, password: 'not the phrase' }, person()])
      expect(await login(body)).toMatchObject({ status: 401, body: { code: 'invalid_credentials' } });
    await expectFieldErrors(login, person, [
      ['email', undefined],
      ['password', undefined],
    ]);
  });

  it('§5: accepts only the publishable key, in x-publishable-key', async () => {
    const email = uniqueEmail();
    await instance.register(email);
    const { publishableKey, secretKey } = instance.credentials;
    const body = { email, password: PASSWORD };
    const statuses = [];
    for (const headers of [
      {},
      bearerHeader(publishableKey),
      bearerHeader(secretKey),
      { 'x-api-key': secretKey },
    ]) {
      statuses.push((await instance.request('POST', path, { body, headers })).status);
    }
    expect(statuses).toEqual([401, 403, 403, 403]);
  });
});

describe('§4 #3 POST /api/v1/auth/refresh', () => {
  const path = '/api/v1/auth/refresh';

  it('§5: returns 200 in the format of register, with new tokens, and ignores key headers', async () => {
    const { tokens: old, customer } = (await instance.register()).body;
    const response = await instance.request('POST', path, {
      body: { refreshToken: old.refreshToken },
      headers: ignoredKeys,
    });
    expect(response.status).toBe(200);
    expect(response.body).toEqual({ tokens, customer });
    expect(response.body.tokens.refreshToken).not.toBe(old.refreshToken);
    expect(
      (await instance.requestWithAccessToken(response.body.tokens.accessToken, 'GET', '/api/v1/me')).status,
    ).toBe(200);
  });

  it('requires a valid refreshToken', async () => {
    const response = await instance.request('POST', path, { body: {} });
    expect([response.status, errorFields(response)]).toEqual([400, ['refreshToken']]);
    expect(await instance.request('POST', path, { body: { refreshToken: 'nonsense' } })).toMatchObject({
      status: 401,
      body: { code: 'invalid_refresh_token' },
    });
  });
});

describe('§4 #4 GET /api/v1/me', () => {
  const path = '/api/v1/me';

  it('returns 200 with the customer of the access token', async () => {
    const { tokens: own, customer } = (await instance.register()).body;
    const response = await instance.requestWithAccessToken(own.accessToken, 'GET', path);
    expect(response.status).toBe(200);
    expect(response.body).toEqual({
      ...customer,
      projectId: instance.credentials.projectId,
      publicMetadata: {},
      imageUrl: null,
      locale: null,
      createdAt: time,
      updatedAt: time,
      lastLoginAt: response.body.lastLoginAt,
    });
    expect(response.body).toHaveProperty('lastLoginAt');
  });

  it('§5: accepts only the access token, as Authorization: Bearer', async () => {
    const { accessToken } = (await instance.register()).body.tokens;
    const { secretKey, publishableKey } = instance.credentials;
    const statuses = [];
    for (const headers of [
      {},
      bearerHeader('nonsense'),
      { authorization: accessToken },
      { 'x-api-key': accessToken },
      bearerHeader(secretKey),
      { 'x-publishable-key': publishableKey },
    ]) {
      const response = await instance.request('GET', path, { headers: headers as Record<string, string> });
      statuses.push(response.status);
      if (response.status === 401) {
        const isMissing = Object.keys(headers).length === 0;
        expect(response.headers.get('www-authenticate')).toBe(
          isMissing ? 'Bearer' : 'Bearer error="invalid_token"',
        );
      }
    }
    expect(statuses).toEqual([401, 401, 401, 401, 403, 403]);
  });
});

const organization = {
  id: uuid,
  name: text,
  slug: expect.stringMatching(/^[a-z0-9-]{3,48}$/) as string,
  parentId: null,
  billingReturnOrigins: [],
  createdAt: time,
  updatedAt: time,
};

describe('§4 #5 GET /api/v1/organizations', () => {
  it('returns 200 with a list that contains the organization of the key', async () => {
    const response = await instance.requestWithSecretKey('GET', '/api/v1/organizations?limit=200');
    expect(response.status).toBe(200);
    expect(fieldsOf(response.body)).toEqual(['data', 'hasMore', 'nextCursor']);
    const own = response.body.data.find(
      ({ id }: { id: string }) => id === instance.credentials.organizationId,
    );
    expect(own).toEqual({ ...organization, id: instance.credentials.organizationId });
  });
});

describe('§4 #6 POST /api/v1/organizations', () => {
  const path = '/api/v1/organizations';

  it('returns 201 with the organization, and requires name and slug as strings', async () => {
    const input = { name: 'Menabrea', slug: slug() };
    const response = await instance.requestWithSecretKey('POST', path, input);
    expect(response.status).toBe(201);
    expect(response.body).toEqual({
      ...organization,
      ...input,
      parentId: instance.credentials.organizationId,
    });
    await expectFieldErrors(postTo(path), () => ({ name: 'Menabrea', slug: slug() }), [
      ['name', undefined, 1],
      ['slug', undefined, 1],
    ]);
  });

  it('returns 409 for a taken slug, and 403 for a project key', async () => {
    const input = { name: 'Menabrea', slug: slug() };
    await instance.requestWithSecretKey('POST', path, input);
    expect(await instance.requestWithSecretKey('POST', path, input)).toMatchObject({
      status: 409,
      body: { code: 'slug_taken' },
    });
    const headers = bearerHeader(instance.credentials.projectSecretKey);
    const body = { name: 'Menabrea', slug: slug() };
    expect(await instance.request('POST', path, { headers, body })).toMatchObject({
      status: 403,
      body: { code: 'insufficient_access', requiredAccess: 'organization' },
    });
  });
});

describe('§4 #7 POST /api/v1/billing/portal', () => {
  const path = '/api/v1/billing/portal';

  it('returns 200 with the URL of a session that links back to returnUrl', async () => {
    const returnUrl = 'https://app.example.com/billing';
    const response = await instance.requestWithSecretKey('POST', path, { returnUrl });
    expect(response.status).toBe(200);
    expect(response.body).toEqual({ url: text, expiresAt: time });
    const page = await (await fetch(response.body.url as string)).text();
    expect(page).toContain(`href="${returnUrl}"`);
  });

  it('requires returnUrl as a URL', () =>
    expectFieldErrors(postTo(path), () => ({}), [['returnUrl', undefined, 1, 'nonsense', '/billing']]));
});

const project = {
  id: uuid,
  organizationId: uuid,
  name: text,
  slug: text,
  environment: 'development',
  settings: expect.any(Object) as object,
  archivedAt: null,
  createdAt: time,
  updatedAt: time,
};

describe('§4 #8 GET /api/v1/projects', () => {
  it("returns 200 with a list of the projects in the caller's organization", async () => {
    const response = await instance.requestWithSecretKey('GET', '/api/v1/projects?limit=200');
    expect(response.status).toBe(200);
    expect(fieldsOf(response.body)).toEqual(['data', 'hasMore', 'nextCursor']);
    const { projectId: id, organizationId } = instance.credentials;
    const own = response.body.data.find((each: { id: string }) => each.id === id);
    expect(own).toEqual({ ...project, id, organizationId });
    const { tenant: sibling } = await createWatchedProject();
    const { data } = (await instance.requestWithSecretKey('GET', '/api/v1/projects?limit=200')).body;
    expect(data.map((each: { id: string }) => each.id)).toContain(sibling.projectId);
  });
});

describe('§4 #9 GET /api/v1/projects/{projectId}', () => {
  it('returns 200 with the project', async () => {
    const { projectId: id, organizationId } = instance.credentials;
    const response = await instance.requestWithSecretKey('GET', `/api/v1/projects/${id}`);
    expect(response.status).toBe(200);
    expect(response.body).toEqual({ ...project, id, organizationId });
    expect(fieldsOf(response.body.settings)).toEqual(
      `accessTokenClaims accessTokenTtl acceptInviteUrl allowedOrigins branding breachCheck defaultLocale
       enumerationProtection legacySignIn limits mail mailLimits mfa mfaGraceDays passkeys passwordHashing passwordMinLength redirectUrls refreshAbsoluteTtl refreshGrace refreshIdleTtl requireVerifiedEmail resetPasswordUrl
       signIn signingAlgorithm testEmailCode tokenSubject verifyEmailUrl`
        .split(/\s+/)
        .sort(),
    );
  });

  it('returns 404 for an unknown projectId and for one that is not a UUID', async () => {
    for (const id of [randomUUID(), 'nonsense']) {
      expect(await instance.requestWithSecretKey('GET', `/api/v1/projects/${id}`)).toMatchObject({
        status: 404,
        body: { code: 'not_found' },
      });
    }
  });
});

describe('§4 #10 POST /api/v1/projects/{projectId}/api-keys', () => {
  const create = (body: object, projectId = instance.credentials.projectId) =>
    instance.requestWithSecretKey('POST', `/api/v1/projects/${projectId}/api-keys`, body);

  it('§2: returns 201 with a secret key that starts with sk_', async () => {
    const scopes = ['customer:write', 'customer:read'];
    const response = await create({ name: 'Orders', type: 'secret', scopes });
    expect(response.status).toBe(201);
    const { key } = response.body;
    expect(key).toMatch(/^sk_/);
    expect(key).toMatch(apiKeyPattern);
    expect(response.body).toEqual({
      id: uuid,
      projectId: instance.credentials.projectId,
      name: 'Orders',
      type: 'secret',
      access: 'project',
      scopes,
      rateLimit: null,
      prefix: key.slice(0, 8),
      last4: key.slice(-4),
      expiresAt: null,
      lastUsedAt: null,
      revokedAt: null,
      rotatedFrom: null,
      createdAt: time,
      key,
    });
    const headers = bearerHeader(key as string);
    expect(
      (await instance.request('POST', '/api/v1/customers', { body: { email: uniqueEmail() }, headers }))
        .status,
    ).toBe(201);
    expect((await instance.request('GET', '/api/v1/projects', { headers })).body.code).toBe(
      'insufficient_scope',
    );
  });

  it('§2: returns 201 with a publishable key that starts with pk_', async () => {
    const { status, body } = await create({ name: 'Shop', type: 'publishable' });
    expect(status).toBe(201);
    expect(body.key).toMatch(/^pk_/);
    const registered = await instance.request('POST', '/api/v1/auth/register', {
      body: { email: uniqueEmail(), password: PASSWORD },
      headers: { 'x-publishable-key': body.key },
    });
    expect(registered.status).toBe(201);
  });

  it('defaults to a secret key with customer scopes, and reports every invalid field', async () => {
    const { body } = await create({ name: 'Orders' });
    expect([body.type, body.scopes]).toEqual(['secret', ['customer:read', 'customer:write']]);
    await expectFieldErrors(create, () => ({ name: 'Orders' }), [
      ['name', undefined, 1],
      ['type', 'private'],
      ['scopes', 'customer:read', [1], ['customer:everything']],
    ]);
    expect((await create({ name: 'Orders' }, randomUUID())).status).toBe(404);
  });
});

describe('§4 #11 POST /api/v1/customers', () => {
  const path = '/api/v1/customers';

  it('§2: returns 201 with the customer, including metadata and projectId', async () => {
    const { projectId } = instance.credentials;
    const metadata = { plan: 'gold', seats: 3, tags: ['a', { b: null }] };
    const email = uniqueEmail();
    const response = await instance.requestWithSecretKey('POST', path, { email, projectId, metadata });
    expect(response.status).toBe(201);
    expect(response.body).toEqual({
      id: uuid,
      projectId,
      externalId: null,
      email,
      ...emptyProfile,
      emailVerified: false,
      metadata,
      publicMetadata: {},
      imageUrl: null,
      mfa: 'inherit',
      disabledAt: null,
      createdAt: time,
      updatedAt: time,
      lastLoginAt: null,
    });
  });

  it("uses {} as metadata and the key's project by default, and reports every invalid field", async () => {
    const { status, body } = await instance.requestWithSecretKey('POST', path, { email: uniqueEmail() });
    expect([status, body.metadata, body.projectId]).toEqual([201, {}, instance.credentials.projectId]);
    await expectFieldErrors(postTo(path), () => ({ email: uniqueEmail() }), [
      ['email', undefined, 'nonsense'],
      ['projectId', 'nonsense'],
      ['metadata', 'text', []],
    ]);
  });

  it('returns 404 for a project that does not exist, and 409 for a taken address', async () => {
    expect(
      (await instance.requestWithSecretKey('POST', path, { email: uniqueEmail(), projectId: randomUUID() }))
        .status,
    ).toBe(404);
    const email = uniqueEmail();
    const { id } = (await instance.requestWithSecretKey('POST', path, { email })).body;
    expect(await instance.requestWithSecretKey('POST', path, { email })).toMatchObject({
      status: 409,
      body: { code: 'email_already_registered', customerId: id },
    });
  });
});

describe('§4 #12 POST /api/v1/auth/verify-email', () => {
  const path = '/api/v1/auth/verify-email';

  it('§3, §5: returns 200 and sets emailVerified for an emailed token, and ignores key headers', async () => {
    const email = uniqueEmail();
    const { customer, tokens: own } = (await instance.register(email)).body;
    const response = await instance.request('POST', path, {
      body: { token: await instance.getVerificationToken(email) },
      headers: ignoredKeys,
    });
    expect(response.status).toBe(200);
    expect(response.body).toEqual({ customer: { id: customer.id, email, emailVerified: true } });
    expect(
      (await instance.requestWithAccessToken(own.accessToken, 'GET', '/api/v1/me')).body.emailVerified,
    ).toBe(true);
  });

  it('requires a valid token', async () => {
    const response = await instance.request('POST', path, { body: {} });
    expect([response.status, errorFields(response)]).toEqual([400, ['token']]);
    expect(await instance.request('POST', path, { body: { token: 'nonsense' } })).toMatchObject({
      status: 400,
      body: { code: 'invalid_token' },
    });
  });
});

describe('§4 #13 GET /v1/webhooks/deliveries', () => {
  const path = '/v1/webhooks/deliveries';

  it('§2: returns 200 with success, and data with the twelve specified fields in each record', async () => {
    const watched = await createWatchedProject();
    watched.receiver.defaultResponder = respondWithStatus(201, 'thanks');
    await createCustomerIn(watched);
    await waitForAttempt(watched, 1);
    const response = await instance.request('GET', path, { headers: bearerHeader(watched.tenant.secretKey) });
    expect(response.status).toBe(200);
    expect(response.body).toEqual({
      success: true,
      data: expect.any(Array),
      next_cursor: null,
      has_more: false,
    });
    const [request] = watched.receiver.requests;
    expect(response.body.data).toEqual([
      {
        id: expect.stringMatching(/^att_/),
        endpoint_id: watched.endpoint.id,
        event: 'customer.created',
        target_url: watched.receiver.url,
        http_status: 201,
        success: true,
        attempt: 1,
        max_attempts: 5,
        duration_ms: expect.any(Number),
        response_body: 'thanks',
        error: null,
        created_at: time,
        // Fields that the specification does not define.
        endpoint_name: new URL(watched.receiver.url).host,
        delivery_id: expect.stringMatching(/^dlv_/),
        event_id: request!.event.id,
        project_id: watched.tenant.projectId,
        delivery_state: 'succeeded',
        next_attempt_at: null,
      },
    ]);
    expect(Number.isInteger(response.body.data[0].duration_ms)).toBe(true);
  });

  it('§8: limits pages to 50 by default and to 200 at most, and continues with a cursor', async () => {
    const watched = await createWatchedProject();
    const customers = Array.from({ length: 203 }, () => ({ email: uniqueEmail() }));
    const headers = bearerHeader(watched.tenant.secretKey);
    const imported = await instance.request('POST', '/api/v1/customers/import', {
      headers,
      body: { customers, emitEvents: true },
    });
    expect(imported).toMatchObject({ status: 200, body: { created: 203 } });
    const page = async (query: string) => (await instance.request('GET', path + query, { headers })).body;
    await eventually('all attempts', async () => {
      const { data, next_cursor } = await page('?limit=200');
      if (!next_cursor) return false;
      return data.length === 200 && (await page(`?limit=200&cursor=${next_cursor}`)).data.length === 3;
    });
    expect((await page('')).data).toHaveLength(50);
    expect((await page('?limit=50')).data).toHaveLength(50);
    expect((await page('?limit=1')).data).toHaveLength(1);
    const first = await page('?limit=200');
    expect(first.has_more).toBe(true);
    const rest = await page(`?limit=200&cursor=${encodeURIComponent(first.next_cursor as string)}`);
    expect([rest.data.length, rest.next_cursor, rest.has_more]).toEqual([3, null, false]);
    const ids = [...first.data, ...rest.data].map(({ id }) => id as string);
    expect(new Set(ids).size).toBe(203);
    expect(ids).toEqual([...ids].sort().reverse());
  });

  it('§8: returns 400 for a limit that is not a whole number from 1 to 200', async () => {
    for (const limit of ['0', '201', '-1', '1.5', 'fifty', '', '50&limit=50']) {
      const response = await instance.requestWithSecretKey('GET', `${path}?limit=${limit}`);
      const found = [limit, response.status, response.body.success, errorFields(response)];
      expect(found).toEqual([limit, 400, false, ['limit']]);
    }
  });

  it('§5: requires the scope webhook:read', async () => {
    const { body } = await instance.requestWithSecretKey(
      'POST',
      `/api/v1/projects/${instance.credentials.projectId}/api-keys`,
      {
        name: 'Orders',
      },
    );
    expect(await instance.request('GET', path, { headers: bearerHeader(body.key as string) })).toMatchObject({
      status: 403,
      body: { success: false, code: 'insufficient_scope', requiredScopes: ['webhook:read'] },
    });
  });
});

describe('§3 and §6: webhook delivery', () => {
  it('sends the signed event to the target_url of the endpoint', async () => {
    const watched = await createWatchedProject(['verification.completed']);
    const email = uniqueEmail();
    const { body } = await instance.request('POST', '/api/v1/auth/register', {
      body: { email, password: PASSWORD },
      headers: { 'x-publishable-key': watched.tenant.publishableKey },
    });
    await instance.request('POST', '/api/v1/auth/verify-email', {
      body: { token: await instance.getVerificationToken(email) },
    });
    const request = await eventually('verification.completed', () => watched.receiver.requests[0]);
    const event = new Webhook(watched.endpoint.secret).verify(
      request.body,
      request.headers as Record<string, string>,
    );
    expect(event).toMatchObject({
      type: 'verification.completed',
      project_id: watched.tenant.projectId,
      organization_id: watched.tenant.organizationId,
      data: {
        customer: { id: body.customer.id, emailVerified: true },
        verification: { kind: 'email', email },
      },
    });
  });

  it('§6.1, §6.2: succeeds on 2xx without another attempt, and otherwise reschedules', async () => {
    const attempts = await Promise.all(
      [200, 202, 204, 299, 301, 400, 410, 429, 500, 503].map(async (code) => {
        const watched = await createWatchedProject();
        watched.receiver.defaultResponder = respondWithStatus(code, code < 300 ? undefined : 'no');
        await createCustomerIn(watched);
        return waitForAttempt(watched, 1);
      }),
    );
    expect(attempts).toMatchObject([
      ...[200, 202, 204, 299].map((code) => ({
        http_status: code,
        success: true,
        error: null,
        delivery_state: 'succeeded',
        next_attempt_at: null,
      })),
      ...[301, 400, 410, 429, 500, 503].map((code) => ({
        http_status: code,
        success: false,
        error: 'http_error',
        response_body: 'no',
        delivery_state: 'pending',
        next_attempt_at: time,
      })),
    ]);
  });

  it('§6.3, §6.4: fails after five attempts on schedule, and restarts on a manual redelivery', async () => {
    const watched = await createWatchedProject();
    watched.receiver.defaultResponder = respondWithStatus(500);
    await createCustomerIn(watched);
    for (const [index, seconds] of [15, 60, 300, 1_800].entries()) {
      const recorded = await waitForAttempt(watched, index + 1);
      expect(recorded).toMatchObject({ attempt: index + 1, max_attempts: 5, delivery_state: 'pending' });
      const ended = Date.parse(recorded['created_at'] as string) + Number(recorded['duration_ms']);
      const delay = (Date.parse(recorded['next_attempt_at'] as string) - ended) / 1_000;
      expect(delay).toBeGreaterThan(seconds * 0.9 - 0.1);
      // The delay starts when the outcome is recorded. The bound is below the schedule's next delay.
      expect(delay).toBeLessThan(seconds * 1.1 + 30);
      await makeDue(recorded['delivery_id'] as string);
    }
    const last = await waitForAttempt(watched, 5);
    expect(last).toMatchObject({
      attempt: 5,
      success: false,
      delivery_state: 'failed',
      next_attempt_at: null,
    });
    expect(watched.receiver.requests).toHaveLength(5);

    watched.receiver.defaultResponder = respondWithStatus(200);
    const headers = bearerHeader(watched.tenant.secretKey);
    const deadLetterId = last['delivery_id'] as string;
    const response = await instance.request('POST', `/v1/webhooks/deliveries/${deadLetterId}/redeliver`, {
      headers,
    });
    expect(response).toMatchObject({
      status: 202,
      body: { success: true, data: { redelivery_of: deadLetterId } },
    });
    expect(await waitForAttempt(watched, 6)).toMatchObject({
      delivery_id: response.body.data.id,
      attempt: 1,
      success: true,
      delivery_state: 'succeeded',
    });
    const deadLetter = await instance.request('GET', `/v1/webhooks/deliveries/${deadLetterId}`, { headers });
    expect(deadLetter.body.data).toMatchObject({ state: 'failed', resolution: 'redelivered' });
    expect(new Set(watched.receiver.requests.map(({ event }) => event.id)).size).toBe(1);
  });
});

/** Method, path and valid body of each route that accepts a secret key. */
const secretRoutes: [string, string, () => object | undefined][] = [
  ['GET', '/api/v1/organizations', () => undefined],
  ['POST', '/api/v1/organizations', () => ({ name: 'Menabrea', slug: slug() })],
  ['POST', '/api/v1/billing/portal', () => ({ returnUrl: 'https://app.example.com/' })],
  ['GET', '/api/v1/projects', () => undefined],
  ['GET', '/api/v1/projects/PROJECT', () => undefined],
  ['POST', '/api/v1/projects/PROJECT/api-keys', () => ({ name: 'Orders' })],
  ['POST', '/api/v1/customers', () => ({ email: uniqueEmail() })],
  ['GET', '/v1/webhooks/deliveries', () => undefined],
];

describe('§5: the routes that accept a secret key', () => {
  const send = (
    [method, route, bodyOf]: (typeof secretRoutes)[number],
    headers: Record<string, string>,
    query = '',
  ) =>
    instance.request(method, route.replace('PROJECT', instance.credentials.projectId) + query, {
      body: bodyOf(),
      headers,
    });

  it('accept the key as Authorization: Bearer and x-api-key, and return the specified headers', async () => {
    const { secretKey } = instance.credentials;
    const failures = await runInChunks(secretRoutes, async (each) => {
      const [method, route] = each;
      const [first, second] = [
        await send(each, bearerHeader(secretKey)),
        await send(each, { 'x-api-key': secretKey }),
      ];
      const { headers } = first;
      const found = [first.status, second.status, headers.get('cache-control'), headers.has('x-request-id')];
      const code = method === 'POST' && !route.includes('billing') ? 201 : 200;
      const haveSameFields = isDeepStrictEqual(fieldsOf(first.body), fieldsOf(second.body));
      return haveSameFields && isDeepStrictEqual(found, [code, code, 'no-store', true])
        ? []
        : [{ method, route, found }];
    });
    expect(failures).toEqual([]);
  });

  it('return 401 without a secret key or with one in the query, and 403 for another key type', async () => {
    const { secretKey, publishableKey } = instance.credentials;
    const missing = '401 invalid_api_key Bearer';
    const wrongType = '403 wrong_credential_type null';
    const cases: [headers: Record<string, string>, expected: string, query?: string][] = [
      [{}, missing],
      [bearerHeader('sk_none'), missing],
      [{ 'x-api-key': 'nonsense' }, missing],
      [{ authorization: secretKey }, missing],
      [{}, missing, `?api_key=${secretKey}`],
      [{ 'x-publishable-key': publishableKey }, wrongType],
      [{ 'x-publishable-key': secretKey }, wrongType],
      [bearerHeader(publishableKey), wrongType],
    ];
    const failures = await runInChunks(secretRoutes, async (each) => {
      const responses = await Promise.all(cases.map(([headers, , query]) => send(each, headers, query)));
      return responses.flatMap(({ status, body, headers }, index) => {
        const found = `${status} ${body.code} ${headers.get('www-authenticate')}`;
        return found === cases[index]![1] ? [] : [{ route: each[1], case: cases[index], found }];
      });
    });
    expect(failures).toEqual([]);
  });
});

describe('§7: an error', () => {
  it.each([
    ['/api/v1/projects/nonsense', {}],
    ['/v1/webhooks/deliveries/nonsense', { success: false }],
  ])('has the problem document format for %s', async (path, extraFields) => {
    const response = await instance.requestWithSecretKey('GET', path);
    expect(response.status).toBe(404);
    expect(response.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
    expect(response.body).toEqual({
      ...extraFields,
      type: `${instance.baseUrl}/docs/errors#not_found`,
      title: text,
      status: 404,
      detail: text,
      code: 'not_found',
      requestId: response.headers.get('x-request-id'),
    });
  });
});

describe('§9: versioning', () => {
  it('uses the prefix /api/v1 for every path except the delivery history', async () => {
    const found: unknown[] = [];
    for (const [method, path] of [
      ['POST', '/v1/auth/register'],
      ['POST', '/v1/auth/login'],
      ['POST', '/v1/auth/refresh'],
      ['GET', '/v1/me'],
      ['GET', '/v1/organizations'],
      ['POST', '/v1/organizations'],
      ['POST', '/v1/billing/portal'],
      ['GET', '/v1/projects'],
      ['GET', `/v1/projects/${randomUUID()}`],
      ['POST', `/v1/projects/${randomUUID()}/api-keys`],
      ['POST', '/v1/customers'],
      ['POST', '/v1/auth/verify-email'],
      ['GET', '/api/v1/webhooks/deliveries'],
    ] as const) {
      // instance.request accepts only documented paths.
      const headers = bearerHeader(instance.credentials.secretKey);
      const response = await fetch(instance.baseUrl + path, { method, headers });
      const { code } = (await response.json()) as { code: string };
      if (response.status !== 404 || code !== 'not_found') found.push([method, path, response.status, code]);
    }
    expect(found).toEqual([]);
  });
});
