import { effectiveSettings, limitSettings, type LimitSetting } from '@gatehouse/domain';
import { checkCases } from '../support/check-cases.js';
import { eventually } from '../support/eventually.js';
import { withFirstVersion } from '../support/first-version.js';
import { TestInstance, PASSWORD } from '../support/test-instance.js';
import { Receiver } from '../support/receiver.js';
import { insertOrganization, insertProject } from '../support/tenants.js';
import { uniqueEmail } from '../support/unique-email.js';

const defaults = effectiveSettings({});

let instance: TestInstance;
let path: string;
beforeAll(async () => {
  instance = await TestInstance.startShared();
  path = `/api/v1/projects/${instance.credentials.projectId}`;
});
afterAll(async () => instance?.stop());
afterEach(async () => {
  await instance.sql(`UPDATE projects SET settings = '{}', name = 'My project'`);
});

const patch = (body: unknown) => instance.requestWithSecretKey('PATCH', path, body);
const getProject = async () => (await instance.requestWithSecretKey('GET', path)).body;
const patchSettings = async (settings: object) => {
  const response = await patch({ settings });
  expect(response).toMatchObject({ status: 200 });
  return response.body as { settings: typeof defaults; updatedAt: string };
};
const listUpdates = () =>
  instance.sql<{ body: string }>(`SELECT body FROM events WHERE type = 'project.updated' ORDER BY id`);

it("a project key can read the project's effective settings", async () => {
  const response = await instance.requestWithBearer(instance.credentials.projectSecretKey, 'GET', path);
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(response).toMatchObject({ status: 200, body: { name: 'My project', settings: defaults } });
});

it("other project keys in the organization can read only a project's identifying fields", async () => {
  const sibling = await insertProject(instance, instance.credentials.organizationId);
  await instance.sql('UPDATE projects SET archived_at = now() WHERE id = $1', [sibling.projectId]);
  const list = async (key: string) => {
    const { body } = await instance.requestWithBearer(key, 'GET', '/api/v1/projects?limit=200');
    const find = (id: string) => body.data.find((each: { id: string }) => each.id === id);
    return { own: find(instance.credentials.projectId), other: find(sibling.projectId) };
  };
  const [asProject, asOrganization] = [
    await list(instance.credentials.projectSecretKey),
    await list(instance.credentials.secretKey),
  ];
  expect(asOrganization.other).toMatchObject({ settings: defaults, archivedAt: expect.any(String) });
  const { id, name, slug, environment, ...hidden } = asOrganization.other;
  expect(asProject.other).toEqual({
    ...{ id, name, slug, environment },
    ...Object.fromEntries(Object.keys(hidden as object).map((field) => [field, null])),
  });
  expect(asProject.own).toEqual(asOrganization.own);
});

it("the organization that created a project's organization can access the project", async () => {
  const { organizationId, projectId } = await insertOrganization(instance);
  await instance.sql('UPDATE organizations SET parent_id = $1 WHERE id = $2', [
    instance.credentials.organizationId,
    organizationId,
  ]);
  const response = await instance.requestWithSecretKey('PATCH', `/api/v1/projects/${projectId}`, {
    name: 'Child',
  });
  expect(response).toMatchObject({ status: 200, body: { name: 'Child', organizationId } });
});

