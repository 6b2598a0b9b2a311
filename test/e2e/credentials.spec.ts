import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import { Controller, Get, Module } from '@nestjs/common';
import { ApiModule } from '../../apps/api/src/api.module.js';
import { createApi } from '../../apps/api/src/api.js';
import { Readiness } from '../../apps/api/src/http/readiness.js';
import { registeredRoutes } from '../../apps/api/src/http/route-gate.js';
import { createLogger, loadConfig } from '#platform';
import { eventually } from '../support/eventually.js';
import { inChunks } from '../support/in-chunks.js';
import { TestInstance, PASSWORD, type Answer } from '../support/test-instance.js';
import { insertKey, insertOrganization, insertProject, type Tenant } from '../support/tenants.js';

let instance: TestInstance;
let tenant: Tenant;
let tokens: { accessToken: string; refreshToken: string };
let verificationToken: string;
beforeAll(async () => {
  instance = await TestInstance.shared({ workers: 0 });
  tenant = { ...instance.credentials, secretKey: instance.credentials.projectSecretKey };
  const email = 'matrix@example.com';
  tokens = (await instance.register(email)).body.tokens;
  verificationToken = await instance.verificationToken(email);
});
afterAll(async () => instance?.stop());

type Kind = 'secret' | 'publishable' | 'access';

/** The hosted pages. */
const pages = ['/verify-email', '/reset-password', '/accept-invite', '/confirm-email-change'];

