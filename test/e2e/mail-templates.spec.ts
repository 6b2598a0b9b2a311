import { checkCases } from '../support/check-cases.js';
import { withSettings } from '../support/customers.js';
import { inviteOperator, signIn } from '../support/operator-client.js';
import { bearerHeader, PASSWORD, TestInstance, type TestResponse } from '../support/test-instance.js';
import { insertKey, insertOrganization, insertProject, type Tenant } from '../support/tenants.js';
import { uniqueEmail } from '../support/unique-email.js';

let instance: TestInstance;
beforeAll(async () => (instance = await TestInstance.startShared({ workers: 0 })));
afterAll(async () => instance?.stop());

const kinds = [
  'accept-invite',
  'already-registered',
  'change-email-current',
  'change-email-new',
  'email-code',
  'factor-added',
  'factor-removed',
  'identity-linked',
  'identity-unlinked',
  'passkey-added',
  'passkey-removed',
  'password-changed',
  'password-closed',
  'reauthentication-code',
  'recovery-code-used',
  'reset-password',
  'verify-email',
];

/** A project with a key that can change its templates. */
interface Owner extends Tenant {
  key: string;
  send: (method: string, path?: string, body?: object) => Promise<TestResponse>;
}

const createOwner = async (): Promise<Owner> => {
  const tenant = await insertOrganization(instance);
  const key = await insertKey(instance, { ...tenant, type: 'secret', access: 'organization' });
  const base = `/api/v1/projects/${tenant.projectId}/mail-templates`;
  const send: Owner['send'] = (method, path = '', body) =>
    instance.requestWithBearer(key, method, base + path, body);
  return { ...tenant, key, send };
};

/** Registers a customer in the project and returns the newest email to them. */
const registerIn = async ({ publishableKey, key }: Owner, locale: string): Promise<Record<string, any>> => {
  const email = uniqueEmail();
  const response = await instance.request('POST', '/api/v1/auth/register', {
    body: { email, password: PASSWORD, locale },
    headers: { 'x-publishable-key': publishableKey },
  });
  expect(response.status).toBe(201);
  const headers = bearerHeader(key);
  return (await instance.request('GET', `/api/v1/mailbox?email=${email}`, { headers })).body.data[0];
};

const french = {
  subject: 'Bonjour de {{project_name}}',
  heading: 'Bienvenue',
  paragraphs: ['Confirmez {{email}}.', 'Merci !'],
  button: 'Confirmer',
  linkLabel: 'Ou ouvrez ce lien :',
  closing: ['Valable {{link_validity}}.'],
};