describe('a patch', () => {
  it('sets all settings, and returns them unchanged', async () => {
    const settings = {
      allowedOrigins: ['https://app.example.com', 'http://192.168.1.5:5173', 'http://[::1]:5173'],
      redirectUrls: ['https://app.example.com/welcome', 'com.example.app:/welcome', 'http://localhost:5173/'],
      verifyEmailUrl: 'https://app.example.com/verify',
      resetPasswordUrl: 'http://127.0.0.1:5173/reset?x=1#/route',
      acceptInviteUrl: 'com.example.app://invite',
      signIn: { password: false, emailCode: true, passkey: true, allowSignUp: false },
      legacySignIn: { url: 'https://old.example.com/sign-in' },
      testEmailCode: '424242',
      requireVerifiedEmail: true,
      enumerationProtection: true,
      accessTokenTtl: 60,
      refreshIdleTtl: 300,
      refreshAbsoluteTtl: 63_072_000,
      refreshGrace: 300,
      passkeys: {
        rpId: 'example.com',
        rpName: 'Bücher & Söhne',
        origins: ['https://app.example.com', 'https://example.de', `android:apk-key-hash:${'A'.repeat(43)}`],
      },
      mfa: 'optional',
      mfaGraceDays: 90,
      accessTokenClaims: ['plan', '_tier2'],
      signingAlgorithm: 'RS256',
      tokenSubject: 'externalId',
      passwordMinLength: 64,
      passwordHashing: 'portable',
      breachCheck: true,
      defaultLocale: 'de-AT',
      branding: {
        displayName: 'Bücher & Söhne',
        logoUrl: 'https://cdn.example.com/logo.svg',
        color: '#1D4ed8',
      },
      mail: { fromName: 'The shop', replyTo: 'help@example.com' },
      mailLimits: {
        signUp: 1,
        passwordReset: 2,
        emailChange: 3,
        invitation: 1_000_000,
        signIn: 4,
        perRecipient: 1_000,
      },
      limits: Object.fromEntries(Object.entries(limitSettings).map(([name, { max }]) => [name, max])),
    };
    const secret = `whsec_${Buffer.alloc(64).toString('base64')}`;
    const sent = { ...settings, legacySignIn: { ...settings.legacySignIn, secret } };
    const response = await patch({ name: 'Shop', settings: sent });
    expect(response).toMatchObject({ status: 200, body: { name: 'Shop' } });
    expect(response.body.settings).toEqual(settings);
    expect(await getProject()).toEqual(response.body);
  });

  it('RFC 7396: keeps omitted settings, and null restores the default, at every level', async () => {
    await patchSettings({
      accessTokenTtl: 600,
      passwordMinLength: 10,
      branding: { displayName: 'Shop', color: '#123456' },
      mail: { fromName: 'Shop', replyTo: '  Help@Example.COM ' },
    });
    const { settings } = await patchSettings({ accessTokenTtl: null, branding: { color: null } });
    expect(settings).toEqual({
      ...defaults,
      passwordMinLength: 10,
      branding: { ...defaults.branding, displayName: 'Shop' },
      mail: { fromName: 'Shop', replyTo: 'help@example.com' },
    });
    const cleared = await patchSettings({ passwordMinLength: null, branding: null, mail: null });
    expect(cleared.settings).toEqual(defaults);
  });

  it('emits the changed fields with their previous values', async () => {
    const receiver = await Receiver.start();
    await instance.createEndpoint(receiver.url, ['project.*']);
    await patchSettings({ accessTokenTtl: 600, branding: { displayName: 'Shop', color: '#123456' } });
    const response = await patch({
      name: 'Shop',
      settings: { accessTokenTtl: 700, passwordMinLength: 8, branding: { displayName: 'Shop', color: null } },
    });
    await eventually('both events', () => receiver.listByType('project.updated').length === 2);
    await receiver.stop();
    const [second] = receiver
      .listByType('project.updated')
      .filter(({ event }) => (event.data['project'] as { name: string }).name === 'Shop');
    expect(JSON.parse(second!.body)).toMatchObject({
      project_id: instance.credentials.projectId,
      organization_id: instance.credentials.organizationId,
    });
    expect(second!.event.data).toEqual({
      project: response.body,
      previous: {
        name: 'My project',
        settings: { accessTokenTtl: 600, branding: { color: '#123456' } },
      },
    });
  });

  it('rejects out-of-range limits, and cannot turn a limit off', async () => {
    for (const [toInvalid, problem] of [
      [({ min }: LimitSetting) => min - 1, ({ min }: LimitSetting) => `less than ${min}`],
      [({ max }: LimitSetting) => max + 1, ({ max }: LimitSetting) => `greater than ${max}`],
    ] as const) {
      const entries = Object.entries(limitSettings);
      const limits = Object.fromEntries(entries.map(([name, limit]) => [name, toInvalid(limit)]));
      const { status, body } = await patch({ settings: { limits } });
      const errors = (body.errors as { field: string; message: string }[]).map(({ field, message }) => ({
        field,
        message,
      }));
      expect([status, errors]).toEqual([
        400,
        entries.map(([name, limit]) => ({
          field: `settings.limits.${name}`,
          message: `settings.limits.${name} must not be ${problem(limit)}`,
        })),
      ]);
    }
    expect(await patch({ settings: { limits: { login: '5', unknown: 1 } } })).toMatchObject({ status: 400 });
    const { settings } = await patchSettings({ limits: { login: 5, failedLogin: 20 } });
    expect(settings.limits).toEqual({ ...defaults.limits, login: 5, failedLogin: 20 });
    const reset = await patchSettings({ limits: { login: null } });
    expect(reset.settings.limits).toEqual({ ...defaults.limits, failedLogin: 20 });
  });

  it('does not emit an event or change updatedAt if the values stay the same', async () => {
    const { updatedAt } = await patchSettings({
      passwordMinLength: 12,
      allowedOrigins: ['https://a.example'],
    });
    const before = await listUpdates();
    for (const body of [
      {},
      { settings: {} },
      { settings: { branding: {} } },
      { name: 'My project', settings: { passwordMinLength: 12, allowedOrigins: ['https://a.example'] } },
      { settings: { accessTokenTtl: 3600, refreshIdleTtl: null, mail: null } },
    ]) {
      expect(await patch(body)).toMatchObject({ status: 200, body: { updatedAt } });
    }
    expect(await listUpdates()).toEqual(before);
    expect((await patchSettings({ passwordMinLength: 13 })).updatedAt > updatedAt).toBe(true);
  });

  it('does not overwrite concurrent patches', async () => {
    const settings = {
      accessTokenTtl: 601,
      passwordMinLength: 11,
      redirectUrls: ['https://a.example/'],
      requireVerifiedEmail: true,
      branding: { displayName: 'Shop', color: '#654321' },
    };
    const { branding, ...flat } = settings;
    const patches = [
      { name: 'Parallel' },
      ...Object.entries(flat).map(([name, value]) => ({ settings: { [name]: value } })),
      ...Object.entries(branding).map(([name, value]) => ({ settings: { branding: { [name]: value } } })),
    ];
    const before = (await listUpdates()).length;
    const responses = await Promise.all(patches.map((body) => patch(body)));
    expect(responses.map(({ status }) => status)).toEqual(patches.map(() => 200));
    expect(await getProject()).toMatchObject({ name: 'Parallel', settings });
    expect((await listUpdates()).length - before).toBe(patches.length);
  });
});

