import { randomUUID } from 'node:crypto';
import { Keyring } from '#platform';
import { TestInstance, type Answer } from '../support/test-instance.js';
import { insertKey, insertOrganization } from '../support/tenants.js';

const PATH = '/api/v1/billing/portal';
const RETURN = 'https://app.example.com/billing';

let plain: TestInstance;
beforeAll(async () => (plain = await TestInstance.shared({ workers: 0 })));
afterAll(async () => plain?.stop());

const bearer = (key: string): Record<string, string> => ({ authorization: `Bearer ${key}` });
const open = (where: TestInstance, key: string, body: unknown = { returnUrl: RETURN }): Promise<Answer> =>
  where.request('POST', PATH, { body, headers: bearer(key) });

/** An organization of its own, with a key. */
const newcomer = async (where: TestInstance): Promise<{ organizationId: string; key: string }> => {
  const { organizationId, secretKey } = await insertOrganization(where);
  return { organizationId, key: secretKey };
};

/** The page behind an answer. */
const follow = async ({ body }: Answer): Promise<Answer> => {
  const { pathname, search } = new URL(body.url as string);
  return plain.request('GET', pathname + search);
};

describe('the billing portal without Stripe', () => {
  const server = (body: unknown): Promise<Answer> => plain.server('POST', PATH, body);

  it('is a page that shows the plan and leads back', async () => {
    const returnUrl = `${RETURN}?tab=plan&from=%22`;
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
    const [{ name }] = (await plain.sql<{ name: string }>('SELECT name FROM organizations LIMIT 1')) as [
      { name: string },
    ];
    expect(page.status).toBe(200);
    expect(page.body).toContain(name);
    expect(page.body).toContain('Self-hosted: everything included');
    expect(page.body).toContain(`href="${returnUrl.replace('&', '&#38;')}"`);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(page.headers.get('referrer-policy')).toBe('no-referrer');
  });

  it('shows a name that is markup as text', async () => {
    const { organizationId, key } = await newcomer(plain);
    await plain.sql('UPDATE organizations SET name = $2 WHERE id = $1', [organizationId, '<b>"x"</b>']);
    const page = await follow(await open(plain, key));
    expect(page.body).not.toContain('<b>');
    expect(page.body).toContain('&#60;b&#62;');
  });

  it('a token that ended, was changed or is none opens nothing', async () => {
    const { body } = await server({ returnUrl: RETURN });
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
      expect(page.body).toContain('This link does not work');
      expect(page.body).not.toContain('href');
    }
    const [id, url] = JSON.parse(Buffer.from(said, 'base64url').toString()) as [string, string];
    const late = Buffer.from(JSON.stringify([id, url, Date.now() - 1])).toString('base64url');
    const keyring = new Keyring([plain.env['GATEHOUSE_SECRET']!]);
    const page = await show(`${late}.${keyring.mac('billing-portal', late).toString('base64url')}`);
    expect(page.status).toBe(400);
    expect(page.body).toContain('This link has expired');
    expect(page.body).toContain(`href="${RETURN}"`);
  });

  it('with an Idempotency-Key answers the same URL again', async () => {
    const headers = { ...bearer(plain.credentials.secretKey), 'idempotency-key': randomUUID() };
    const [first, second] = [
      await plain.request('POST', PATH, { body: { returnUrl: RETURN }, headers }),
      await plain.request('POST', PATH, { body: { returnUrl: RETURN }, headers }),
    ];
    expect(second).toMatchObject({ status: 200, body: first.body });
    expect(second.headers.get('idempotent-replayed')).toBe('true');
  });

  it('never logs its URL (LG-02)', async () => {
    const { body } = await server({ returnUrl: RETURN });
    await follow({ body } as Answer);
    expect(plain.api.output).toContain('"route":"/billing-portal"');
    expect(plain.api.output).not.toContain(new URL(body.url as string).searchParams.get('token'));
  });
});

describe('where the billing portal leads back to (IN-10)', () => {
  it('is an absolute https URL without credentials, or http on loopback', async () => {
    const cases: [returnUrl: unknown, code: string | null][] = [
      ['', 'invalid'],
      ['/billing', 'invalid'],
      ['//app.example.com/billing', 'invalid'],
      ['http://app.example.com/billing', 'invalid'],
      ['javascript:alert(1)', 'invalid'],
      ['data:text/html,x', 'invalid'],
      ['https://app.example.com\\@evil.example/', 'invalid'],
      ['https://ada:secret@app.example.com/', 'invalid'],
      ['https://app.example.com/\r\nx', 'invalid'],
      ['https://app.example.com/\u0000', null],
      [7, 'invalid_type'],
      [null, 'invalid_type'],
      [undefined, 'required'],
    ];
    const answers = await Promise.all(
      cases.map(async ([returnUrl, code]) => ({
        returnUrl,
        code,
        answer: await plain.server('POST', PATH, { returnUrl }),
      })),
    );
    const faults = answers.filter(({ code, answer: { status, body } }) => {
      const [error] = (body.errors ?? []) as { field: string; code: string }[];
      const isNamed =
        code === null ? body.code === 'invalid_json' : error?.field === 'returnUrl' && error.code === code;
      return status !== 400 || !isNamed;
    });
    expect(faults).toEqual([]);
  });

  it('is anywhere without a list, and an origin of the list with one', async () => {
    const { organizationId, key } = await newcomer(plain);
    const statusOf = async (returnUrl: string) => (await open(plain, key, { returnUrl })).status;
    expect(await statusOf('http://localhost:5173/billing')).toBe(200);
    expect(await statusOf('https://other.example/')).toBe(200);
    await plain.sql('UPDATE organizations SET billing_return_origins = $2 WHERE id = $1', [
      organizationId,
      ['https://app.example.com'],
    ]);
    expect(await statusOf(RETURN)).toBe(200);
    for (const returnUrl of [
      'https://other.example/',
      'https://app.example.com:8443/',
      'http://localhost/',
    ]) {
      expect(await open(plain, key, { returnUrl })).toMatchObject({
        status: 400,
        body: { code: 'validation_failed', errors: [{ field: 'returnUrl', code: 'not_allowed' }] },
      });
    }
  });
});

describe('whose billing portal a key opens (AK-04, AK-06)', () => {
  it('that of its own organization, and with organization access of those that it created', async () => {
    const { organizationId, projectId, secretKey, projectSecretKey } = plain.credentials;
    const child = await newcomer(plain);
    await plain.sql('UPDATE organizations SET parent_id = $2 WHERE id = $1', [
      child.organizationId,
      organizationId,
    ]);
    const of = (id: string) => ({ returnUrl: RETURN, organizationId: id });
    const answers = [
      await open(plain, projectSecretKey),
      await open(plain, projectSecretKey, of(organizationId)),
      await open(plain, secretKey, of(child.organizationId)),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const [{ name }] = (await plain.sql<{ name: string }>('SELECT name FROM organizations WHERE id = $1', [
      child.organizationId,
    ])) as [{ name: string }];
    expect((await follow(answers[2]!)).body).toContain(name);
    expect(await open(plain, projectSecretKey, of(child.organizationId))).toMatchObject({
      status: 403,
      body: { code: 'insufficient_access', requiredAccess: 'organization' },
    });
    expect((await open(plain, child.key, of(organizationId))).status).toBe(404);
    const scopeless = await insertKey(plain, {
      organizationId,
      projectId,
      type: 'secret',
      scopes: ['project:read'],
    });
    expect(await open(plain, scopeless)).toMatchObject({
      status: 403,
      body: { requiredScopes: ['billing:write'] },
    });
  });
});
