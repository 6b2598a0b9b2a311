import { isDeepStrictEqual } from 'node:util';
import { eventually } from '../support/eventually.js';
import { TestInstance, PASSWORD } from '../support/test-instance.js';
import { Receiver } from '../support/receiver.js';
import { insertKey, insertOrganization, insertProject } from '../support/tenants.js';
import { uniqueEmail } from '../support/unique-email.js';

const MISSING = '019aa2c0-7d1e-7000-8000-000000000000';
const defaults = {
  allowedOrigins: [],
  redirectUrls: [],
  verifyEmailUrl: null,
  resetPasswordUrl: null,
  acceptInviteUrl: null,
  requireVerifiedEmail: false,
  enumerationProtection: false,
  accessTokenTtl: 3600,
  refreshIdleTtl: 2_592_000,
  refreshAbsoluteTtl: 7_776_000,
  accessTokenClaims: [],
  passwordMinLength: 8,
  breachCheck: false,
  branding: { displayName: null, logoUrl: null, color: null },
  mail: { fromName: null, replyTo: null },
};

let instance: TestInstance;
let path: string;
beforeAll(async () => {
  instance = await TestInstance.shared();
  path = `/api/v1/projects/${instance.credentials.projectId}`;
});
afterAll(async () => instance?.stop());
afterEach(async () => {
  await instance.sql(`UPDATE projects SET settings = '{}', name = 'My project'`);
});

const patch = (body: unknown) => instance.server('PATCH', path, body);
const patchSettings = async (settings: object) => {
  const answer = await patch({ settings });
  expect(answer).toMatchObject({ status: 200 });
  return answer.body as { settings: typeof defaults; updatedAt: string };
};
const withKey = (key: string, method: string, target: string, body?: unknown) =>
  instance.request(method, target, { body, headers: { authorization: `Bearer ${key}` } });
const updates = () =>
  instance.sql<{ body: string }>(`SELECT body FROM events WHERE type = 'project.updated' ORDER BY id`);