/** Every route and the credentials that open it (specification, section 5; contract, sections 3 and 4). */
const routes: Record<string, Kind[]> = {
  'POST /api/v1/auth/register': ['publishable', 'secret'],
  'POST /api/v1/auth/login': ['publishable'],
  'POST /api/v1/auth/refresh': [],
  'POST /api/v1/auth/verify-email': [],
  'POST /api/v1/auth/resend-verification': ['publishable'],
  'POST /api/v1/auth/forgot-password': ['publishable'],
  'POST /api/v1/auth/reset-password': [],
  'POST /api/v1/auth/confirm-email-change': [],
  'POST /api/v1/auth/logout': ['access'],
  'GET /api/v1/me': ['access'],
  'PATCH /api/v1/me': ['access'],
  'POST /api/v1/me/password': ['access'],
  'POST /api/v1/me/email': ['access'],
  'POST /api/v1/me/delete': ['access'],
  'GET /api/v1/me/sessions': ['access'],
  'DELETE /api/v1/me/sessions/:sessionId': ['access'],
  'POST /api/v1/customers': ['secret'],
  'GET /api/v1/customers/:customerId': ['secret'],
  'DELETE /api/v1/customers/:customerId': ['secret'],
  'POST /api/v1/customers/:customerId/disable': ['secret'],
  'POST /api/v1/customers/:customerId/enable': ['secret'],
  'POST /api/v1/customers/:customerId/unlock': ['secret'],
  'GET /api/v1/customers/:customerId/sessions': ['secret'],
  'DELETE /api/v1/customers/:customerId/sessions': ['secret'],
  'DELETE /api/v1/customers/:customerId/sessions/:sessionId': ['secret'],
  'GET /api/v1/audit-log': ['secret'],
  'GET /api/v1/mailbox': ['secret'],
  'GET /api/v1/organizations': ['secret'],
  'POST /api/v1/organizations': ['secret'],
  'GET /api/v1/organizations/:organizationId': ['secret'],
  'PATCH /api/v1/organizations/:organizationId': ['secret'],
  'GET /api/v1/projects': ['secret'],
  'GET /api/v1/customers': ['secret'],
  'GET /api/v1/customers/:customerId/export': ['secret'],
  'PATCH /api/v1/customers/:customerId': ['secret'],
  'POST /api/v1/customers/import': ['secret'],
  'GET /api/v1/imports/:importId': ['secret'],
  'GET /api/v1/projects/:projectId/export': ['secret'],
  'POST /api/v1/projects': ['secret'],
  'POST /api/v1/projects/:projectId/archive': ['secret'],
  'POST /api/v1/projects/:projectId/api-keys': ['secret'],
  'GET /api/v1/projects/:projectId/api-keys': ['secret'],
  'GET /api/v1/projects/:projectId/api-keys/:keyId': ['secret'],
  'DELETE /api/v1/projects/:projectId/api-keys/:keyId': ['secret'],
  'POST /api/v1/projects/:projectId/api-keys/:keyId/rotate': ['secret'],
  'GET /api/v1/projects/:projectId': ['secret'],
  'PATCH /api/v1/projects/:projectId': ['secret'],
  'POST /api/v1/billing/portal': ['secret'],
  'GET /v1/webhooks/deliveries': ['secret'],
  'GET /v1/webhooks/event-types': ['secret'],
  'GET /v1/events/:eventId': ['secret'],
  'GET /v1/events': ['secret'],
  'GET /v1/webhooks/deliveries/:deliveryId': ['secret'],
  'POST /v1/webhooks/deliveries/:deliveryId/redeliver': ['secret'],
  'POST /v1/webhooks/deliveries/:deliveryId/discard': ['secret'],
  'GET /v1/webhooks/dead-letters': ['secret'],
  'POST /v1/webhooks/redeliveries': ['secret'],
  'GET /v1/webhooks/redeliveries': ['secret'],
  'GET /v1/webhooks/redeliveries/:redeliveryId': ['secret'],
  'POST /v1/webhooks/redeliveries/:redeliveryId/start': ['secret'],
  'POST /v1/webhooks/redeliveries/:redeliveryId/cancel': ['secret'],
  'POST /v1/webhooks/endpoints/:endpointId/recover': ['secret'],
  'POST /v1/webhooks/endpoints/:endpointId/enable': ['secret'],
  'POST /v1/webhooks/endpoints/:endpointId/disable': ['secret'],
  'POST /v1/webhooks/endpoints/:endpointId/rotate-secret': ['secret'],
  'POST /v1/webhooks/endpoints/:endpointId/test': ['secret'],
  'GET /v1/webhooks/endpoints/:endpointId/stats': ['secret'],
  'POST /v1/webhooks/endpoints': ['secret'],
  'GET /v1/webhooks/endpoints': ['secret'],
  'GET /v1/webhooks/endpoints/:endpointId': ['secret'],
  'PATCH /v1/webhooks/endpoints/:endpointId': ['secret'],
  'DELETE /v1/webhooks/endpoints/:endpointId': ['secret'],
  'GET /.well-known/jwks.json': [],
  'GET /billing-portal': [],
  'GET /docs': [],
  'GET /docs/errors': [],
  'GET /docs/reference.css': [],
  'GET /docs/reference.js': [],
  'GET /docs/swagger-ui-bundle.js': [],
  'GET /docs/swagger-ui.css': [],
  'GET /livez': [],
  'GET /openapi.json': [],
  'GET /readyz': [],
  ...Object.fromEntries(
    pages.flatMap((page) => [
      [`GET ${page}`, []],
      [`POST ${page}`, []],
    ]),
  ),
};

/** Every credential there is, in every header it could be put into. */
const presentations = (): { name: string; kind: Kind | null; headers: Record<string, string> }[] => [
  {
    name: 'secret key as bearer token',
    kind: 'secret',
    headers: { authorization: `Bearer ${instance.credentials.secretKey}` },
  },
  {
    name: 'secret key in x-api-key',
    kind: 'secret',
    headers: { 'x-api-key': instance.credentials.secretKey },
  },
  { name: 'publishable key', kind: 'publishable', headers: { 'x-publishable-key': tenant.publishableKey } },
  { name: 'access token', kind: 'access', headers: { authorization: `Bearer ${tokens.accessToken}` } },
  { name: 'secret key in x-publishable-key', kind: null, headers: { 'x-publishable-key': tenant.secretKey } },
  {
    name: 'publishable key as bearer token',
    kind: null,
    headers: { authorization: `Bearer ${tenant.publishableKey}` },
  },
  { name: 'publishable key in x-api-key', kind: null, headers: { 'x-api-key': tenant.publishableKey } },
];

