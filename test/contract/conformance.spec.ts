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
 * The interface specification, rule by rule, from the outside: nothing but requests, and targets that receive them.
 * §1 to §9 are its sections, #1 to #13 the endpoints of its section 4. What it leaves open is what the contract says.
 * The ten seconds of an attempt: conformance.timed.spec.ts.
 */

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const uuid = expect.stringMatching(UUID) as string;
const time = expect.stringMatching(TIME) as string;
const text = expect.any(String) as string;

let instance: TestInstance;
let targets: Receiver[];
/** A project with an endpoint of its own. */
interface Watched {
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
const faults = ({ body }: TestResponse): string[] =>
  (body.errors as { field: string }[]).map(({ field }) => field);

/** Replaces one field of a valid body in turn; each is to be refused by its name. */
async function expectNamed(
  send: (body: object) => Promise<TestResponse>,
  valid: () => object,
  wrong: readonly (readonly [field: string, ...values: unknown[]])[],
): Promise<void> {
  for (const [field, ...values] of wrong) {
    for (const value of values) {
      const answer = await send({ ...valid(), [field]: value });
      const { code } = answer.body;
      const expected = [field, value, 400, 'validation_failed', [field]];
      expect([field, value, answer.status, code, faults(answer)]).toEqual(expected);
    }
  }
}
const person = () => ({ email: uniqueEmail(), password: PASSWORD });
/** Posts a body with the secret key of the organization. */
const postTo = (path: string) => (body: object) => instance.requestWithSecretKey('POST', path, body);

async function watched(events = ['customer.created']): Promise<Watched> {
  const receiver = await Receiver.start();
  targets.push(receiver);
  const tenant = await insertProject(instance, instance.credentials.organizationId);
  const { body } = await instance.request('POST', '/v1/webhooks/endpoints', {
    headers: bearerHeader(tenant.secretKey),
    body: { url: receiver.url, events },
  });
  return { tenant, receiver, endpoint: body.data };
}

/** Something for the endpoint of a project to hear of. */
async function createIn({ tenant }: Watched): Promise<void> {
  const answer = await instance.request('POST', '/api/v1/customers', {
    headers: bearerHeader(tenant.secretKey),
    body: { email: uniqueEmail() },
  });
  expect(answer.status).toBe(201);
}

const history = async ({ tenant }: Watched, query = ''): Promise<Record<string, any>[]> =>
  (
    await instance.request('GET', `/v1/webhooks/deliveries${query}`, {
      headers: bearerHeader(tenant.secretKey),
    })
  ).body.data;

/** The attempt with this number in a project's history, however many have followed. */
const attempt = (where: Watched, number: number): Promise<Record<string, any>> =>
  eventually(`attempt ${number}`, async () => (await history(where)).at(-number));

/** Makes an attempt due that would have to be waited for. */
const hurry = (deliveryId: string): Promise<unknown> =>
  instance
    .sql('UPDATE deliveries SET next_attempt_at = now() WHERE id = $1', [deliveryId.replace('dlv_', '')])
    .then(() => instance.sql('NOTIFY gatehouse_deliveries'));

/** Keys on a route that takes none. */
const ignoredKeys = { 'x-publishable-key': 'pk_none', 'x-api-key': 'sk_none', ...bearerHeader('nonsense') };
const tokens = { accessToken: text, refreshToken: text, expiresIn: 3600 };

describe('§4 #1 POST /api/v1/auth/register', () => {
  const path = '/api/v1/auth/register';

  it('§2: answers 201 with tokens and customer, with exactly their fields', async () => {
    const email = uniqueEmail();
    const answer = await instance.requestWithPublishableKey('POST', path, {
      email,
      password: PASSWORD,
      ...profile,
    });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      tokens,
      customer: { id: uuid, email, ...profile, emailVerified: false },
    });
  });

  it('email and password are required; the names are optional, and null when unset; all are strings', async () => {
    const { status: code, body } = await instance.requestWithPublishableKey('POST', path, person());
    expect([code, body.customer.firstName, body.customer.lastName]).toEqual([201, null, null]);
    const shown = await instance.requestWithSecretKey('GET', `/api/v1/customers/${body.customer.id}`);
    expect(shown.body.projectId).toBe(instance.credentials.projectId);
    await expectNamed((wrong) => instance.requestWithPublishableKey('POST', path, wrong), person, [
      ['email', undefined, 1],
      ['password', undefined, 1],
      ['firstName', 1],
      ['lastName', 1],
    ]);
  });

