import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { AppleStandIn } from '../support/identity-providers/apple-stand-in.js';
import { DiscordStandIn } from '../support/identity-providers/discord-stand-in.js';
import { GitHubStandIn } from '../support/identity-providers/github-stand-in.js';
import { insertIdentity } from '../support/identity-providers/insert-provider.js';
import { newProvider } from '../support/identity-providers/provider-requests.js';
import {
  respondWithContent,
  respondWithJson,
  respondWithoutEnd,
  respondWithRedirect,
} from '../support/identity-providers/responses.js';
import { StandInProvider } from '../support/identity-providers/stand-in-provider.js';
import type { Responder } from '../support/identity-providers/stand-in-server.js';
import { registerCustomer } from '../support/customers.js';
import { insertOperator } from '../support/operator-client.js';
import { insertProject } from '../support/tenants.js';
import { bearerHeader, TestInstance, type TestResponse } from '../support/test-instance.js';

let instance: TestInstance;
/** Each test has its own project, because the number of providers is limited and slugs are unique. */
let path: string;
let projectId: string;
let secretKey: string;
beforeAll(async () => (instance = await TestInstance.startShared({ workers: 0 })));
afterAll(async () => instance?.stop());
beforeEach(async () => {
  ({ projectId, secretKey } = await insertProject(instance, instance.credentials.organizationId));
  path = `/api/v1/projects/${projectId}/identity-providers`;
});

const send = (method: string, to: string, body?: object): Promise<TestResponse> =>
  instance.request(method, to, { body, headers: bearerHeader(secretKey) });
const create = (differences?: Record<string, unknown>) => send('POST', path, newProvider(differences));
const createProvider = async (differences?: Record<string, unknown>): Promise<Record<string, any>> => {
  const { status, body } = await create(differences);
  expect([status, body]).toEqual([201, expect.anything()]);
  return body;
};
const pathOf = ({ id }: Record<string, any>): string => `${path}/${id}`;
const patchSettings = (settings: object) =>
  instance.requestWithSecretKey('PATCH', `/api/v1/projects/${projectId}`, { settings });
const createKey = (namedCurve = 'P-256'): string =>
  generateKeyPairSync('ec', { namedCurve }).privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
const apple = (differences: Record<string, unknown> = {}): Record<string, unknown> => ({
  type: 'apple',
  clientId: 'com.example.web',
  clientSecret: undefined,
  teamId: 'ABCDE12345',
  keyId: 'KEY1234567',
  privateKey: createKey(),
  ...differences,
});
const oidc = (differences: Record<string, unknown> = {}): Record<string, unknown> => ({
  type: 'oidc',
  issuer: 'https://login.acme.example/tenant/',
  ...differences,
});