/** What is no credential of any route's header at all. */
const strangers = (): { name: string; headers: Record<string, string> }[] => [
  { name: 'nothing', headers: {} },
  { name: 'refresh token', headers: { authorization: `Bearer ${tokens.refreshToken}` } },
  { name: 'verification token', headers: { authorization: `Bearer ${verificationToken}` } },
  { name: 'access token in x-api-key', headers: { 'x-api-key': tokens.accessToken } },
  { name: 'access token in x-publishable-key', headers: { 'x-publishable-key': tokens.accessToken } },
  { name: 'unknown key with a right checksum', headers: { authorization: `Bearer ${unknownKey}` } },
  { name: 'key with a wrong checksum', headers: { 'x-api-key': `${tenant.secretKey.slice(0, -1)}!` } },
  {
    name: 'basic authentication',
    headers: { authorization: `Basic ${Buffer.from('a:b').toString('base64')}` },
  },
];
let unknownKey = '';

const ask = (route: string, headers: Record<string, string>) => {
  const [method, path] = route.split(' ') as [string, string];
  // A faulty body where an empty one would end the session that the next rows need.
  const body = path.endsWith('/logout') ? { scope: 'none' } : undefined;
  return instance.request(method, path.replace(/:\w+/g, 'x'), { headers, body });
};

describe('the credential × route matrix (AK-03, TK-03)', () => {
  beforeAll(async () => {
    unknownKey = await insertKey(instance, { ...tenant, type: 'secret' });
    await instance.sql(`UPDATE api_keys SET revoked_at = now() WHERE last4 = $1`, [unknownKey.slice(-4)]);
  });

  it('names every route that there is', async () => {
    const api = await inProcessApi();
    const found = registeredRoutes(api.express).map(({ method, path }) => `${method} ${path}`);
    await api.app.close();
    // Those take a session and nothing else: operator-requests.spec.ts tries all of them.
    const others = found.filter((name) => !name.includes(' /operator/'));
    expect(others.sort()).toEqual(Object.keys(routes).sort());
  });

  it('opens each route with its credentials alone', async () => {
    const faults = await inChunks(Object.keys(routes), async (route) => {
      const opens = routes[route]!;
      const isPage = pages.some((page) => route.endsWith(` ${page}`));
      const found: string[] = [];
      const expectOpen = (name: string, status: number): void => {
        if ([401, 403].includes(status) && !isPage) found.push(`${route}: ${name}: ${status}`);
      };
      const expectCode = (name: string, answer: Answer, code: string): void => {
        const outcome = `${answer.status} ${answer.body.code}`;
        if (outcome !== code) found.push(`${route}: ${name}: ${outcome} instead of ${code}`);
      };
      // The files of the reference are large and the same for everyone: one wrong key each.
      const isFile = / \/(docs|openapi)/.test(route);
      for (const { name, kind, headers } of isFile ? [] : presentations()) {
        const answer = await ask(route, headers);
        if (opens.length === 0 || (kind && opens.includes(kind))) expectOpen(name, answer.status);
        else expectCode(name, answer, '403 wrong_credential_type');
      }
      for (const { name, headers } of isFile ? strangers().slice(-2) : strangers()) {
        const answer = await ask(route, headers);
        if (opens.length === 0) expectOpen(name, answer.status);
        else {
          const code = opens.includes('access') ? 'invalid_access_token' : 'invalid_api_key';
          expectCode(name, answer, `401 ${code}`);
          if (!answer.headers.get('www-authenticate')?.includes('Bearer'))
            found.push(`${route}: ${name}: no WWW-Authenticate`);
        }
      }
      return found;
    });
    expect(faults).toEqual([]);
  });

  it('refuses to serve a route that declares no credential', async () => {
    @Controller('undeclared')
    class UndeclaredController {
      @Get()
      show(): string {
        return 'open';
      }
    }
    const api = await inProcessApi([UndeclaredController]);
    api.app.get(Readiness, { strict: false }).started = true;
    const server = api.express.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const undeclared = await fetch(`http://127.0.0.1:${port}/undeclared`);
    const declared = await fetch(`http://127.0.0.1:${port}/docs/errors`);
    server.close();
    server.closeAllConnections();
    await api.app.close();
    expect(declared.status).toBe(200);
    expect(undeclared.status).toBe(404);
    expect(await undeclared.text()).toContain('not_found');
  });
});