describe('an email template of a project', () => {
  it('defaults to the built-in template for every kind in English and German, in pages', async () => {
    const { send } = await createOwner();
    const all = (await send('GET')).body;
    const names = all.data.map(({ kind, language }: Record<string, string>) => `${kind} ${language}`);
    expect(names).toEqual(kinds.flatMap((kind) => [`${kind} de`, `${kind} en`]));
    expect(all).toMatchObject({ hasMore: false, nextCursor: null });
    const paged = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const { body } = await send('GET', `?limit=5${cursor && `&cursor=${cursor}`}`);
      paged.push(...body.data);
      cursor = body.nextCursor;
    }
    expect(paged).toEqual(all.data);
    expect((await send('GET', '/verify-email/DE')).body).toEqual({
      ...all.data.at(-2),
      customized: false,
      subject: 'Bestätigen Sie Ihre E-Mail-Adresse für {{project_name}}',
      variables: ['project_name', 'email', 'link_validity', 'time'],
      updatedAt: null,
    });
    const other = await createOwner();
    const { nextCursor } = (await send('GET', '?limit=5')).body;
    expect(await other.send('GET', `?cursor=${nextCursor}`)).toMatchObject({
      status: 400,
      body: { code: 'invalid_cursor' },
    });
  });

  it('applies changed fields to new emails only, and can be reset to the built-in template', async () => {
    const owner = await createOwner();
    const builtIn = (await owner.send('GET', '/verify-email/de')).body;
    expect((await owner.send('PATCH', '/verify-email/de', {})).body).toEqual(builtIn);
    const changes = { subject: 'Hallo {{ email }}', closing: [] };
    const { status, body } = await owner.send('PATCH', '/verify-email/de', changes);
    expect(status).toBe(200);
    const updatedAt = expect.stringMatching(/Z$/);
    expect(body).toEqual({ ...builtIn, ...changes, customized: true, updatedAt });
    const mail = await registerIn(owner, 'de-AT');
    expect(mail['subject']).toBe(`Hallo ${mail['to']}`);
    expect(mail['text']).not.toContain('24 Stunden');
    expect((await registerIn(owner, 'en'))['subject']).toMatch(/^Confirm your email address/);

    const reset = await owner.send('PATCH', '/verify-email/de', { closing: null });
    expect(reset.body).toMatchObject({ subject: changes.subject, closing: builtIn.closing });
    expect((await owner.send('DELETE', '/verify-email/de')).status).toBe(204);
    expect((await owner.send('GET', '/verify-email/de')).body).toEqual(builtIn);
    expect((await owner.send('DELETE', '/verify-email/de')).status).toBe(404);
    const stored = `/api/v1/mailbox?email=${mail['to']}`;
    expect((await instance.requestWithBearer(owner.key, 'GET', stored)).body.data).toEqual([mail]);

    const entries = await instance.requestWithBearer(owner.key, 'GET', '/api/v1/audit-log?action=project.*');
    const details = { kind: 'verify-email', language: 'de' };
    expect(
      entries.body.data.map((entry: Record<string, any>) => [entry['action'], entry['details']]),
    ).toEqual([
      ['project.mail_template_deleted', details],
      [
        'project.mail_template_updated',
        { ...details, changed: ['closing'], changes: { closing: { from: [], to: builtIn.closing } } },
      ],
      [
        'project.mail_template_updated',
        {
          ...details,
          changed: ['subject', 'closing'],
          changes: {
            subject: { from: builtIn.subject, to: 'Hallo {{ email }}' },
            closing: { from: builtIn.closing, to: [] },
          },
        },
      ],
    ]);
  });

  it('supports other languages, at most 20', async () => {
    const owner = await createOwner();
    expect((await owner.send('GET', '/verify-email/fr')).status).toBe(404);
    const incomplete = await owner.send('PATCH', '/verify-email/fr', { subject: 'Bonjour' });
    expect(incomplete.body.errors).toEqual(
      ['heading', 'paragraphs', 'button', 'linkLabel', 'closing'].map((field) =>
        expect.objectContaining({ field, code: 'required' }),
      ),
    );
    expect((await owner.send('PATCH', '/verify-email/fr', french)).status).toBe(200);
    const mail = await registerIn(owner, 'fr-CA');
    expect(mail).toMatchObject({ subject: expect.stringMatching(/^Bonjour de project-/) });
    // A no-break space separates the number and the unit.
    expect(mail['text'].split('\n\n').slice(1)).toEqual([
      'Merci !',
      mail['link'],
      expect.stringMatching(/^Valable 24\sheures\.\n$/),
    ]);
    expect(mail['html']).toContain('Ou ouvrez ce lien :<br>');
    expect(mail['html']).toContain('<html lang="fr">');
    for (const letter of 'abcdefghijklmnopqrs')
      expect((await owner.send('PATCH', `/verify-email/x${letter}`, french)).status).toBe(200);
    const tooMany = await owner.send('PATCH', '/reset-password/xz', french);
    expect(tooMany).toMatchObject({ status: 409, body: { code: 'conflict' } });
    for (const path of ['/reset-password/xa', '/reset-password/de'])
      expect((await owner.send('PATCH', path, french)).status).toBe(200);
  });

  it('rejects unknown variables, line breaks and a button without a link, and reports the field', async () => {
    const { send } = await createOwner();
    const cases: [field: string, value: unknown, code: string, kind?: string][] = [
      ['subject', 'Your {{token}}', 'unknown_variable'],
      ['heading', '{{constructor}}', 'unknown_variable'],
      ['button', '{{email', 'unknown_variable'],
      ['paragraphs', ['{{#each customers}}{{email}}'], 'unknown_variable'],
      ['closing', ['ok', '{{new_email}}'], 'unknown_variable'],
      ['paragraphs', ['Valid for {{link_validity}}'], 'unknown_variable', 'password-changed'],
      ['paragraphs', ['Enter the code.'], 'required', 'email-code'],
      ['button', 'Open', 'not_allowed', 'password-changed'],
      ['linkLabel', 'Open', 'not_allowed', 'already-registered'],
      ['subject', 'Hello\r\nBcc: eve@example.com', 'invalid'],
      ['subject', 'Hello\u2028there', 'invalid'],
      ['subject', ' ', 'invalid'],
      ['heading', 'x'.repeat(201), 'invalid'],
      ['paragraphs', [], 'too_short'],
      ['paragraphs', Array.from({ length: 11 }, () => 'x'), 'too_long'],
      ['paragraphs', ['one\n\ntwo'], 'invalid'],
      ['html', '<b>', 'unknown_field'],
    ];
    await checkCases(
      cases.map((each) => [JSON.stringify(each).slice(0, 80), ...each] as const),
      async (field, value, code, kind = 'verify-email') => {
        const response = await send('PATCH', `/${kind}/en`, { [field]: value });
        expect(response).toMatchObject({ status: 400, body: { errors: [{ field, code }] } });
      },
    );
    const { errors } = (await send('PATCH', '/verify-email/en', { subject: 'Your {{token}}' })).body;
    expect(errors[0].message).toContain('{{token}}');
    expect((await send('GET', '/verify-email/en')).body.customized).toBe(false);
    for (const path of ['/test/en', '/operator-invitation/en', '/verify-email/de_AT', '/toString/en'])
      expect([path, (await send('GET', path)).status]).toEqual([path, 404]);
  });

  it('never omits the link, and inserts every value as text instead of HTML', async () => {
    const owner = await createOwner();
    await instance.sql('UPDATE projects SET name = $1 WHERE id = $2', ['<b>{{email}}</b>', owner.projectId]);
    const text = { heading: '<script>alert(1)</script>', paragraphs: ['{{project_name}}'], closing: [] };
    expect((await owner.send('PATCH', '/verify-email/en', text)).status).toBe(200);
    const { text: plain, html, link } = await registerIn(owner, 'en');
    expect(plain).toBe(`<b>{{email}}</b>\n\n${link}\n`);
    expect(html).not.toMatch(/<script|<b>/);
    expect(html.split(`href="${link}"`)).toHaveLength(3);
  });

  it('appears with sample values in a preview, which saves nothing', async () => {
    const { send } = await createOwner();
    const { status, body } = await send('POST', '/change-email-current/de/preview', {
      paragraphs: ['{{email}} → {{new_email}} <i>'],
    });
    expect([status, Object.keys(body)]).toEqual([200, ['subject', 'text', 'html']]);
    expect(body.text).toContain('ada@example.com → new@example.com <i>');
    expect(body.html).toContain('ada@example.com → new@example.com &#60;i&#62;');
    expect(body.text).toContain('Der Link ist 24 Stunden gültig');
    expect((await send('GET', '/change-email-current/de')).body.customized).toBe(false);
    const invalid = await send('POST', '/change-email-current/de/preview', { heading: '{{x}}' });
    expect(invalid).toMatchObject({ status: 400, body: { errors: [{ field: 'heading' }] } });
  });

  it('can be read but not changed by a project key, and cannot be changed in an archived project', async () => {
    const { secretKey, projectId, organizationId, send } = await createOwner();
    const path = `/api/v1/projects/${projectId}/mail-templates/verify-email/en`;
    const request = (method: string, body?: object, more = '') =>
      instance.requestWithBearer(secretKey, method, path + more, body);
    expect((await request('GET')).status).toBe(200);
    for (const [method, more] of [['PATCH'], ['DELETE'], ['POST', '/preview']] as const) {
      const response = await request(method, method === 'DELETE' ? undefined : { subject: 'x' }, more);
      expect(response).toMatchObject({ status: 403, body: { code: 'insufficient_access' } });
    }
    await send('PATCH', '/verify-email/en', { subject: 'x' });
    await instance.sql('UPDATE projects SET archived_at = now() WHERE id = $1', [projectId]);
    // An archived project's keys are rejected.
    const other = await insertProject(instance, organizationId);
    const key = await insertKey(instance, { ...other, type: 'secret', access: 'organization' });
    for (const [method, body] of [['PATCH', { subject: 'y' }], ['DELETE']] as const)
      expect((await instance.requestWithBearer(key, method, path, body)).body.code).toBe('project_archived');
    expect((await instance.requestWithBearer(key, 'GET', path)).body.subject).toBe('x');
  });
});