describe('FE-01: a new identity provider', () => {
  it('has the defaults of its type and a callback URL', async () => {
    const types: Record<string, unknown>[] = ['google', 'github', 'microsoft', 'gitlab', 'discord'].map(
      (type) => ({ type }),
    );
    for (const fields of [...types, apple(), oidc()]) {
      const { body, status } = await create({ ...fields, slug: undefined });
      const type = fields['type'] as string;
      expect([type, status]).toEqual([type, 201]);
      expect(body).toMatchObject({
        projectId,
        type,
        slug: type,
        issuer: fields['issuer'] ?? expect.stringMatching(/^https:/),
        callbackUrl: `${instance.baseUrl}/api/v1/auth/oauth/callback/${body.id}`,
        hasClientSecret: type !== 'apple',
        hasPrivateKey: type === 'apple',
        clientIds: [],
        tenants: [],
        enabled: true,
        allowSignUp: true,
        trustEmail: false,
        requireNonce: false,
      });
      expect((await send('GET', pathOf(body))).body).toEqual(body);
    }
    const { data, nextCursor } = (await send('GET', path)).body;
    expect([data.map(({ type }: { type: string }) => type), nextCursor]).toEqual([
      ['oidc', 'apple', 'discord', 'gitlab', 'microsoft', 'github', 'google'],
      null,
    ]);
    const page = (await send('GET', `${path}?limit=4`)).body;
    const rest = (await send('GET', `${path}?limit=4&cursor=${page.nextCursor}`)).body;
    expect([...page.data, ...rest.data]).toEqual(data);
    expect([page.hasMore, rest.hasMore, rest.nextCursor]).toEqual([true, false, null]);
    expect(data[6]).toMatchObject({ name: 'Google', scopes: ['openid', 'email', 'profile'] });
  });

  it('accepts the fields of its type', async () => {
    const tenants = [randomUUID()];
    const accepted: Record<string, unknown>[] = [
      { clientIds: ['app-of-ios'], requireNonce: true, name: 'Google Workspace', enabled: false },
      { type: 'microsoft', tenants, issuer: `https://login.microsoftonline.com/${tenants[0]}/v2.0` },
      { type: 'github', issuer: 'https://github.acme.example', scopes: ['read:user'] },
      { type: 'github', issuer: 'https://github.acme.example', trustEmail: true, domains: ['acme.example'] },
      { type: 'google', issuer: 'http://127.0.0.1:9' },
      oidc({ trustEmail: true, clientSecret: undefined }),
      oidc({ allowSignUp: false, name: null, scopes: null, clientSecret: null }),
    ];
    for (const fields of accepted) {
      const shown = Object.entries(fields).filter(
        ([name, value]) => name !== 'clientSecret' && value !== null,
      );
      expect(await create(fields)).toMatchObject({ status: 201, body: Object.fromEntries(shown) });
    }
  });

  it('rejects fields that its type does not have, and missing fields', async () => {
    const cases: [fields: Record<string, unknown>, field: string, code: string][] = [
      [{ type: 'facebook' }, 'type', 'invalid'],
      [{ type: undefined }, 'type', 'required'],
      [{ slug: 'callback' }, 'slug', 'invalid'],
      [{ slug: 'exchange' }, 'slug', 'invalid'],
      [{ slug: 'token' }, 'slug', 'invalid'],
      [{ slug: 'A' }, 'slug', 'invalid'],
      [{ clientId: undefined }, 'clientId', 'required'],
      [{ clientId: '' }, 'clientId', 'invalid'],
      [{ clientSecret: undefined }, 'clientSecret', 'required'],
      [{ clientSecret: '' }, 'clientSecret', 'invalid'],
      [{ clientSecret: ' pasted\n' }, 'clientSecret', 'invalid'],
      [{ issuer: 'https://accounts.example.com' }, 'issuer', 'invalid'],
      [{ tenants: [randomUUID()] }, 'tenants', 'not_allowed'],
      [{ type: 'microsoft', tenants: ['acme'] }, 'tenants', 'invalid'],
      [{ trustEmail: true }, 'trustEmail', 'not_allowed'],
      [{ scopes: ['email'] }, 'scopes', 'invalid'],
      [{ scopes: ['openid email'] }, 'scopes', 'invalid'],
      [{ type: 'github', clientIds: ['app'] }, 'clientIds', 'not_allowed'],
      [{ type: 'github', requireNonce: true }, 'requireNonce', 'not_allowed'],
      [{ type: 'github', issuer: 'https://github.acme.example/' }, 'issuer', 'invalid'],
      [{ teamId: 'ABCDE12345' }, 'teamId', 'not_allowed'],
      [{ privateKey: createKey() }, 'privateKey', 'not_allowed'],
      [apple({ clientSecret: 'secret' }), 'clientSecret', 'not_allowed'],
      [apple({ teamId: undefined }), 'teamId', 'required'],
      [apple({ keyId: 'short' }), 'keyId', 'invalid'],
      [apple({ privateKey: undefined }), 'privateKey', 'required'],
      [apple({ privateKey: '' }), 'privateKey', 'invalid'],
      [apple({ privateKey: createKey('P-384') }), 'privateKey', 'invalid'],
      [oidc({ issuer: undefined }), 'issuer', 'required'],
      ...[
        'acme.example',
        'ftp://acme.example',
        'https://acme.example/?tenant=1',
        'https://acme.example/#a',
        'https://user@acme.example',
        'http://169.254.169.254/latest',
        'http://10.0.0.1/',
      ].map((issuer): [Record<string, unknown>, string, string] => [oidc({ issuer }), 'issuer', 'invalid']),
      [{ id: randomUUID() }, 'id', 'unknown_field'],
    ];
    const results = await Promise.all(
      cases.map(async ([fields, field, code]) => {
        const { status, body } = await create(fields);
        const error = body.errors?.find((each: { field: string }) => each.field === field);
        return status === 400 && error?.code === code ? null : { fields, status, body };
      }),
    );
    expect(results.filter((result) => result !== null)).toEqual([]);
    expect((await send('GET', path)).body.data).toEqual([]);
  });

  it('requires a free slug, a key with access, and an unarchived project with under 50 providers', async () => {
    await createProvider({ slug: 'google' });
    expect(await create({ slug: 'google' })).toMatchObject({ status: 409, body: { code: 'slug_taken' } });
    await instance.sql(
      `INSERT INTO identity_providers (id, project_id, slug, type, name, client_id, client_ids, issuer, tenants, scopes,
         enabled, allow_sign_up, trust_email, require_nonce, required)
       SELECT gen_random_uuid(), $1, 'filled-' || i, 'oidc', 'Filled', 'a', '{}', 'https://a.example', '{}', '{openid}',
         false, true, false, false, false FROM generate_series(1, 49) i`,
      [projectId],
    );
    expect(await create()).toMatchObject({
      status: 409,
      body: { code: 'conflict', detail: expect.stringContaining('50') },
    });
    await instance.sql('UPDATE projects SET archived_at = now() WHERE id = $1', [projectId]);
    secretKey = instance.credentials.secretKey;
    expect(await create()).toMatchObject({ status: 409, body: { code: 'project_archived' } });
    secretKey = instance.credentials.projectSecretKey;
    expect((await create()).status).toBe(404);
  });
});