  it('§5: takes a secret key in place of the publishable one, in either header, and no other key', async () => {
    const { secretKey } = instance.credentials;
    for (const headers of [bearerHeader(secretKey), { 'x-api-key': secretKey }] as Record<string, string>[]) {
      const answer = await instance.request('POST', path, { body: person(), headers });
      expect(answer).toMatchObject({ status: 201, body: { tokens } });
    }
    for (const headers of [{}, { 'x-publishable-key': 'pk_none' }] as Record<string, string>[]) {
      const answer = await instance.request('POST', path, { body: person(), headers });
      expect(answer).toMatchObject({ status: 401, body: { code: 'invalid_api_key' } });
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    }
  });

  it('refuses a password that the policy does not take with 422, and a taken address with 409', async () => {
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

  it('answers 200 in the shape of register, and 401 to an unknown address and a wrong password', async () => {
    const email = uniqueEmail();
    const { customer } = (await instance.register(email)).body;
    const login = (body: object) => instance.requestWithPublishableKey('POST', path, body);
    const answer = await login({ email, password: PASSWORD });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ tokens, customer });
    for (const body of [{ email, password: 'not the phrase' }, person()])
      expect(await login(body)).toMatchObject({ status: 401, body: { code: 'invalid_credentials' } });
    await expectNamed(login, person, [
      ['email', undefined],
      ['password', undefined],
    ]);
  });

  it('§5: takes the publishable key alone, in x-publishable-key', async () => {
    const email = uniqueEmail();
    await instance.register(email);
    const { publishableKey, secretKey } = instance.credentials;
    const body = { email, password: PASSWORD };
    const codes = [];
    for (const headers of [
      {},
      bearerHeader(publishableKey),
      bearerHeader(secretKey),
      { 'x-api-key': secretKey },
    ]) {
      codes.push((await instance.request('POST', path, { body, headers })).status);
    }
    expect(codes).toEqual([401, 403, 403, 403]);
  });
});

describe('§4 #3 POST /api/v1/auth/refresh', () => {
  const path = '/api/v1/auth/refresh';

  it('§5: answers 200 in the shape of register, with new tokens; a key header that is sent changes nothing', async () => {
    const { tokens: old, customer } = (await instance.register()).body;
    const answer = await instance.request('POST', path, {
      body: { refreshToken: old.refreshToken },
      headers: ignoredKeys,
    });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ tokens, customer });
    expect(answer.body.tokens.refreshToken).not.toBe(old.refreshToken);
    expect(
      (await instance.requestWithAccessToken(answer.body.tokens.accessToken, 'GET', '/api/v1/me')).status,
    ).toBe(200);
  });

  it('refreshToken is required, and must be one', async () => {
    const answer = await instance.request('POST', path, { body: {} });
    expect([answer.status, faults(answer)]).toEqual([400, ['refreshToken']]);
    expect(await instance.request('POST', path, { body: { refreshToken: 'nonsense' } })).toMatchObject({
      status: 401,
      body: { code: 'invalid_refresh_token' },
    });
  });
});

describe('§4 #4 GET /api/v1/me', () => {
  const path = '/api/v1/me';

  it('answers 200 with the customer of the access token', async () => {
    const { tokens: own, customer } = (await instance.register()).body;
    const answer = await instance.requestWithAccessToken(own.accessToken, 'GET', path);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      ...customer,
      projectId: instance.credentials.projectId,
      publicMetadata: {},
      createdAt: time,
      updatedAt: time,
      lastLoginAt: answer.body.lastLoginAt,
    });
    expect(answer.body).toHaveProperty('lastLoginAt');
  });

  it('§5: takes the access token alone, as Authorization: Bearer', async () => {
    const { accessToken } = (await instance.register()).body.tokens;
    const { secretKey, publishableKey } = instance.credentials;
    const codes = [];
    for (const headers of [
      {},
      bearerHeader('nonsense'),
      { authorization: accessToken },
      { 'x-api-key': accessToken },
      bearerHeader(secretKey),
      { 'x-publishable-key': publishableKey },
    ]) {
      const answer = await instance.request('GET', path, { headers: headers as Record<string, string> });
      codes.push(answer.status);
      if (answer.status === 401) {
        const isMissing = Object.keys(headers).length === 0;
        expect(answer.headers.get('www-authenticate')).toBe(
          isMissing ? 'Bearer' : 'Bearer error="invalid_token"',
        );
      }
    }
    expect(codes).toEqual([401, 401, 401, 401, 403, 403]);
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
  it('answers 200 with the organization of the key, in a list', async () => {
    const answer = await instance.requestWithSecretKey('GET', '/api/v1/organizations?limit=200');
    expect(answer.status).toBe(200);
    expect(fieldsOf(answer.body)).toEqual(['data', 'hasMore', 'nextCursor']);
    const own = answer.body.data.find(({ id }: { id: string }) => id === instance.credentials.organizationId);
    expect(own).toEqual({ ...organization, id: instance.credentials.organizationId });
  });
});