describe('keys', () => {
  it('work with another scheme case, and twice the same', async () => {
    const headers = { authorization: `bearer ${tenant.secretKey}`, 'x-api-key': tenant.secretKey };
    expect((await instance.request('GET', '/v1/webhooks/endpoints', { headers })).status).toBe(200);
  });

  it('of one kind, or of two projects, do not mix (AK-03)', async () => {
    const other = await insertProject(instance, tenant.organizationId);
    const mixes: Record<string, string>[] = [
      { authorization: `Bearer ${tenant.secretKey}`, 'x-api-key': instance.credentials.secretKey },
      { authorization: `Bearer ${tenant.secretKey}`, 'x-publishable-key': other.publishableKey },
    ];
    for (const headers of mixes) {
      const answer = await instance.request('POST', '/api/v1/auth/register', { headers, body: {} });
      expect(answer).toMatchObject({ status: 400, body: { code: 'multiple_credentials' } });
    }
  });

  it('in the query string are refused', async () => {
    for (const name of ['api_key', 'key', 'x-api-key', 'access_token']) {
      expect(
        (await instance.request('GET', `/v1/webhooks/endpoints?${name}=${tenant.secretKey}`)).status,
      ).toBe(401);
    }
  });

  it('need every scope of the route (AK-06)', async () => {
    const key = await insertKey(instance, {
      ...tenant,
      type: 'secret',
      scopes: ['customer:read', 'webhook:write'],
    });
    const headers = { authorization: `Bearer ${key}` };
    const refused = await instance.request('GET', '/v1/webhooks/deliveries', { headers });
    expect(refused).toMatchObject({
      status: 403,
      body: { code: 'insufficient_scope', requiredScopes: ['webhook:read'] },
    });
    const register = await instance.request('POST', '/api/v1/auth/register', {
      headers,
      body: { email: 'scope@example.com', password: PASSWORD },
    });
    expect(register).toMatchObject({ status: 403, body: { requiredScopes: ['customer:write'] } });
  });

  it('die at once when revoked or expired, with one body for all (AK-08)', async () => {
    const key = await insertKey(instance, { ...tenant, type: 'secret' });
    const headers = { authorization: `Bearer ${key}` };
    const ask = () => instance.request('GET', '/v1/webhooks/endpoints', { headers });
    expect((await ask()).status).toBe(200);
    for (const column of ['revoked_at', 'expires_at']) {
      await instance.sql(`UPDATE api_keys SET ${column} = now() WHERE last4 = $1`, [key.slice(-4)]);
      expect(await ask()).toMatchObject({ status: 401, body: { code: 'invalid_api_key' } });
      await instance.sql(`UPDATE api_keys SET ${column} = NULL WHERE last4 = $1`, [key.slice(-4)]);
    }
    await instance.sql('UPDATE projects SET archived_at = now() WHERE id = $1', [tenant.projectId]);
    const archived = await ask();
    await instance.sql('UPDATE projects SET archived_at = NULL WHERE id = $1', [tenant.projectId]);
    expect(archived.status).toBe(401);
  });

  it('are kept as SHA-256 only, and note their use (AK-02)', async () => {
    const key = await insertKey(instance, { ...tenant, type: 'secret' });
    await instance.request('GET', '/v1/webhooks/endpoints', { headers: { authorization: `Bearer ${key}` } });
    const line = await eventually('its use being noted', async () => {
      const [row] = await instance.sql<{ line: string }>(
        'SELECT k::text AS line FROM api_keys k WHERE last4 = $1 AND last_used_at IS NOT NULL',
        [key.slice(-4)],
      );
      return row?.line;
    });
    expect(line).not.toContain(key);
  });

  it('see nothing of another tenant (AK-04)', async () => {
    const stranger = await insertOrganization(instance);
    const sibling = await insertProject(instance, tenant.organizationId);
    const mine = await instance.request('POST', '/v1/webhooks/endpoints', {
      headers: { authorization: `Bearer ${tenant.secretKey}` },
      body: { url: 'http://127.0.0.1:9/' },
    });
    const path = `/v1/webhooks/endpoints/${mine.body.data.id}`;
    for (const { secretKey } of [stranger, sibling]) {
      const headers = { authorization: `Bearer ${secretKey}` };
      const missing = await instance.request(
        'GET',
        '/v1/webhooks/endpoints/ep_01a1fbc4-d13c-766e-87e8-1123689da101',
        { headers },
      );
      for (const [method, body] of [['GET'], ['PATCH', { url: 'http://127.0.0.1:8/' }], ['DELETE']] as [
        string,
        object?,
      ][]) {
        const answer = await instance.request(method, path, { headers, body });
        expect({ ...answer.body, requestId: '' }).toEqual({ ...missing.body, requestId: '' });
      }
      expect((await instance.request('GET', '/v1/webhooks/endpoints', { headers })).body.data).toEqual([]);
      const byFilter = await instance.request(
        'GET',
        `/v1/webhooks/endpoints?project_id=${tenant.projectId}`,
        {
          headers,
        },
      );
      expect(byFilter.body.data).toEqual([]);
      const created = await instance.request('POST', '/v1/webhooks/endpoints', {
        headers,
        body: { url: 'http://127.0.0.1:9/', project_id: tenant.projectId },
      });
      expect(created.status).toBe(404);
    }
    const organization = await instance.server('GET', '/v1/webhooks/endpoints');
    expect((organization.body.data as { id: string }[]).map(({ id }) => id)).toContain(mine.body.data.id);
  });
});