describe('the secret of a provider', () => {
  it('stays encrypted in the database, and out of responses and logs', async () => {
    const clientSecret = randomBytes(24).toString('base64url');
    const privateKey = createKey();
    const body = privateKey.split('\n')[1]!;
    const google = await createProvider({ clientSecret });
    const other = await createProvider(apple({ privateKey }));
    await send('PATCH', pathOf(google), { clientSecret });
    await send('POST', `${pathOf(google)}/test`);
    const rows = await instance.sql(
      `SELECT encode(client_secret, 'escape') AS secret, encode(private_key, 'escape') AS key FROM identity_providers
       WHERE project_id = $1`,
      [projectId],
    );
    const audit = await instance.requestWithSecretKey('GET', `/api/v1/audit-log?projectId=${projectId}`);
    const lists = [await send('GET', path), await send('GET', pathOf(other)), audit].map(
      ({ body: response }) => response,
    );
    const visible = JSON.stringify([google, other, rows, lists, instance.api.log]);
    expect([visible.includes(clientSecret), visible.includes(body)]).toEqual([false, false]);
  });

  it('does not prevent the replay of the response for a repeated Idempotency-Key', async () => {
    const headers = { ...bearerHeader(secretKey), 'idempotency-key': randomUUID() };
    const body = newProvider();
    const [first, second] = [
      await instance.request('POST', path, { body, headers }),
      await instance.request('POST', path, { body, headers }),
    ];
    expect([second.status, second.body]).toEqual([201, first.body]);
    expect((await send('GET', path)).body.data).toHaveLength(1);
  });
});