describe('a test email for a template', () => {
  it('reaches the admin with the unsaved text and an invalid link, and is audited', async () => {
    const admin = await signIn(instance);
    const { projectId, organizationId } = instance.credentials;
    const path = `/projects/${projectId}/mail-templates/reset-password/de`;
    const sent = await admin.request('POST', `${path}/test`, { subject: 'Entwurf für {{email}}' });
    expect(sent).toMatchObject({ status: 202, body: {} });
    const [mail] = await instance.listMails(admin.operator.email, 'reset-password');
    expect(mail).toMatchObject({ subject: `Entwurf für ${admin.operator.email}` });
    expect((await admin.request('GET', path)).body.customized).toBe(false);
    const [entry] = (await admin.request('GET', '/audit-log?action=mail.tested&limit=1')).body.data;
    expect(entry).toMatchObject({
      targetId: mail!['id'],
      organizationId,
      projectId,
      actorId: admin.operator.id,
      details: { kind: 'reset-password', language: 'de' },
    });
    const { pathname, search } = new URL(mail!['link'] as string);
    expect((await instance.request('GET', pathname + search)).status).toBe(400);
  });

  it('returns 403 to other roles', async () => {
    const operator = await inviteOperator(await signIn(instance), 'operator');
    const path = `/projects/${instance.credentials.projectId}/mail-templates/verify-email/en`;
    for (const each of ['/test', '/preview'])
      expect((await operator.request('POST', path + each, {})).status).toBe(403);
    expect((await operator.request('GET', path)).status).toBe(200);
  });
});