it('every setting takes effect immediately', async () => {
  const email = uniqueEmail();
  await instance.register(email);
  const redirectUrl = 'https://app.example.com/welcome';
  const register = (url: string) => instance.register(undefined, { redirectUrl: url });
  expect(await register(redirectUrl)).toMatchObject({
    status: 400,
    body: { errors: [{ field: 'redirectUrl', code: 'not_allowed' }] },
  });
  await patchSettings({
    allowedOrigins: ['https://app.example.com'],
    redirectUrls: [redirectUrl],
    accessTokenTtl: 61,
    refreshIdleTtl: 301,
    refreshAbsoluteTtl: 302,
    passwordMinLength: PASSWORD.length,
  });

  const login = (origin: string) => instance.login(email, PASSWORD, { origin });
  const rejected = await login('https://evil.example');
  expect(rejected).toMatchObject({ status: 403, body: { code: 'origin_not_allowed' } });
  expect(rejected.headers.get('access-control-allow-origin')).toBe('https://evil.example');
  expect((await login('https://app.example.com')).status).toBe(200);

  const { tokens, customer } = (await register(redirectUrl)).body;
  expect((await register(`${redirectUrl}/`)).status).toBe(400);
  expect(tokens.expiresIn).toBe(61);
  const claims = JSON.parse(Buffer.from(tokens.accessToken.split('.')[1], 'base64url').toString());
  expect(claims.exp - claims.iat).toBe(61);
  const [session] = await instance.sql(
    `SELECT idle_ttl, extract(epoch FROM absolute_expires_at - created_at)::int AS absolute
     FROM sessions WHERE customer_id = $1`,
    [customer.id],
  );
  expect(session).toEqual({ idle_ttl: 301, absolute: 302 });
  expect(await instance.register(undefined, { password: PASSWORD.slice(1) })).toMatchObject({
    status: 422,
    body: { code: 'weak_password', reasons: ['too_short'] },
  });

  await patchSettings({ allowedOrigins: null, requireVerifiedEmail: true });
  expect(await login('https://evil.example')).toMatchObject({
    status: 403,
    body: { code: 'email_not_verified' },
  });
  await patchSettings({ enumerationProtection: true });
  expect(await instance.register()).toMatchObject({ status: 202, body: {} });
});