describe('an update of a provider', () => {
  it('merges the fields, resets null to the default, and audits the changes without the secret', async () => {
    const provider = await createProvider({ name: 'Work', clientIds: ['app'], allowSignUp: false });
    const changes = { clientId: 'other', clientSecret: 'other secret', name: null, clientIds: null };
    const { status, body } = await send('PATCH', pathOf(provider), { ...changes, enabled: false });
    expect(status).toBe(200);
    expect(body).toEqual({
      ...provider,
      clientId: 'other',
      name: 'Google',
      clientIds: [],
      enabled: false,
      updatedAt: expect.any(String),
    });
    expect(body.updatedAt > provider['updatedAt']).toBe(true);
    expect((await send('PATCH', pathOf(provider), { name: 'Google' })).body).toEqual(body);
    const entries = (
      await instance.requestWithSecretKey('GET', `/api/v1/audit-log?targetId=${provider['id']}`)
    ).body.data;
    expect(entries.map(({ action, details }: Record<string, any>) => [action, details])).toEqual([
      [
        'identity_provider.updated',
        {
          changed: ['name', 'clientId', 'clientIds', 'enabled', 'clientSecret'],
          // The changes do not contain the secret.
          changes: {
            name: { from: 'Work', to: 'Google' },
            clientId: { from: provider['clientId'], to: 'other' },
            clientIds: { from: ['app'], to: [] },
            enabled: { from: true, to: false },
          },
        },
      ],
      ['identity_provider.created', { type: 'google' }],
    ]);
  });

  it('rejects immutable fields, fields of other types, and the removal of required ones', async () => {
    const google = await createProvider();
    const apples = await createProvider(apple());
    const open = await createProvider(oidc());
    const gitHub = await createProvider({ type: 'github' });
    const cases: [provider: Record<string, any>, patch: object, field: string][] = [
      [google, { type: 'github' }, 'type'],
      [google, { slug: 'other' }, 'slug'],
      [google, { issuer: 'https://a.example' }, 'issuer'],
      [google, { clientSecret: null }, 'clientSecret'],
      [google, { clientId: null }, 'clientId'],
      [google, { scopes: ['email'] }, 'scopes'],
      [google, { keyId: 'KEY1234567' }, 'keyId'],
      [apples, { privateKey: 'not a key' }, 'privateKey'],
      [apples, { trustEmail: true }, 'trustEmail'],
      [open, { clientIds: ['app'] }, 'clientIds'],
      [gitHub, { trustEmail: true }, 'trustEmail'],
      [gitHub, { domains: ['acme.example'] }, 'domains'],
    ];
    for (const [provider, patch, field] of cases)
      expect([patch, await send('PATCH', pathOf(provider), patch)]).toEqual([
        patch,
        expect.objectContaining({
          status: 400,
          body: expect.objectContaining({ errors: [expect.objectContaining({ field })] }),
        }),
      ]);
    expect((await send('PATCH', pathOf(open), { clientSecret: null })).body.hasClientSecret).toBe(false);
  });
});

it('a provider cannot be enabled while an API process on an older version is running', async () => {
  const off = await createProvider({ enabled: false });
  await instance.sql(
    `INSERT INTO apis (id, host, version, schema_version) VALUES (gen_random_uuid(), 'old', '0.1.9', 1)`,
  );
  try {
    const conflict = {
      status: 409,
      body: { code: 'conflict', detail: expect.stringContaining('0.1.9 on old') },
    };
    expect(await create()).toMatchObject(conflict);
    expect(await send('PATCH', pathOf(off), { enabled: true })).toMatchObject(conflict);
    expect((await create({ enabled: false })).status).toBe(201);
    expect((await send('PATCH', pathOf(off), { name: 'Still off' })).status).toBe(200);
  } finally {
    await instance.sql(`DELETE FROM apis WHERE host = 'old'`);
  }
});

describe('the last sign-in method', () => {
  it('can be neither turned off nor deleted if it is a provider', async () => {
    const withoutOthers = { signIn: { password: false, emailCode: false } };
    const off = await createProvider({ enabled: false });
    expect(await patchSettings(withoutOthers)).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'settings.signIn.password' }] },
    });
    const last = await createProvider();
    expect((await patchSettings(withoutOthers)).status).toBe(200);
    const conflict = {
      status: 409,
      body: { code: 'conflict', detail: expect.stringContaining('signIn.password') },
    };
    expect(await send('PATCH', pathOf(last), { enabled: false })).toMatchObject(conflict);
    expect(await send('DELETE', pathOf(last))).toMatchObject(conflict);
    expect((await send('PATCH', pathOf(off), { name: 'Still off' })).status).toBe(200);

    await createProvider();
    const results = await Promise.all([
      send('PATCH', pathOf(last), { enabled: false }),
      patchSettings({ signIn: { password: true } }),
    ]);
    expect(results.map(({ status }) => status)).toEqual([200, 200]);
  });

  it('remains if two methods are turned off at the same time', async () => {
    const providers = [await createProvider(), await createProvider()];
    expect((await patchSettings({ signIn: { password: false } })).status).toBe(200);
    const results = await Promise.all(
      providers.map((provider) => send('PATCH', pathOf(provider), { enabled: false })),
    );
    expect(results.map(({ status }) => status).sort()).toEqual([200, 409]);
  });
});

