import { inviteCustomer, registerCustomer } from '../support/customers.js';
import { receiveEmailLink, submitEmailLink } from '../support/email-codes.js';
import { TestInstance, type TestResponse } from '../support/test-instance.js';
import { uniqueEmail } from '../support/unique-email.js';

let instance: TestInstance;
beforeAll(async () => {
  instance = await TestInstance.startShared({ workers: 0 });
});
afterAll(async () => instance?.stop());
beforeEach(async () => {
  const settings = { signIn: { emailCode: true }, allowedOrigins: [ORIGIN], redirectUrls: [REDIRECT_URL] };
  expect(await patchSettings(settings)).toMatchObject({ status: 200, body: { settings } });
});
afterEach(() => patchSettings({ signIn: null, allowedOrigins: null, redirectUrls: null }));

/**
 * Patterns in the settings. libs/domain/src/projects/wildcard-url.spec.ts tests which ones are valid and what they
 * match.
 */
const ORIGIN = 'https://*.preview.example.com';
const REDIRECT_URL = `${ORIGIN}/callback`;

const patchSettings = (settings: object): Promise<TestResponse> =>
  instance.requestWithSecretKey('PATCH', `/api/v1/projects/${instance.credentials.projectId}`, { settings });

it('FE-01: a wildcard allows exactly the pages whose origins match it', async () => {
  const { email, tokens } = await registerCustomer(instance);
  const cases = [
    ['https://pr-1.preview.example.com', 200],
    ['https://a.b.preview.example.com', 403],
    ['https://preview.example.com', 403],
  ] as const;
  for (const [origin, status] of cases) {
    const headers = { origin, authorization: `Bearer ${tokens.accessToken}` };
    expect([origin, (await instance.request('GET', '/api/v1/me', { headers })).status]).toEqual([
      origin,
      status,
    ]);
    expect([origin, (await instance.login(email, undefined, { origin })).status]).toEqual([origin, status]);
  }
});

it('FE-01: a sign-in redirects to a URL that matches a wildcard while the project allows it', async () => {
  const redirectUrl = 'https://pr-1.preview.example.com/callback';
  for (const url of [REDIRECT_URL, `${redirectUrl}/`, 'https://a.b.preview.example.com/callback'])
    expect(await instance.register(undefined, { redirectUrl: url })).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'redirectUrl', code: 'not_allowed' }] },
    });
  expect((await instance.register(undefined, { redirectUrl })).status).toBe(201);

  const link = await receiveEmailLink(instance, uniqueEmail(), redirectUrl);
  const openPage = () => fetch(instance.baseUrl + link.path);
  const page = await openPage();
  expect(page.status).toBe(200);
  expect(page.headers.get('content-security-policy')).toContain(
    "; form-action 'self' https://pr-1.preview.example.com; ",
  );
  await patchSettings({ redirectUrls: ['https://*.staging.example.com/callback'] });
  expect((await openPage()).status).toBe(400);
  await patchSettings({ redirectUrls: [REDIRECT_URL] });
  const submitted = await submitEmailLink(link, instance.baseUrl);
  expect(submitted.headers.get('location')).toMatch(
    /^https:\/\/pr-1\.preview\.example\.com\/callback\?code=[\w-]+$/,
  );
});

it('FE-01: an email requested by a server contains the first redirect URL without a wildcard', async () => {
  const redirectUrls = [REDIRECT_URL, 'https://app.example.com/welcome'];
  for (const [urls, expected] of [
    [redirectUrls, redirectUrls[1]],
    [[REDIRECT_URL], null],
  ] as const) {
    await patchSettings({ redirectUrls: urls });
    const { id } = await inviteCustomer(instance);
    const path = `/api/v1/customers/${id}/invite`;
    expect((await instance.requestWithSecretKey('POST', path)).status).toBe(202);
    const tokens = await instance.sql('SELECT redirect_url FROM one_time_tokens WHERE customer_id = $1', [
      id,
    ]);
    expect(tokens).toEqual([{ redirect_url: expected }, { redirect_url: expected }]);
  }
});

it('FE-01: a wildcard redirect URL is accepted only in development and staging', async () => {
  const create = (environment: string, settings: object) =>
    instance.requestWithSecretKey('POST', '/api/v1/projects', { name: 'Wildcards', environment, settings });
  const redirectUrls = [REDIRECT_URL];
  const rejection = {
    status: 400,
    body: { code: 'validation_failed', errors: [{ field: 'settings.redirectUrls', code: 'invalid' }] },
  };
  expect((await create('staging', { redirectUrls })).status).toBe(201);
  expect(await create('production', { redirectUrls })).toMatchObject(rejection);
  const production = await create('production', { allowedOrigins: [ORIGIN] });
  expect(production).toMatchObject({ status: 201, body: { settings: { allowedOrigins: [ORIGIN] } } });
  const path = `/api/v1/projects/${production.body.id}`;
  const patch = (body: object) => instance.requestWithSecretKey('PATCH', path, body);
  expect(await patch({ settings: { redirectUrls } })).toMatchObject(rejection);
  expect((await patch({ environment: 'development', settings: { redirectUrls } })).status).toBe(400);
  expect((await instance.requestWithSecretKey('GET', path)).body.settings.redirectUrls).toEqual([]);
  expect(await patchSettings({ redirectUrls: ['https://*.github.io/callback'] })).toMatchObject(rejection);
});