/** The status of a request whose header lines are sent as they are, one character a byte. */
const statusOf = (method: string, path: string, lines: string[]): Promise<number> =>
  new Promise((resolve, reject) => {
    const head = [`${method} ${path} HTTP/1.1`, 'Host: x', 'Connection: close', ...lines];
    const socket = connect(Number(instance.env['PORT']), '127.0.0.1', () =>
      socket.write(`${head.join('\r\n')}\r\n\r\n`, 'latin1'),
    );
    let answer = '';
    socket.setEncoding('latin1').on('data', (chunk: string) => (answer += chunk));
    socket.on('error', reject).on('close', () => resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0)));
  });

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const bytes = (text: string): string => Buffer.from(text).toString('latin1');

/** What stands in a credential's place, made of genuine credentials where that is worse. */
const values = (): Record<string, string> => {
  const [head, claims, signature] = tokens.accessToken.split('.') as [string, string, string];
  const { secretKey, publishableKey } = instance.credentials;
  return {
    nothing: '',
    'one character': 'x',
    'very long': 'x'.repeat(14_000),
    'too long': 'x'.repeat(20_000),
    binary: '\x80\xff\xfe\xc0\x80',
    emoji: bytes('🦄🦄🦄'),
    tabs: 'a\tb\tc',
    commas: `${secretKey}, ${secretKey}`,
    quotes: `"${secretKey}"`,
    SQL: "' OR 1=1 --",
    'a null': 'null',
    'a prototype': '__proto__',
    'a key cut short': secretKey.slice(0, -1),
    'a key made longer': `${secretKey}x`,
    'a key with another checksum': `${secretKey.slice(0, -6)}000000`,
    'a key of another type': secretKey.replace('sk_', 'xk_'),
    'a publishable key cut short': publishableKey.slice(0, -1),
    'a JWT without signature': `${head}.${claims}.`,
    'two parts of a JWT': `${head}.${claims}`,
    'four parts of a JWT': `${tokens.accessToken}.x`,
    dots: '...',
    'a JWT of nulls': `${encode(null)}.${encode(null)}.${encode(null)}`,
    'a JWT of lists': `${encode([])}.${encode([])}.`,
    'a JWT of numbers': `${encode(1)}.${encode(2)}.3`,
    'a JWT with a broken head': `x${head}.${claims}.${signature}`,
    'a JWT with broken claims': `${head}.x${claims}.${signature}`,
    'a JWT with a head that is no JSON': `${Buffer.from('{"alg":').toString('base64url')}.${claims}.${signature}`,
    'a JWT with a deep head': `${Buffer.from('['.repeat(5_000)).toString('base64url')}.${claims}.${signature}`,
    'a JWT with an object for a key id': `${encode({ alg: 'ES256', typ: 'at+jwt', kid: {} })}.${claims}.${signature}`,
    'a JWT without algorithm': `${encode({ alg: 'none', typ: 'at+jwt' })}.${claims}.`,
    'a JWT in standard base64': tokens.accessToken.replaceAll('-', '+').replaceAll('_', '/') + '==',
    'a JWT with a signature of zeros': `${head}.${claims}.${'A'.repeat(86)}`,
  };
};