describe('a project', () => {
  it('shows itself with the settings in force, and nothing else', async () => {
    const answer = await instance.server('GET', path);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.body).toEqual({
      id: instance.credentials.projectId,
      organizationId: instance.credentials.organizationId,
      name: 'My project',
      slug: 'my-project',
      environment: 'development',
      settings: defaults,
      archivedAt: null,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updatedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
  });

  it('is read by a project key of its own, and changed by an organization key only', async () => {
    const { projectSecretKey } = instance.credentials;
    expect((await withKey(projectSecretKey, 'GET', path)).status).toBe(200);
    expect(await withKey(projectSecretKey, 'PATCH', path, { name: 'Mine' })).toMatchObject({
      status: 403,
      body: { code: 'insufficient_access', requiredAccess: 'organization' },
    });
  });

  it('AK-06: each method needs its scope', async () => {
    for (const [method, needed, other] of [
      ['GET', 'project:read', 'project:write'],
      ['PATCH', 'project:write', 'project:read'],
    ] as const) {
      const options = { ...instance.credentials, type: 'secret', access: 'organization' } as const;
      const key = await insertKey(instance, { ...options, scopes: [other] });
      const body = method === 'PATCH' ? { name: 'Mine' } : undefined;
      expect(await withKey(key, method, path, body)).toMatchObject({
        status: 403,
        body: { code: 'insufficient_scope', requiredScopes: [needed] },
      });
    }
  });

  it('AK-04: out of reach is like one that does not exist', async () => {
    const stranger = await insertOrganization(instance);
    const sibling = await insertProject(instance, instance.credentials.organizationId);
    const organizationKey = await insertKey(instance, {
      ...stranger,
      type: 'secret',
      access: 'organization',
    });
    const outOfReach: [key: string, id: string, methods: string[]][] = [
      [stranger.secretKey, instance.credentials.projectId, ['GET']],
      [sibling.secretKey, instance.credentials.projectId, ['GET']],
      [organizationKey, instance.credentials.projectId, ['GET', 'PATCH']],
      [instance.credentials.secretKey, stranger.projectId, ['GET', 'PATCH']],
      [instance.credentials.secretKey, 'x', ['GET', 'PATCH']],
      [instance.credentials.secretKey, instance.credentials.projectId.toUpperCase(), ['GET', 'PATCH']],
      [instance.credentials.secretKey, `${instance.credentials.projectId}%00`, ['GET', 'PATCH']],
    ];
    for (const [key, id, methods] of outOfReach) {
      for (const method of methods) {
        const body = method === 'PATCH' ? { name: 'Taken over' } : undefined;
        const missing = await withKey(key, method, `/api/v1/projects/${MISSING}`, body);
        expect(missing).toMatchObject({ status: 404, body: { code: 'not_found' } });
        const answer = await withKey(key, method, `/api/v1/projects/${id}`, body);
        expect({ ...answer.body, requestId: '' }).toEqual({ ...missing.body, requestId: '' });
      }
    }
    const [row] = await instance.sql('SELECT name FROM projects WHERE id = $1', [stranger.projectId]);
    expect(row!['name']).not.toBe('Taken over');
  });

  it('of an organization that the own one created is within reach', async () => {
    const child = await insertOrganization(instance);
    await instance.sql('UPDATE organizations SET parent_id = $1 WHERE id = $2', [
      instance.credentials.organizationId,
      child.organizationId,
    ]);
    const answer = await instance.server('PATCH', `/api/v1/projects/${child.projectId}`, { name: 'Child' });
    expect(answer).toMatchObject({
      status: 200,
      body: { name: 'Child', organizationId: child.organizationId },
    });
  });
});

describe('a patch', () => {
  it('sets every setting, and gives it back as it was sent', async () => {
    const settings = {
      allowedOrigins: ['https://app.example.com', 'http://192.168.1.5:5173', 'http://[::1]:5173'],
      redirectUrls: ['https://app.example.com/welcome', 'com.example.app:/welcome', 'http://localhost:5173/'],
      verifyEmailUrl: 'https://app.example.com/verify',
      resetPasswordUrl: 'http://127.0.0.1:5173/reset?x=1#/route',
      acceptInviteUrl: 'com.example.app://invite',
      requireVerifiedEmail: true,
      enumerationProtection: true,
      accessTokenTtl: 60,
      refreshIdleTtl: 300,
      refreshAbsoluteTtl: 63_072_000,
      accessTokenClaims: ['plan', '_tier2'],
      passwordMinLength: 64,
      breachCheck: true,
      branding: {
        displayName: 'Bücher & Söhne',
        logoUrl: 'https://cdn.example.com/logo.svg',
        color: '#1D4ed8',
      },
      mail: { fromName: 'The shop', replyTo: 'help@example.com' },
    };
    const answer = await patch({ name: 'Shop', settings });
    expect(answer).toMatchObject({ status: 200, body: { name: 'Shop' } });
    expect(answer.body.settings).toEqual(settings);
    expect((await instance.server('GET', path)).body).toEqual(answer.body);
  });

  it('RFC 7396: what is left out stays, null goes back to the default, at every level', async () => {
    await patchSettings({
      accessTokenTtl: 600,
      passwordMinLength: 10,
      branding: { displayName: 'Shop', color: '#123456' },
      mail: { fromName: 'Shop', replyTo: '  Help@Example.COM ' },
    });
    const { settings } = await patchSettings({
      accessTokenTtl: null,
      branding: { color: null, logoUrl: 'https://cdn.example.com/l.png' },
    });
    expect(settings).toEqual({
      ...defaults,
      passwordMinLength: 10,
      branding: { displayName: 'Shop', logoUrl: 'https://cdn.example.com/l.png', color: null },
      mail: { fromName: 'Shop', replyTo: 'help@example.com' },
    });
    const cleared = await patchSettings({ passwordMinLength: null, branding: null, mail: null });
    expect(cleared.settings).toEqual(defaults);
    const [row] = await instance.sql('SELECT settings FROM projects WHERE id = $1', [
      instance.credentials.projectId,
    ]);
    expect(row!['settings']).toEqual({});
  });

  it('tells what changed, with what it was before', async () => {
    const receiver = await Receiver.start();
    await instance.createEndpoint(receiver.url, ['project.*']);
    await patchSettings({ accessTokenTtl: 600, branding: { displayName: 'Shop', color: '#123456' } });
    const answer = await patch({
      name: 'Shop',
      settings: { accessTokenTtl: 700, passwordMinLength: 8, branding: { displayName: 'Shop', color: null } },
    });
    await eventually('both events', () => receiver.ofType('project.updated').length === 2).finally(() =>
      receiver.stop(),
    );
    const [second] = receiver
      .ofType('project.updated')
      .filter(({ event }) => (event.data['project'] as { name: string }).name === 'Shop');
    expect(JSON.parse(second!.body)).toMatchObject({
      project_id: instance.credentials.projectId,
      organization_id: instance.credentials.organizationId,
    });
    expect(second!.event.data).toEqual({
      project: answer.body,
      previous: {
        name: 'My project',
        settings: { accessTokenTtl: 600, branding: { color: '#123456' } },
      },
    });
  });

  it('that changes nothing emits nothing and leaves updatedAt', async () => {
    const { updatedAt } = await patchSettings({
      passwordMinLength: 12,
      allowedOrigins: ['https://a.example'],
    });
    const before = await updates();
    for (const body of [
      {},
      { settings: {} },
      { settings: { branding: {} } },
      { name: 'My project', settings: { passwordMinLength: 12, allowedOrigins: ['https://a.example'] } },
      { settings: { accessTokenTtl: 3600, refreshIdleTtl: null, mail: null } },
    ]) {
      expect(await patch(body)).toMatchObject({ status: 200, body: { updatedAt } });
    }
    expect(await updates()).toEqual(before);
    expect((await patchSettings({ passwordMinLength: 13 })).updatedAt > updatedAt).toBe(true);
  });

  it('at the same time as others loses nothing of theirs', async () => {
    const patches = [
      { name: 'Parallel' },
      { settings: { accessTokenTtl: 601 } },
      { settings: { passwordMinLength: 11 } },
      { settings: { branding: { displayName: 'Shop' } } },
      { settings: { branding: { color: '#654321' } } },
      { settings: { mail: { fromName: 'Shop' } } },
      { settings: { redirectUrls: ['https://a.example/'] } },
      { settings: { requireVerifiedEmail: true } },
    ];
    const before = (await updates()).length;
    const answers = await Promise.all(patches.map((body) => patch(body)));
    expect(answers.map(({ status }) => status)).toEqual(patches.map(() => 200));
    expect((await instance.server('GET', path)).body).toMatchObject({
      name: 'Parallel',
      settings: {
        accessTokenTtl: 601,
        passwordMinLength: 11,
        branding: { displayName: 'Shop', color: '#654321' },
        mail: { fromName: 'Shop' },
        redirectUrls: ['https://a.example/'],
        requireVerifiedEmail: true,
      },
    });
    expect((await updates()).length - before).toBe(patches.length);
  });
});

describe('a setting acts at once', () => {
  const fromOrigin = (origin: string, method: string, target: string, body?: object) =>
    instance.request(method, target, {
      body,
      headers: { origin, 'x-publishable-key': instance.credentials.publishableKey },
    });

  it('allowedOrigins: other pages are refused, and can read why', async () => {
    const email = uniqueEmail();
    await instance.register(email);
    await patchSettings({ allowedOrigins: ['https://app.example.com'] });
    const login = (origin: string) =>
      fromOrigin(origin, 'POST', '/api/v1/auth/login', { email, password: PASSWORD });
    const refused = await login('https://evil.example');
    expect(refused).toMatchObject({ status: 403, body: { code: 'origin_not_allowed' } });
    expect(refused.headers.get('access-control-allow-origin')).toBe('https://evil.example');
    expect((await login('https://app.example.com')).status).toBe(200);
    await patchSettings({ allowedOrigins: null });
    expect((await login('https://evil.example')).status).toBe(200);
  });

  it('accessTokenTtl: the next token lives that long', async () => {
    await patchSettings({ accessTokenTtl: 61 });
    const { tokens } = (await instance.register()).body as {
      tokens: { accessToken: string; expiresIn: number };
    };
    expect(tokens.expiresIn).toBe(61);
    const [, payload] = tokens.accessToken.split('.');
    const claims = JSON.parse(Buffer.from(payload!, 'base64url').toString()) as { exp: number; iat: number };
    expect(claims.exp - claims.iat).toBe(61);
  });

  it('refreshIdleTtl and refreshAbsoluteTtl: the next session lasts that long', async () => {
    await patchSettings({ refreshIdleTtl: 301, refreshAbsoluteTtl: 302 });
    const { customer } = (await instance.register()).body as { customer: { id: string } };
    const [session] = await instance.sql(
      `SELECT idle_ttl, extract(epoch FROM absolute_expires_at - created_at)::int AS absolute
       FROM sessions WHERE customer_id = $1`,
      [customer.id],
    );
    expect(session).toEqual({ idle_ttl: 301, absolute: 302 });
  });

  it('PW-01: passwordMinLength', async () => {
    await patchSettings({ passwordMinLength: 30 });
    expect(await instance.register()).toMatchObject({
      status: 422,
      body: { code: 'weak_password', reasons: ['too_short'] },
    });
  });

  it('requireVerifiedEmail: no login before the address is verified', async () => {
    const email = uniqueEmail();
    await instance.register(email);
    await patchSettings({ requireVerifiedEmail: true });
    expect(await instance.login(email)).toMatchObject({
      status: 403,
      body: { code: 'email_not_verified' },
    });
    expect(await instance.register()).toMatchObject({ status: 201, body: { tokens: null } });
  });

  it('enumerationProtection: register says the same for every address', async () => {
    await patchSettings({ enumerationProtection: true });
    expect(await instance.register()).toMatchObject({ status: 202, body: {} });
  });

  it('redirectUrls: exactly one of the list', async () => {
    const redirectUrl = 'https://app.example.com/welcome';
    const register = (url: string) => instance.register(undefined, { redirectUrl: url });
    expect(await register(redirectUrl)).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'redirectUrl', code: 'not_allowed' }] },
    });
    await patchSettings({ redirectUrls: [redirectUrl] });
    expect((await register(redirectUrl)).status).toBe(201);
    expect((await register(`${redirectUrl}/`)).status).toBe(400);
  });
});