describe('§4 #6 POST /api/v1/organizations', () => {
  const path = '/api/v1/organizations';

  it('answers 201 with the organization; name and slug are strings, and required', async () => {
    const input = { name: 'Menabrea', slug: slug() };
    const answer = await instance.requestWithSecretKey('POST', path, input);
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({ ...organization, ...input, parentId: instance.credentials.organizationId });
    await expectNamed(postTo(path), () => ({ name: 'Menabrea', slug: slug() }), [
      ['name', undefined, 1],
      ['slug', undefined, 1],
    ]);
  });

  it('refuses a taken slug with 409, and a project key with 403', async () => {
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

  it('answers 200 with the URL of a session that leads back to returnUrl', async () => {
    const returnUrl = 'https://app.example.com/billing';
    const answer = await instance.requestWithSecretKey('POST', path, { returnUrl });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ url: text, expiresAt: time });
    const page = await (await fetch(answer.body.url as string)).text();
    expect(page).toContain(`href="${returnUrl}"`);
  });

  it('returnUrl is required, and a URL', () =>
    expectNamed(postTo(path), () => ({}), [['returnUrl', undefined, 1, 'nonsense', '/billing']]));
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
  it("answers 200 with the projects of the caller's organization, in a list", async () => {
    const answer = await instance.requestWithSecretKey('GET', '/api/v1/projects?limit=200');
    expect(answer.status).toBe(200);
    expect(fieldsOf(answer.body)).toEqual(['data', 'hasMore', 'nextCursor']);
    const { projectId: id, organizationId } = instance.credentials;
    const own = answer.body.data.find((each: { id: string }) => each.id === id);
    expect(own).toEqual({ ...project, id, organizationId });
    const { tenant: sibling } = await watched();
    const { data } = (await instance.requestWithSecretKey('GET', '/api/v1/projects?limit=200')).body;
    expect(data.map((each: { id: string }) => each.id)).toContain(sibling.projectId);
  });
});

