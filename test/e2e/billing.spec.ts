import { randomUUID } from 'node:crypto';
import { Keyring } from '@gatehouse/platform';
import { eventually } from '../support/eventually.js';
import { openPortal, RETURN_URL } from '../support/stripe-stub.js';
import { TestInstance, type TestResponse } from '../support/test-instance.js';
import { insertKey, insertOrganization } from '../support/tenants.js';

let plain: TestInstance;
beforeAll(async () => (plain = await TestInstance.startShared({ workers: 0 })));
afterAll(async () => plain?.stop());

const open = (key: string, body: object = {}): Promise<TestResponse> => openPortal(plain, key, body);
const server = (body: object): Promise<TestResponse> => open(plain.credentials.secretKey, body);

/** The page behind an answer. */
const follow = async ({ body }: TestResponse): Promise<TestResponse> => {
  const { pathname, search } = new URL(body.url as string);
  return plain.request('GET', pathname + search);
};

describe('the billing portal without Stripe', () => {
  it('LG-02: is a page that shows the plan and leads back, and never logs its URL', async () => {
    const returnUrl = `${RETURN_URL}?tab=plan&from=%22`;
    await plain.sql('UPDATE organizations SET name = $1', ['<b>"x"</b>']);
    const began = Date.now();
    const answer = await server({ returnUrl });
    expect(answer).toMatchObject({ status: 200, body: { url: expect.any(String) } });
    expect(Object.keys(answer.body as object).sort()).toEqual(['expiresAt', 'url']);
    expect(answer.body.url).toMatch(new RegExp(`^${plain.baseUrl}/billing-portal\\?token=`));
    const half = 30 * 60_000;
    const expiresAt = Date.parse(answer.body.expiresAt as string);
    expect(expiresAt).toBeGreaterThanOrEqual(began + half);
    expect(expiresAt).toBeLessThanOrEqual(Date.now() + half);
    const page = await follow(answer);
    expect(page.status).toBe(200);
    expect(page.body).not.toContain('<b>');
    expect(page.body).toContain('&#60;b&#62;');
    expect(page.body).toContain('Self-hosted: everything included');
    expect(page.body).toContain(`href="${returnUrl.replace('&', '&#38;')}"`);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(page.headers.get('referrer-policy')).toBe('no-referrer');
    await eventually('the log', () => plain.api.log.some(({ route }) => route === '/billing-portal'));
    expect(plain.api.output).not.toContain(new URL(answer.body.url as string).searchParams.get('token'));
  });

  it('a token that ended, was changed or is none opens nothing', async () => {
    const { body } = await server({ returnUrl: RETURN_URL });
    const token = new URL(body.url as string).searchParams.get('token')!;
    const [said, mac] = token.split('.') as [string, string];
    const show = (text: string) => plain.request('GET', `/billing-portal?token=${text}`);
    const elsewhere = Buffer.from(
      Buffer.from(said, 'base64url').toString().replace('app.example.com', 'evil.example'),
    ).toString('base64url');
    for (const faulty of [
      '',
      'x',
      said,
      `${said}.`,
      `${said}.${mac.slice(0, 8)}`,
      `${said}.${mac}.x`,
      `${elsewhere}.${mac}`,
    ]) {
      const page = await show(faulty);
      expect([faulty, page.status]).toEqual([faulty, 400]);
      expect(page.body).toContain('This link is not valid');
      expect(page.body).not.toContain('href');
    }
    const [id, url] = JSON.parse(Buffer.from(said, 'base64url').toString()) as [string, string];
    const late = Buffer.from(JSON.stringify([id, url, Date.now() - 1])).toString('base64url');
    const keyring = new Keyring([plain.env['GATEHOUSE_SECRET']!]);
    const page = await show(`${late}.${keyring.mac('billing-portal', late).toString('base64url')}`);
    expect(page.status).toBe(400);
    expect(page.body).toContain('This link has expired');
    expect(page.body).toContain(`href="${RETURN_URL}"`);
  });
});

describe('where the billing portal leads back to (IN-10)', () => {
  it('refuses what is no absolute https URL, by the name of the field', async () => {
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
      expect([returnUrl, await server({ returnUrl })]).toMatchObject([returnUrl, { status: 400, body }]);
    }
  });

  it('takes any origin without a list, and an origin of the list with one', async () => {
    const { organizationId, secretKey } = await insertOrganization(plain);
    const elsewhere = ['https://other.example/', 'https://app.example.com:8443/', 'http://localhost/'];
    for (const returnUrl of elsewhere) expect((await open(secretKey, { returnUrl })).status).toBe(200);
    await plain.sql('UPDATE organizations SET billing_return_origins = $2 WHERE id = $1', [
      organizationId,
      ['https://app.example.com'],
    ]);
    expect((await open(secretKey)).status).toBe(200);
    for (const returnUrl of elsewhere) {
      expect(await open(secretKey, { returnUrl })).toMatchObject({
        status: 400,
        body: { code: 'validation_failed', errors: [{ field: 'returnUrl', code: 'not_allowed' }] },
      });
    }
  });
});

it('AK-04, AK-06: a key opens the portal of its own organization, and with organization access of those that it created', async () => {
  const { organizationId, projectId, secretKey, projectSecretKey } = plain.credentials;
  const child = await insertOrganization(plain);
  const stranger = await insertOrganization(plain);
  await plain.sql('UPDATE organizations SET parent_id = $2 WHERE id = $1', [
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
  const theirs = await open(secretKey, { organizationId: stranger.organizationId });
  const missing = await open(secretKey, { organizationId: randomUUID() });
  expect(theirs.status).toBe(404);
  expect({ ...theirs.body, requestId: '' }).toEqual({ ...missing.body, requestId: '' });
  expect((await open(secretKey, { organizationId: 'x' })).body).toMatchObject({
    errors: [{ field: 'organizationId' }],
  });
  const scopes = ['project:read'];
  const scopeless = await insertKey(plain, { organizationId, projectId, type: 'secret', scopes });
  expect(await open(scopeless)).toMatchObject({ status: 403, body: { requiredScopes: ['billing:write'] } });
});