describe('what is refused', () => {
  const long = (length: number) => 'x'.repeat(length);
  const urls = (count: number) => Array.from({ length: count }, (_, index) => `https://a.example/${index}`);
  const origins = (count: number) => Array.from({ length: count }, (_, index) => `https://a${index}.example`);

  const wrongSettings: [setting: string, code: string, values: unknown[]][] = [
    [
      'allowedOrigins',
      'invalid',
      [
        ['https://a.example/'],
        ['*'],
        ['null'],
        ['https://a.example', 'https://a.example'],
        [1],
        [null],
        [['x']],
      ],
    ],
    ['allowedOrigins', 'too_long', [origins(51)]],
    ['allowedOrigins', 'invalid_type', ['https://a.example', 1, true, {}]],
    [
      'redirectUrls',
      'invalid',
      [['javascript:alert(1)'], ['http://a.example/'], [`https://a.example/${long(2048)}`]],
    ],
    ['redirectUrls', 'too_long', [urls(51)]],
    ['redirectUrls', 'invalid_type', ['https://a.example/', {}]],
    ...['verifyEmailUrl', 'resetPasswordUrl', 'acceptInviteUrl'].flatMap(
      (setting): [string, string, unknown[]][] => [
        [
          setting,
          'invalid',
          [
            '',
            '/verify',
            'http://a.example/',
            'javascript:alert(1)',
            'data:text/html,x',
            'https://ada@a.example/',
            'https://a.example/\r\nX: y',
            `https://a.example/${long(2048)}`,
          ],
        ],
        [setting, 'invalid_type', [1, true, [], {}]],
      ],
    ),
    ...['requireVerifiedEmail', 'enumerationProtection', 'breachCheck'].map(
      (setting): [string, string, unknown[]] => [setting, 'invalid_type', ['true', 0, 1, '', [], {}]],
    ),
    ['accessTokenTtl', 'invalid', [59, 86_401, -60, 0]],
    ['accessTokenTtl', 'invalid_type', ['3600', 60.5, true, [], {}]],
    ['refreshIdleTtl', 'invalid', [299, 31_536_001, 7_776_001]],
    ['refreshIdleTtl', 'invalid_type', ['300']],
    ['refreshAbsoluteTtl', 'invalid', [299, 63_072_001, 2_591_999]],
    ['accessTokenClaims', 'too_long', [Array.from({ length: 11 }, (_, index) => `claim${index}`)]],
    [
      'accessTokenClaims',
      'invalid',
      [['sub'], ['email'], [''], ['1st'], ['a-b'], ['a b'], ['toString'], ['plan', 'plan'], [long(65)], [7]],
    ],
    ['passwordMinLength', 'invalid', [7, 65]],
    ['passwordMinLength', 'invalid_type', ['8', 8.5]],
    ['branding', 'invalid_type', ['#123456', [], 1, [{ color: '#123456' }]]],
    ['branding.displayName', 'too_short', ['']],
    ['branding.displayName', 'too_long', [long(101)]],
    ['branding.displayName', 'invalid', ['a\nb', 'a\u0007']],
    [
      'branding.logoUrl',
      'invalid',
      [
        'http://localhost/l.png',
        'data:image/png;base64,AA',
        'https://ada@a.example/',
        'com.example.app:/l',
        '',
      ],
    ],
    [
      'branding.color',
      'invalid',
      ['red', '#12345', '#1234567', '#12345g', '123456', '#123456;x', '#123456\n'],
    ],
    ['branding.color', 'invalid_type', [123456, []]],
    ['mail', 'invalid_type', ['help@example.com', []]],
    ['mail.fromName', 'invalid', ['Shop\r\nBcc: all@example.com', 'Shop\n', '\u0000'.slice(1) + '\u001b']],
    ['mail.fromName', 'too_long', [long(101)]],
    [
      'mail.replyTo',
      'invalid',
      ['help', 'a@b.example, c@d.example', 'a@b.example\r\nBcc: c@d.example', '', 7],
    ],
    ['unknown', 'unknown_field', [1, null]],
    ['toString', 'unknown_field', ['x']],
    ['branding.font', 'unknown_field', ['serif']],
    ['branding.valueOf', 'unknown_field', [null]],
    ['mail.hasOwnProperty', 'unknown_field', [{}]],
  ];
  it('is every setting that is of the wrong type or out of its range, by its name', async () => {
    const faults: unknown[] = [];
    for (const [setting, code, values] of wrongSettings) {
      const [group, member] = setting.split('.') as [string, string?];
      for (const value of values) {
        const { status, body } = await patch({ settings: { [group]: member ? { [member]: value } : value } });
        const errors = body.errors as { field: string; code: string; message: string }[] | undefined;
        const found = [
          status,
          ...(errors ?? []).map((each) => [each.field, each.code, Boolean(each.message)]),
        ];
        const expected = [400, [`settings.${setting}`, code, true]];
        if (!isDeepStrictEqual(found, expected)) faults.push({ setting, value, found });
      }
    }
    expect(faults).toEqual([]);
    expect((await instance.server('GET', path)).body.settings).toEqual(defaults);
  });

  const wrongMembers: [body: unknown, field: string, code: string][] = [
    [{ name: '' }, 'name', 'too_short'],
    [{ name: long(101) }, 'name', 'too_long'],
    [{ name: null }, 'name', 'invalid_type'],
    [{ name: 'a\nb' }, 'name', 'invalid'],
    [{ settings: null }, 'settings', 'invalid_type'],
    [{ settings: [] }, 'settings', 'invalid_type'],
    [{ settings: 'x' }, 'settings', 'invalid_type'],
    [{ slug: 'other' }, 'slug', 'unknown_field'],
    [{ organizationId: MISSING }, 'organizationId', 'unknown_field'],
    [{ environment: 'production' }, 'environment', 'unknown_field'],
  ];
  it('is every other member that is wrong', async () => {
    const faults: unknown[] = [];
    for (const [sent, field, code] of wrongMembers) {
      const { status, body } = await patch(sent);
      const [error] = body.errors ?? [];
      const found = [status, body.code, error?.field, error?.code];
      if (!isDeepStrictEqual(found, [400, 'validation_failed', field, code])) faults.push({ sent, found });
    }
    expect(faults).toEqual([]);
  });

  it('names every fault at once, and changes nothing', async () => {
    const answer = await patch({
      name: '',
      settings: { passwordMinLength: 1, nonsense: 1, accessTokenTtl: 600, branding: { color: 'red', x: 1 } },
    });
    const fields = (answer.body.errors as { field: string }[]).map(({ field }) => field);
    expect(fields.sort()).toEqual([
      'name',
      'settings.branding.color',
      'settings.branding.x',
      'settings.nonsense',
      'settings.passwordMinLength',
    ]);
    expect((await instance.server('GET', path)).body.settings).toEqual(defaults);
  });

  it('names that no object may have are no JSON of ours', async () => {
    for (const name of ['__proto__', 'constructor', 'prototype']) {
      const answer = await patch(`{"settings":{"branding":{"${name}":{"color":"#123456"}}}}`);
      expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_json' } });
    }
  });

  it('an idle time that is longer than the absolute one, whichever was sent', async () => {
    await patchSettings({ refreshIdleTtl: 1000, refreshAbsoluteTtl: 2000 });
    for (const [settings, field] of [
      [{ refreshIdleTtl: 2001 }, 'refreshIdleTtl'],
      [{ refreshAbsoluteTtl: 999 }, 'refreshAbsoluteTtl'],
      [{ refreshIdleTtl: null }, 'refreshIdleTtl'],
      [{ refreshIdleTtl: 3001, refreshAbsoluteTtl: 3000 }, 'refreshIdleTtl'],
    ] as const) {
      expect(await patch({ settings })).toMatchObject({
        status: 400,
        body: { errors: [{ field: `settings.${field}`, code: 'invalid' }] },
      });
    }
    expect((await patchSettings({ refreshIdleTtl: 3000, refreshAbsoluteTtl: 3000 })).settings).toMatchObject({
      refreshIdleTtl: 3000,
    });
    await patchSettings({ refreshIdleTtl: null, refreshAbsoluteTtl: null });
  });
});