describe('an invalid patch', () => {
  const long = (length: number) => 'x'.repeat(length);
  const key = (bytes: number) => Buffer.alloc(bytes).toString('base64');
  const many = (count: number, create: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => create(index));

  /** Rejected URLs and origins are tested in libs/domain/src/urls/page-url.spec.ts. */
  const invalidSettings: [setting: string, code: string, ...values: unknown[]][] = [
    ['allowedOrigins', 'invalid', ['https://a.example/'], ['*'], ['null'], [1], [null], [['x']]],
    ['allowedOrigins', 'invalid', ['https://a.example', 'https://a.example']],
    ['allowedOrigins', 'too_long', many(51, (index) => `https://a${index}.example`)],
    ['allowedOrigins', 'invalid_type', 'https://a.example', 1, true, {}],
    ['redirectUrls', 'invalid', ['javascript:alert(1)'], ['http://a.example/']],
    ['redirectUrls', 'invalid', [`https://a.example/${long(2048)}`]],
    ['redirectUrls', 'too_long', many(51, (index) => `https://a.example/${index}`)],
    ['redirectUrls', 'invalid_type', 'https://a.example/', {}],
    ...['verifyEmailUrl', 'resetPasswordUrl', 'acceptInviteUrl'].flatMap(
      (setting): [string, string, ...unknown[]][] => [
        [setting, 'invalid', '', 'javascript:alert(1)', `https://a.example/${long(2048)}`],
        [setting, 'invalid_type', 1, true, [], {}],
      ],
    ),
    ...['requireVerifiedEmail', 'enumerationProtection', 'breachCheck'].map(
      (setting): [string, string, ...unknown[]] => [setting, 'invalid_type', 'true', 0, 1, '', [], {}],
    ),
    ['accessTokenTtl', 'invalid', 59, 86_401, -60, 0],
    ['accessTokenTtl', 'invalid_type', '3600', 60.5, true, [], {}],
    ['refreshIdleTtl', 'invalid', 299, 31_536_001, 7_776_001],
    ['refreshIdleTtl', 'invalid_type', '300'],
    ['refreshAbsoluteTtl', 'invalid', 299, 63_072_001, 2_591_999],
    ['signIn', 'invalid_type', true, []],
    ['signIn.passkey', 'invalid_type', 'true', 1],
    ['legacySignIn', 'invalid_type', 'https://old.example.com', []],
    ['legacySignIn.url', 'invalid_type', null, 1],
    [
      'legacySignIn.secret',
      'invalid',
      '',
      'a secret',
      `whsec_${key(23)}`,
      `whsec_${key(65)}`,
      `whsec_${key(32)}\n`,
      key(32),
    ],
    ['passkeys', 'invalid_type', 'example.com', []],
    [
      'passkeys.rpId',
      'invalid',
      '',
      'https://example.com',
      'Example.com',
      'example.com:443',
      '127.0.0.1',
      'com',
    ],
    ['passkeys.rpId', 'invalid_type', null, 1],
    ['passkeys.rpName', 'too_long', long(101)],
    [
      'passkeys.origins',
      'invalid',
      ['http://example.com'],
      ['https://127.0.0.1'],
      ['android:apk-key-hash:x'],
    ],
    ['passkeys.origins', 'too_long', many(21, (index) => `https://a${index}.example`)],
    ['mfa', 'invalid', 'on', ''],
    ['mfa', 'invalid_type', 1, true, [], {}],
    ['mfaGraceDays', 'invalid', -1, 91],
    ['mfaGraceDays', 'invalid_type', 1.5, '14', true],
    ['refreshGrace', 'invalid', 'used', '10', -1, 301, 1.5, true, [], {}],
    ['accessTokenClaims', 'too_long', many(11, (index) => `claim${index}`)],
    ['accessTokenClaims', 'invalid', ['sub'], ['org_id'], [''], ['1st'], ['a-b'], ['a b'], ['toString']],
    ['accessTokenClaims', 'invalid', ['plan', 'plan'], [long(65)], [7]],
    ['defaultLocale', 'invalid', '', 'de_AT', long(36), 7, ['de']],
    ['signingAlgorithm', 'invalid', 'HS256', 'none', 'rs256', ''],
    ['signingAlgorithm', 'invalid_type', 256, true, ['RS256'], {}],
    ['passwordMinLength', 'invalid', 7, 65],
    ['passwordMinLength', 'invalid_type', '8', 8.5],
    ['passwordHashing', 'invalid', 'plain', 'Portable', ''],
    ['passwordHashing', 'invalid_type', 1, true, ['portable'], {}],
    ['branding', 'invalid_type', '#123456', [], 1, [{ color: '#123456' }]],
    ['branding.displayName', 'too_short', ''],
    ['branding.displayName', 'too_long', long(101)],
    ['branding.displayName', 'invalid', 'a\nb', 'a\u0007'],
    ['branding.logoUrl', 'invalid', 'http://localhost/l.png', 'data:image/png;base64,AA', ''],
    ['branding.color', 'invalid', 'red', '#12345', '#1234567', '#12345g', '#123456;x', '#123456\n'],
    ['branding.color', 'invalid_type', 123456, []],
    ['mail', 'invalid_type', 'help@example.com', []],
    ['mail.fromName', 'invalid', 'Shop\r\nBcc: all@example.com', 'Shop\n', '\u001b'],
    ['mail.fromName', 'too_long', long(101)],
    ['mail.replyTo', 'invalid', 'help', 'a@b.example, c@d.example', 'a@b.example\r\nBcc: c@d.example', '', 7],
    ['unknown', 'unknown_field', 1, null],
    ['toString', 'unknown_field', 'x'],
    ['branding.font', 'unknown_field', 'serif'],
    ['branding.valueOf', 'unknown_field', null],
    ['mail.hasOwnProperty', 'unknown_field', {}],
  ];
  const invalidMembers: [field: string, code: string, ...values: unknown[]][] = [
    ['name', 'too_short', ''],
    ['name', 'too_long', long(101)],
    ['name', 'invalid_type', null],
    ['name', 'invalid', 'a\nb'],
    ['settings', 'invalid_type', null, [], 'x'],
    ['slug', 'unknown_field', 'other'],
    ['organizationId', 'unknown_field', '019aa2c0-7d1e-7000-8000-000000000000'],
    ['environment', 'unknown_field', 'production'],
  ];

  it('reports every field that is unknown, of the wrong type or out of range', async () => {
    const fields = [
      ...invalidMembers,
      ...invalidSettings.map(([setting, ...rest]) => [`settings.${setting}`, ...rest] as const),
    ];
    const cases = fields.flatMap(([field, code, ...values]) =>
      values.map((value) => [`${field} ${JSON.stringify(value)}`, field, code, value] as const),
    );
    await checkCases(cases, async (field: string, code: unknown, value: unknown) => {
      const body = field.split('.').reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
      const response = await patch(body);
      const errors = response.body.errors as { field: string; code: string }[] | undefined;
      expect([response.status, errors?.map((each) => [each.field, each.code])]).toEqual([
        400,
        [[field, code]],
      ]);
    });
    expect((await getProject()).settings).toEqual(defaults);
  });

  it('reports all of its errors at once, without changes', async () => {
    const response = await patch({
      name: '',
      settings: { passwordMinLength: 1, nonsense: 1, accessTokenTtl: 600, branding: { color: 'red', x: 1 } },
    });
    const fields = (response.body.errors as { field: string }[]).map(({ field }) => field);
    expect(fields.sort()).toEqual([
      'name',
      'settings.branding.color',
      'settings.branding.x',
      'settings.nonsense',
      'settings.passwordMinLength',
    ]);
    expect((await getProject()).settings).toEqual(defaults);
  });

  it('fails if the idle time is longer than the effective absolute time', async () => {
    await patchSettings({ refreshIdleTtl: 1000, refreshAbsoluteTtl: 2000 });
    for (const [field, value] of [
      ['refreshIdleTtl', 2001],
      ['refreshAbsoluteTtl', 999],
      ['refreshIdleTtl', null],
    ] as const) {
      expect(await patch({ settings: { [field]: value } })).toMatchObject({
        status: 400,
        body: { errors: [{ field: `settings.${field}`, code: 'invalid' }] },
      });
    }
  });

  describe('a patch that older API processes would ignore', () => {
    const methods = [
      { mfa: 'optional' },
      { mfa: 'required' },
      { signIn: { passkey: true } },
      { passwordHashing: 'portable' },
    ];
    const running = (api: string) => ({
      status: 409,
      body: {
        code: 'conflict',
        detail: expect.stringContaining(`would ignore this setting are running: ${api}. `),
      },
    });
    afterEach(() => instance.sql(`DELETE FROM apis WHERE version = '0.0.9' OR host IS NULL`));

    it('fails while an API process on an older version is running', async () => {
      await instance.sql(
        `INSERT INTO apis (id, host, version, schema_version) VALUES (gen_random_uuid(), 'a.internal', '0.0.9', 1764288030000)`,
      );
      for (const settings of [...methods, { tokenSubject: 'externalId' }])
        expect(await patch({ settings })).toMatchObject(running('0.0.9 on a.internal'));
      expect(
        await instance.requestWithSecretKey('POST', '/api/v1/projects', {
          name: 'New',
          settings: methods[0],
        }),
      ).toMatchObject(running('0.0.9 on a.internal'));
      await patchSettings({ signIn: { emailCode: true }, mfaGraceDays: 1, mfa: 'off' });

      await instance.sql(`UPDATE apis SET seen_at = now() - interval '90 seconds' WHERE host = 'a.internal'`);
      for (const settings of methods) await patchSettings(settings);
      await instance.sql(`UPDATE apis SET seen_at = now() WHERE host = 'a.internal'`);
      await patchSettings({ mfa: 'optional', signIn: { passkey: true, emailCode: false } });
    });

    it('fails while a process on 0.1.0 is connected', async () => {
      await withFirstVersion(instance, async () => {
        for (const settings of methods) expect(await patch({ settings })).toMatchObject(running('0.1.0'));
      });
    });
  });
});