const headerForms: [string, (value: string) => string[]][] = [
  ['Authorization: Bearer …', (value) => [`Authorization: Bearer ${value}`]],
  ['Authorization: bEaReR with two blanks', (value) => [`Authorization: bEaReR  ${value}`]],
  ['Authorization without scheme', (value) => [`Authorization: ${value}`]],
  ['Authorization: Basic …', (value) => [`Authorization: Basic ${value}`]],
  ['Authorization: Bearer Bearer …', (value) => [`Authorization: Bearer Bearer ${value}`]],
  ['Authorization twice', (value) => ['Authorization: Bearer x', `Authorization: Bearer ${value}`]],
  ['x-api-key', (value) => [`X-Api-Key: ${value}`]],
  ['x-api-key twice', (value) => ['X-Api-Key: x', `X-Api-Key: ${value}`]],
  ['x-publishable-key', (value) => [`X-Publishable-Key: ${value}`]],
  ['x-publishable-key twice', (value) => ['X-Publishable-Key: x', `X-Publishable-Key: ${value}`]],
  [
    'all three',
    (value) => [`Authorization: Bearer ${value}`, `X-Api-Key: ${value}`, `X-Publishable-Key: ${value}`],
  ],
];

/** One of each kind of route that asks for a credential. */
const guardedRoutes = [
  ['GET', '/api/v1/me'],
  ['GET', '/v1/webhooks/endpoints'],
  ['GET', '/api/v1/customers/x'],
  ['POST', '/api/v1/auth/register'],
  ['POST', '/api/v1/auth/login'],
  ['POST', '/api/v1/auth/logout'],
] as const;

describe('AK-09: malformed credentials', () => {
  it('are refused in every header on every kind of route, hinder nothing on a route that needs none, and cause no internal error', async () => {
    const { pid } = instance.api;
    const logged = instance.api.log.length;
    const cases = headerForms.flatMap(([form, lines]) =>
      Object.entries(values()).map(([name, value]) => ({ name: `${name} in ${form}`, lines: lines(value) })),
    );
    const faults = await inChunks(cases, async ({ name, lines }) => {
      const statuses = await Promise.all(
        guardedRoutes.map(([method, path]) => statusOf(method, path, lines)),
      );
      const odd = statuses.filter((status) => ![400, 401, 403, 431].includes(status));
      const open = await statusOf('GET', '/.well-known/jwks.json', lines);
      const isOpen = open === (lines.join('').length > 16_000 ? 431 : 200);
      return odd.length > 0 || !isOpen ? [{ name, odd, open }] : [];
    });
    for (const control of ['\0', '\x01', '\x7f', '\n', '\r']) {
      const status = await statusOf('GET', '/api/v1/me', [`Authorization: Bearer a${control}b`]);
      if (![400, 401].includes(status))
        faults.push({ name: JSON.stringify(control), odd: [status], open: 0 });
    }
    expect(faults).toEqual([]);
    expect([instance.api.isRunning, instance.api.pid]).toEqual([true, pid]);
    const lines = instance.api.log.slice(logged);
    expect(lines.filter(({ level }) => level === 'error' || level === 'fatal')).toEqual([]);

    const genuine = (value: string) => [`Authorization: Bearer ${value}`];
    expect(await statusOf('GET', '/api/v1/me', genuine(tokens.accessToken))).toBe(200);
    expect(await statusOf('GET', '/v1/webhooks/endpoints', genuine(instance.credentials.secretKey))).toBe(
      200,
    );
  });
});

/** The api inside this process, without database or listener; for looking at how it is put together. */
async function inProcessApi(controllers: (new () => unknown)[] = []) {
  const config = loadConfig({ ...instance.env, LOG_LEVEL: 'silent' });
  const logger = createLogger(config, 'test');
  @Module({ imports: [ApiModule.for(config, logger)], controllers })
  class RootModule {}
  return createApi(config, logger, RootModule);
}