describe('the deletion of a provider', () => {
  it('fails while customers have identities at the provider, which can still be turned off', async () => {
    const provider = await createProvider();
    const { id: customerId } = await registerCustomer(instance);
    const providerId = provider['id'] as string;
    const identity = await insertIdentity(instance, customerId, { providerId });
    expect(await send('DELETE', pathOf(provider))).toMatchObject({
      status: 409,
      body: { code: 'conflict', detail: expect.stringMatching(/1 identity.*enabled to false/) },
    });
    expect((await send('PATCH', pathOf(provider), { enabled: false })).body.enabled).toBe(false);
    await instance.sql('DELETE FROM identities WHERE id = $1', [identity]);
    expect((await send('DELETE', pathOf(provider))).status).toBe(204);
    expect((await send('GET', pathOf(provider))).status).toBe(404);
    expect((await send('DELETE', pathOf(provider))).status).toBe(404);
  });
});

it('viewers can read providers, and admins can change them', async () => {
  const [viewer, admin] = [await insertOperator(instance, 'viewer'), await insertOperator(instance)];
  const operatorPath = path.replace('/api/v1', '');
  const { status, body } = await admin.request('POST', operatorPath, newProvider());
  expect(status).toBe(201);
  expect((await viewer.request('GET', operatorPath)).body.data).toEqual([body]);
  expect((await viewer.request('GET', `${operatorPath}/${body.id}`)).body).toEqual(body);
  const changes = [
    ['POST', operatorPath, newProvider()],
    ['PATCH', `${operatorPath}/${body.id}`, { enabled: false }],
    ['DELETE', `${operatorPath}/${body.id}`],
    ['POST', `${operatorPath}/${body.id}/test`],
  ] as const;
  for (const [method, to, input] of changes)
    expect((await viewer.request(method, to, input)).status).toBe(403);
  expect((await admin.request('DELETE', `${operatorPath}/${body.id}`)).status).toBe(204);
});