describe('the language of an email', () => {
  /** Sends a request with the publishable key and an `Accept-Language` value. */
  const post = (path: string, body: object, accepted?: string) =>
    instance.request('POST', `/api/v1/auth/${path}`, {
      body,
      headers: {
        'x-publishable-key': instance.credentials.publishableKey,
        ...(accepted === undefined ? {} : { 'accept-language': accepted }),
      },
    });
  const register = async (locale?: string, accepted?: string): Promise<string> => {
    const email = uniqueEmail();
    expect((await post('register', { email, password: PASSWORD, locale }, accepted)).status).toBe(201);
    return email;
  };
  /** Returns the language that the HTML of the newest email of a kind declares. */
  const languageOf = async (email: string, kind: string): Promise<string> => {
    const [mail] = await instance.listMails(email, kind);
    return /<html lang="([^"]*)">/.exec(mail!['html'] as string)![1]!;
  };
  const checkLanguages = (cases: [locale: string | undefined, accepted: string, expected: string][]) =>
    checkCases(
      cases.map(([locale, ...rest]) => [`${locale}, ${rest[0]}`, locale, ...rest] as const),
      async (locale, accepted, expected) =>
        expect(await languageOf(await register(locale, accepted), 'verify-email')).toBe(expected),
    );

  it("depends on the customer, then the request, then the project's default, then English", async () => {
    const hostile = `,;q=,*, de_AT, "><script>, ${'x'.repeat(2_000)}`;
    await checkLanguages([
      ['de-AT', 'en', 'de'],
      ['fr', 'de', 'en'],
      [undefined, 'fr, de-CH;q=0.8, en;q=0.1', 'de'],
      [undefined, hostile, 'en'],
    ]);
    await withSettings(instance, { defaultLocale: 'DE-ch' }, () =>
      checkLanguages([
        ['fr', 'en', 'de'],
        [undefined, 'fr', 'de'],
        [undefined, 'en', 'en'],
      ]),
    );
  });

  it('follows Accept-Language until the customer has a locale, and does not set that locale', async () => {
    const email = await register(undefined, 'de');
    const { accessToken } = (await instance.login(email)).body.tokens;
    const me = (method: string, body?: object) =>
      instance.requestWithAccessToken(accessToken, method, '/api/v1/me', body);
    expect((await me('GET')).body.locale).toBeNull();
    await post('forgot-password', { email }, 'en');
    expect(await languageOf(email, 'reset-password')).toBe('en');
    expect((await me('PATCH', { locale: 'de' })).status).toBe(200);
    const passwords = { currentPassword: PASSWORD, newPassword: 'quite another phrase' };
    await instance.requestWithAccessToken(accessToken, 'POST', '/api/v1/me/password', passwords);
    expect(await languageOf(email, 'password-changed')).toBe('de');
  });

  it('does not depend on the operator who sends it', async () => {
    const admin = await signIn(instance);
    const email = uniqueEmail();
    const { body } = await instance.requestWithSecretKey('POST', '/api/v1/customers', { email });
    const path = `/customers/${body.id}/resend-invitation`;
    expect((await admin.request('POST', path, undefined, { 'accept-language': 'de' })).status).toBe(202);
    expect(await languageOf(email, 'accept-invite')).toBe('en');
  });
});
