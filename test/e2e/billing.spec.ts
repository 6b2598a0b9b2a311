import { randomUUID } from 'node:crypto';
import { eventually } from '../support/eventually.js';
import { Keyring } from '../support/platform.js';
import { openPortal, RETURN_URL } from '../support/stripe-stub.js';
import { TestInstance, type TestResponse } from '../support/test-instance.js';
import { insertKey, insertOrganization } from '../support/tenants.js';

let instance: TestInstance;
beforeAll(async () => (instance = await TestInstance.startShared({ workers: 0 })));
afterAll(async () => instance?.stop());

const open = (key: string, body: object = {}): Promise<TestResponse> => openPortal(instance, key, body);
const openWithSecretKey = (body: object): Promise<TestResponse> => open(instance.credentials.secretKey, body);

/** Loads the page to which a response links. */
const follow = async ({ body }: TestResponse): Promise<TestResponse> => {
  const { pathname, search } = new URL(body.url as string);
  return instance.request('GET', pathname + search);
};

describe('the billing portal without Stripe', () => {
  it('LG-02: displays the plan with a link to the returnUrl, and keeps its token out of the log', async () => {
    const returnUrl = `${RETURN_URL}?tab=plan&from=%22`;
    await instance.sql('UPDATE organizations SET name = $1', ['<b>"x"</b>']);
    const startedAt = Date.now();
    const response = await openWithSecretKey({ returnUrl });
    expect(response).toMatchObject({ status: 200, body: { url: expect.any(String) } });
    expect(Object.keys(response.body as object).sort()).toEqual(['expiresAt', 'url']);
    expect(response.body.url).toMatch(new RegExp(`^${instance.baseUrl}/billing-portal\\?token=`));
    const lifetime = 30 * 60_000;
    const expiresAt = Date.parse(response.body.expiresAt as string);
    expect(expiresAt).toBeGreaterThanOrEqual(startedAt + lifetime);
    expect(expiresAt).toBeLessThanOrEqual(Date.now() + lifetime);
    const page = await follow(response);
    expect(page.status).toBe(200);
    expect(page.body).not.toContain('<b>');
    expect(page.body).toContain('&#60;b&#62;');
    expect(page.body).toContain('Self-hosted: everything included');
    expect(page.body).toContain(`href="${returnUrl.replace('&', '&#38;')}"`);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(page.headers.get('referrer-policy')).toBe('no-referrer');
    await eventually('the log message', () =>
      instance.api.log.some(({ route }) => route === '/billing-portal'),
    );
    expect(instance.api.output).not.toContain(new URL(response.body.url as string).searchParams.get('token'));
  });

  it('rejects an expired, modified or malformed token', async () => {
    const { body } = await openWithSecretKey({ returnUrl: RETURN_URL });
    const token = new URL(body.url as string).searchParams.get('token')!;
    const [payload, mac] = token.split('.') as [string, string];
    const show = (text: string) => instance.request('GET', `/billing-portal?token=${text}`);
    const modified = Buffer.from(
      Buffer.from(payload, 'base64url').toString().replace('app.example.com', 'evil.example'),
    ).toString('base64url');
    for (const invalid of [
      '',
      'x',
      payload,
      `${payload}.`,
      `${payload}.${mac.slice(0, 8)}`,
      `${payload}.${mac}.x`,
      `${payload}.${mac}=`,
      `${modified}.${mac}`,
    ]) {
      const page = await show(invalid);
      expect([invalid, page.status]).toEqual([invalid, 400]);
      expect(page.body).toContain('This link is not valid');
      expect(page.body).not.toContain('href');
    }
    const [id, url] = JSON.parse(Buffer.from(payload, 'base64url').toString()) as [string, string];
    const expired = Buffer.from(JSON.stringify([id, url, Date.now() - 1])).toString('base64url');
    const keyring = new Keyring([instance.env['GATEHOUSE_SECRET']!]);
    const page = await show(`${expired}.${keyring.mac('billing-portal', expired).toString('base64url')}`);
    expect(page.status).toBe(400);
    expect(page.body).toContain('This link has expired');
    expect(page.body).toContain(`href="${RETURN_URL}"`);
  });
});

describe('the returnUrl of the billing portal (IN-10)', () => {
  it('accepts only an absolute https URL, and reports the field otherwise', async () => {
    const cases = [
      ['//app.example.com/billing', 'invalid'],
      ['javascript:alert(1)', 'invalid'],
      ['data:text/html,x', 'invalid'],
      ['https://app.example.com\\@evil.example/', 'invalid'],
      ['https://ada:secret@app.example.com/', 'invalid'],
      ['https://app.example.com/\r\nx', 'invalid'],
      [7, 'invalid_type'],
      [undefined, 'required'],
    ] as const;
    for (const [returnUrl, code] of cases) {
      const body = { errors: [{ field: 'returnUrl', code }] };
      expect([returnUrl, await openWithSecretKey({ returnUrl })]).toMatchObject([
        returnUrl,
        { status: 400, body },
      ]);
    }
  });

  it('accepts only listed origins, or any origin if none are listed', async () => {
    const { organizationId, secretKey } = await insertOrganization(instance);
    const otherUrls = ['https://other.example/', 'https://app.example.com:8443/', 'http://localhost/'];
    for (const returnUrl of otherUrls) expect((await open(secretKey, { returnUrl })).status).toBe(200);
    await instance.sql('UPDATE organizations SET billing_return_origins = $2 WHERE id = $1', [
      organizationId,
      ['https://app.example.com'],
    ]);
    expect((await open(secretKey)).status).toBe(200);
    for (const returnUrl of otherUrls) {
      expect(await open(secretKey, { returnUrl })).toMatchObject({
        status: 400,
        body: { code: 'validation_failed', errors: [{ field: 'returnUrl', code: 'not_allowed' }] },
      });
    }
  });
});

it('AK-04, AK-06: a key opens the portal for its organization and for those it has created', async () => {
  const { organizationId, projectId, secretKey, projectSecretKey } = instance.credentials;
  const child = await insertOrganization(instance);
  const otherOrganization = await insertOrganization(instance);
  await instance.sql('UPDATE organizations SET parent_id = $2 WHERE id = $1', [
    child.organizationId,
    organizationId,
  ]);
  expect((await open(projectSecretKey)).status).toBe(200);
  expect((await open(projectSecretKey, { organizationId })).status).toBe(200);
  const opened = await open(secretKey, { organizationId: child.organizationId });
  expect((await follow(opened)).body).toContain(`org-${child.organizationId}`);
  expect(await open(projectSecretKey, { organizationId: child.organizationId })).toMatchObject({
    status: 403,
    body: { code: 'insufficient_access', requiredAccess: 'organization' },
  });
  expect((await open(child.secretKey, { organizationId })).status).toBe(404);
  const foreign = await open(secretKey, { organizationId: otherOrganization.organizationId });
  const missing = await open(secretKey, { organizationId: randomUUID() });
  expect(foreign.status).toBe(404);
  expect({ ...foreign.body, requestId: '' }).toEqual({ ...missing.body, requestId: '' });
  expect((await open(secretKey, { organizationId: 'x' })).body).toMatchObject({
    errors: [{ field: 'organizationId' }],
  });
  const scopes = ['project:read'];
  const readOnlyKey = await insertKey(instance, { organizationId, projectId, type: 'secret', scopes });
  expect(await open(readOnlyKey)).toMatchObject({ status: 403, body: { requiredScopes: ['billing:write'] } });
});