describe('the connection test', () => {
  let provider: StandInProvider;
  beforeAll(async () => (provider = await StandInProvider.start()));
  beforeEach(() => provider.reset());
  afterAll(async () => provider?.stop());

  const test = async (fields: Record<string, unknown>): Promise<Record<string, any>> => {
    const { status, body } = await send('POST', `${pathOf(await createProvider(fields))}/test`);
    expect(status).toBe(200);
    return body;
  };
  const client = (): Record<string, unknown> => {
    const { clientId, clientSecret } = provider.addClient({ redirectUri: 'http://127.0.0.1:9/' });
    return oidc({ issuer: provider.issuer, clientId, clientSecret });
  };
  const namesOf = ({ checks }: Record<string, any>, isOk: boolean): string[] =>
    checks.filter(({ ok }: { ok: boolean }) => ok === isOk).map(({ name }: { name: string }) => name);

  it('succeeds for a provider that supports everything a sign-in needs', async () => {
    const result = await test(client());
    expect([result['ok'], namesOf(result, false)]).toEqual([true, []]);
    expect(namesOf(result, true)).toEqual([
      'issuer_url',
      'discovery',
      'issuer',
      'endpoints',
      'response_type',
      'pkce',
      'client_authentication',
      'keys',
      'client_credentials',
    ]);
  });

  it('succeeds for Apple, GitHub and Discord, and detects a wrong key or secret', async () => {
    const redirectUri = 'http://127.0.0.1:9/';
    const [appleStandIn, gitHub, discord] = await Promise.all([
      AppleStandIn.start(),
      GitHubStandIn.start(),
      DiscordStandIn.start(),
    ]);
    try {
      const { redirectUri: _, ...appleClient } = appleStandIn.addClient({ redirectUri });
      const signing = { ...apple(appleClient), issuer: appleStandIn.issuer };
      const cases: [fields: Record<string, unknown>, failed: string[]][] = [
        [signing, []],
        [{ ...signing, privateKey: createKey() }, ['client_credentials']],
      ];
      for (const [type, standIn] of [['github', gitHub] as const, ['discord', discord] as const]) {
        const { clientId, clientSecret } = standIn.addClient({ redirectUri });
        const fields = { type, issuer: standIn.url, clientId, clientSecret };
        cases.push([fields, []], [{ ...fields, clientSecret: 'wrong' }, ['client_credentials']]);
      }
      for (const [fields, failed] of cases)
        expect([fields['type'], namesOf(await test(fields), false)]).toEqual([fields['type'], failed]);
    } finally {
      await Promise.all([appleStandIn.stop(), gitHub.stop(), discord.stop()]);
    }
  });

  it('reports what a provider lacks, without quoting the provider', async () => {
    const SECRET_TEXT = 'text from the provider';
    const discovery = (responder: Responder) => () => (provider.overrides = { discovery: responder });
    const metadata = (differences: object) => () => (provider.metadata = { ...differences });
    const cases: [label: string, arrange: () => unknown, failed: string[]][] = [
      ['another issuer', metadata({ issuer: 'https://other.example' }), ['issuer']],
      ['no JSON', discovery(respondWithContent('text/html', SECRET_TEXT)), ['discovery']],
      ['no document', discovery(respondWithJson({ error: SECRET_TEXT }, 404)), ['discovery']],
      ['an error', discovery(respondWithJson({ error: SECRET_TEXT }, 500)), ['discovery']],
      ['a redirect', discovery(respondWithRedirect('http://169.254.169.254/')), ['discovery']],
      ['an endless document', discovery(respondWithoutEnd), ['discovery']],
      ['no token endpoint', metadata({ token_endpoint: undefined }), ['endpoints']],
      ['an internal JWKS', metadata({ jwks_uri: 'http://10.0.0.1/keys' }), ['endpoints']],
      ['no JWKS', metadata({ jwks_uri: undefined }), ['endpoints']],
      ['no code flow', metadata({ response_types_supported: ['id_token'] }), ['response_type']],
      ['plain PKCE', metadata({ code_challenge_methods_supported: ['plain'] }), ['pkce']],
      [
        'only signed secrets',
        metadata({ token_endpoint_auth_methods_supported: ['private_key_jwt'] }),
        ['client_authentication'],
      ],
      ['no keys', () => (provider.overrides = { jwks: respondWithJson({ keys: [] }) }), ['keys']],
      ['a missing JWKS', () => (provider.overrides = { jwks: respondWithJson({}, 404) }), ['keys']],
      [
        'a token endpoint without a token',
        () => (provider.overrides = { token: respondWithContent('text/html', SECRET_TEXT) }),
        ['client_credentials'],
      ],
    ];
    for (const [label, arrange, failed] of cases) {
      provider.reset();
      const fields = client();
      arrange();
      const result = await test(fields);
      expect([label, result['ok'], namesOf(result, false)]).toEqual([label, false, failed]);
      expect(JSON.stringify(result)).not.toContain(SECRET_TEXT);
    }
  });

  it('reports an unknown client or an unreachable provider, and is audited without values', async () => {
    const unknown = await createProvider({ ...client(), clientSecret: 'pending', enabled: false });
    const { body } = await send('POST', `${pathOf(unknown)}/test`);
    expect(namesOf(body, false)).toEqual(['client_credentials']);
    const { data } = (
      await instance.requestWithSecretKey('GET', `/api/v1/audit-log?targetId=${unknown['id']}`)
    ).body;
    expect(data[0]).toMatchObject({
      action: 'identity_provider.tested',
      details: { failed: ['client_credentials'] },
    });
    expect(namesOf(await test(oidc({ issuer: 'http://127.0.0.1:9' })), false)).toEqual(['discovery']);
  });
});