it("a customer's new claims that are larger than 3 KiB cause a warning in the log", async () => {
  const { id } = (await instance.requestWithSecretKey('POST', '/api/v1/projects', { name: 'Large claims' }))
    .body;
  const warnings = () =>
    instance.api.log.filter(
      ({ message, projectId }) => message === 'access token claims are larger than 3 KiB' && projectId === id,
    );
  const save = async (accessTokenClaims: string[]) =>
    expect(
      (
        await instance.requestWithSecretKey('PATCH', `/api/v1/projects/${id}`, {
          settings: { accessTokenClaims },
        })
      ).status,
    ).toBe(200);
  for (const size of [10, 6_000, 20])
    await instance.requestWithSecretKey('POST', '/api/v1/customers', {
      projectId: id,
      email: uniqueEmail(),
      publicMetadata: { permissions: 'x'.repeat(size), plan: 'free', other: 'x'.repeat(1_000) },
    });
  await save(['plan', 'other']);
  await save(['plan', 'permissions']);
  await eventually('the warning', () => warnings().length > 0);
  await save(['plan', 'permissions']);
  await save([]);
  const [warning, ...more] = warnings();
  expect(warning).toMatchObject({ level: 'warn', bytes: expect.any(Number) });
  expect(warning!['bytes']).toBeGreaterThan(6_000);
  expect(more).toEqual([]);
});