describe('§4 #9 GET /api/v1/projects/{projectId}', () => {
  it('answers 200 with the project', async () => {
    const { projectId: id, organizationId } = instance.credentials;
    const answer = await instance.requestWithSecretKey('GET', `/api/v1/projects/${id}`);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ ...project, id, organizationId });
    expect(fieldsOf(answer.body.settings)).toEqual(
      `accessTokenClaims accessTokenTtl acceptInviteUrl allowedOrigins branding breachCheck enumerationProtection mail
       passwordMinLength redirectUrls refreshAbsoluteTtl refreshIdleTtl requireVerifiedEmail resetPasswordUrl
       verifyEmailUrl`
        .split(/\s+/)
        .sort(),
    );
  });

  it('projectId is a UUID: for another one, and for what is none, the answer is 404', async () => {
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

  it('§2: answers 201 with a secret key, whose value starts with sk_', async () => {
    const scopes = ['customer:write', 'customer:read'];
    const answer = await create({ name: 'Orders', type: 'secret', scopes });
    expect(answer.status).toBe(201);
    const { key } = answer.body;
    expect(key).toMatch(/^sk_/);
    expect(key).toMatch(apiKeyPattern);
    expect(answer.body).toEqual({
      id: uuid,
      projectId: instance.credentials.projectId,
      name: 'Orders',
      type: 'secret',
      access: 'project',
      scopes,
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

  it('§2: answers 201 with a publishable key, whose value starts with pk_', async () => {
    const { status: code, body } = await create({ name: 'Shop', type: 'publishable' });
    expect(code).toBe(201);
    expect(body.key).toMatch(/^pk_/);
    const registered = await instance.request('POST', '/api/v1/auth/register', {
      body: { email: uniqueEmail(), password: PASSWORD },
      headers: { 'x-publishable-key': body.key },
    });
    expect(registered.status).toBe(201);
  });

  it('type and scopes may be left out: a secret key for customers; every other field that is wrong is named', async () => {
    const { body } = await create({ name: 'Orders' });
    expect([body.type, body.scopes]).toEqual(['secret', ['customer:read', 'customer:write']]);
    await expectNamed(create, () => ({ name: 'Orders' }), [
      ['name', undefined, 1],
      ['type', 'private'],
      ['scopes', 'customer:read', [1], ['customer:everything']],
    ]);
    expect((await create({ name: 'Orders' }, randomUUID())).status).toBe(404);
  });
});

describe('§4 #11 POST /api/v1/customers', () => {
  const path = '/api/v1/customers';

  it('§2: answers 201 with the customer, with metadata and projectId', async () => {
    const { projectId } = instance.credentials;
    const metadata = { plan: 'gold', seats: 3, tags: ['a', { b: null }] };
    const email = uniqueEmail();
    const answer = await instance.requestWithSecretKey('POST', path, { email, projectId, metadata });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      id: uuid,
      projectId,
      externalId: null,
      email,
      ...emptyProfile,
      emailVerified: false,
      metadata,
      publicMetadata: {},
      disabledAt: null,
      createdAt: time,
      updatedAt: time,
      lastLoginAt: null,
    });
  });

  it('metadata and projectId may be left out: nothing, and the project of the key; every field that is wrong is named', async () => {
    const { status: code, body } = await instance.requestWithSecretKey('POST', path, {
      email: uniqueEmail(),
    });
    expect([code, body.metadata, body.projectId]).toEqual([201, {}, instance.credentials.projectId]);
    await expectNamed(postTo(path), () => ({ email: uniqueEmail() }), [
      ['email', undefined, 'nonsense'],
      ['projectId', 'nonsense'],
      ['metadata', 'text', []],
    ]);
  });

  it('refuses a project that does not exist with 404, and a taken address with 409', async () => {
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

  it('§3, §5: answers 200 and makes emailVerified true, with the token of the emailed link; a key header changes nothing', async () => {
    const email = uniqueEmail();
    const { customer, tokens: own } = (await instance.register(email)).body;
    const answer = await instance.request('POST', path, {
      body: { token: await instance.getVerificationToken(email) },
      headers: ignoredKeys,
    });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ customer: { id: customer.id, email, emailVerified: true } });
    expect(
      (await instance.requestWithAccessToken(own.accessToken, 'GET', '/api/v1/me')).body.emailVerified,
    ).toBe(true);
  });

  it('token is required, and must be one', async () => {
    const answer = await instance.request('POST', path, { body: {} });
    expect([answer.status, faults(answer)]).toEqual([400, ['token']]);
    expect(await instance.request('POST', path, { body: { token: 'nonsense' } })).toMatchObject({
      status: 400,
      body: { code: 'invalid_token' },
    });
  });
});

describe('§4 #13 GET /v1/webhooks/deliveries', () => {
  const path = '/v1/webhooks/deliveries';

  it('§2: answers 200 with success and data, whose records have the twelve fields in their types', async () => {
    const where = await watched();
    where.receiver.defaultResponder = respondWithStatus(201, 'thanks');
    await createIn(where);
    await attempt(where, 1);
    const answer = await instance.request('GET', path, { headers: bearerHeader(where.tenant.secretKey) });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      success: true,
      data: expect.any(Array),
      next_cursor: null,
      has_more: false,
    });
    const [request] = where.receiver.requests;
    expect(answer.body.data).toEqual([
      {
        id: expect.stringMatching(/^att_/),
        endpoint_id: where.endpoint.id,
        event: 'customer.created',
        target_url: where.receiver.url,
        http_status: 201,
        success: true,
        attempt: 1,
        max_attempts: 5,
        duration_ms: expect.any(Number),
        response_body: 'thanks',
        error: null,
        created_at: time,
        // Beyond the specification.
        delivery_id: expect.stringMatching(/^dlv_/),
        event_id: request!.event.id,
        project_id: where.tenant.projectId,
        delivery_state: 'succeeded',
        next_attempt_at: null,
      },
    ]);
    expect(Number.isInteger(answer.body.data[0].duration_ms)).toBe(true);
  });

  it('§8: limit is 50 unless told, at most 200, and the rest comes by the cursor', async () => {
    const where = await watched();
    const customers = Array.from({ length: 203 }, () => ({ email: uniqueEmail() }));
    const headers = bearerHeader(where.tenant.secretKey);
    const imported = await instance.request('POST', '/api/v1/customers/import', {
      headers,
      body: { customers, emitEvents: true },
    });
    expect(imported).toMatchObject({ status: 200, body: { created: 203 } });
    const page = async (query: string) => (await instance.request('GET', path + query, { headers })).body;
    await eventually('all of them', async () => {
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

  it('§8: refuses any other limit with 400', async () => {
    for (const limit of ['0', '201', '-1', '1.5', 'fifty', '', '50&limit=50']) {
      const answer = await instance.requestWithSecretKey('GET', `${path}?limit=${limit}`);
      const found = [limit, answer.status, answer.body.success, faults(answer)];
      expect(found).toEqual([limit, 400, false, ['limit']]);
    }
  });

  it('§5: needs the scope webhook:read', async () => {
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

describe('§3 and §6: the delivery of a webhook', () => {
  it('is sent to the target_url of the endpoint, signed, with the event as its body', async () => {
    const where = await watched(['verification.completed']);
    const email = uniqueEmail();
    const { body } = await instance.request('POST', '/api/v1/auth/register', {
      body: { email, password: PASSWORD },
      headers: { 'x-publishable-key': where.tenant.publishableKey },
    });
    await instance.request('POST', '/api/v1/auth/verify-email', {
      body: { token: await instance.getVerificationToken(email) },
    });
    const request = await eventually('verification.completed', () => where.receiver.requests[0]);
    const event = new Webhook(where.endpoint.secret).verify(
      request.body,
      request.headers as Record<string, string>,
    );
    expect(event).toMatchObject({
      type: 'verification.completed',
      project_id: where.tenant.projectId,
      organization_id: where.tenant.organizationId,
      data: {
        customer: { id: body.customer.id, emailVerified: true },
        verification: { kind: 'email', email },
      },
    });
  });

  it('§6.1 and §6.2: 2xx is success, without a further attempt; another status is a failure, and rescheduled', async () => {
    const made = await Promise.all(
      [200, 202, 204, 299, 301, 400, 410, 429, 500, 503].map(async (code) => {
        const where = await watched();
        where.receiver.defaultResponder = respondWithStatus(code, code < 300 ? undefined : 'no');
        await createIn(where);
        return attempt(where, 1);
      }),
    );
    expect(made).toMatchObject([
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

  it('§6.3 and §6.4: five attempts on the schedule, then it has failed; redelivered by hand it starts anew', async () => {
    const where = await watched();
    where.receiver.defaultResponder = respondWithStatus(500);
    await createIn(where);
    for (const [index, seconds] of [15, 60, 300, 1_800].entries()) {
      const made = await attempt(where, index + 1);
      expect(made).toMatchObject({ attempt: index + 1, max_attempts: 5, delivery_state: 'pending' });
      const ended = Date.parse(made['created_at'] as string) + Number(made['duration_ms']);
      const delay = (Date.parse(made['next_attempt_at'] as string) - ended) / 1_000;
      expect(delay).toBeGreaterThan(seconds * 0.9 - 0.1);
      // Counted from when the outcome is recorded: less than the next delay of the schedule.
      expect(delay).toBeLessThan(seconds * 1.1 + 30);
      await hurry(made['delivery_id'] as string);
    }
    const last = await attempt(where, 5);
    expect(last).toMatchObject({
      attempt: 5,
      success: false,
      delivery_state: 'failed',
      next_attempt_at: null,
    });
    expect(where.receiver.requests).toHaveLength(5);

    where.receiver.defaultResponder = respondWithStatus(200);
    const headers = bearerHeader(where.tenant.secretKey);
    const dead = last['delivery_id'] as string;
    const answer = await instance.request('POST', `/v1/webhooks/deliveries/${dead}/redeliver`, { headers });
    expect(answer).toMatchObject({ status: 202, body: { success: true, data: { redelivery_of: dead } } });
    expect(await attempt(where, 6)).toMatchObject({
      delivery_id: answer.body.data.id,
      attempt: 1,
      success: true,
      delivery_state: 'succeeded',
    });
    const old = await instance.request('GET', `/v1/webhooks/deliveries/${dead}`, { headers });
    expect(old.body.data).toMatchObject({ state: 'failed', resolution: 'redelivered' });
    expect(new Set(where.receiver.requests.map(({ event }) => event.id)).size).toBe(1);
  });
});

/** Method and path of the routes that take a secret key, with a body that they take. */
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

describe('§5: the routes of secret keys', () => {
  const ask = (
    [method, route, bodyOf]: (typeof secretRoutes)[number],
    headers: Record<string, string>,
    query = '',
  ) =>
    instance.request(method, route.replace('PROJECT', instance.credentials.projectId) + query, {
      body: bodyOf(),
      headers,
    });

  it('take a secret key as Authorization: Bearer and as x-api-key alike, and say X-Request-Id and Cache-Control: no-store', async () => {
    const { secretKey } = instance.credentials;
    const wrong = await runInChunks(secretRoutes, async (each) => {
      const [method, route] = each;
      const [first, second] = [
        await ask(each, bearerHeader(secretKey)),
        await ask(each, { 'x-api-key': secretKey }),
      ];
      const { headers } = first;
      const found = [first.status, second.status, headers.get('cache-control'), headers.has('x-request-id')];
      const code = method === 'POST' && !route.includes('billing') ? 201 : 200;
      const isAlike = isDeepStrictEqual(fieldsOf(first.body), fieldsOf(second.body));
      return isAlike && isDeepStrictEqual(found, [code, code, 'no-store', true])
        ? []
        : [{ method, route, found }];
    });
    expect(wrong).toEqual([]);
  });

  it('answer 401 without a secret key, and do not look for one in the query; 403 to a key of the other type or in the header of the other', async () => {
    const { secretKey, publishableKey } = instance.credentials;
    const missing = '401 invalid_api_key Bearer';
    const ofOtherType = '403 wrong_credential_type null';
    const cases: [headers: Record<string, string>, expected: string, query?: string][] = [
      [{}, missing],
      [bearerHeader('sk_none'), missing],
      [{ 'x-api-key': 'nonsense' }, missing],
      [{ authorization: secretKey }, missing],
      [{}, missing, `?api_key=${secretKey}`],
      [{ 'x-publishable-key': publishableKey }, ofOtherType],
      [{ 'x-publishable-key': secretKey }, ofOtherType],
      [bearerHeader(publishableKey), ofOtherType],
    ];
    const wrong = await runInChunks(secretRoutes, async (each) => {
      const answers = await Promise.all(cases.map(([headers, , query]) => ask(each, headers, query)));
      return answers.flatMap(({ status: code, body, headers }, index) => {
        const found = `${code} ${body.code} ${headers.get('www-authenticate')}`;
        return found === cases[index]![1] ? [] : [{ route: each[1], case: cases[index], found }];
      });
    });
    expect(wrong).toEqual([]);
  });
});

describe('§7: errors', () => {
  it.each([
    ['/api/v1/projects/nonsense', {}],
    ['/v1/webhooks/deliveries/nonsense', { success: false }],
  ])('%s answers with a problem document', async (path, more) => {
    const answer = await instance.requestWithSecretKey('GET', path);
    expect(answer.status).toBe(404);
    expect(answer.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
    expect(answer.body).toEqual({
      ...more,
      type: `${instance.baseUrl}/docs/errors#not_found`,
      title: text,
      status: 404,
      detail: text,
      code: 'not_found',
      requestId: answer.headers.get('x-request-id'),
    });
  });
});

describe('§9: versions', () => {
  it('no path but those of the delivery history is without the prefix /api/v1', async () => {
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
      // Not by way of instance.request, which knows the paths that there are.
      const headers = bearerHeader(instance.credentials.secretKey);
      const response = await fetch(instance.baseUrl + path, { method, headers });
      const { code } = (await response.json()) as { code: string };
      if (response.status !== 404 || code !== 'not_found') found.push([method, path, response.status, code]);
    }
    expect(found).toEqual([]);
  });
});
