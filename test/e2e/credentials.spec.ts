import { connect } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import { Module } from '@nestjs/common';
import { scopes, type Access } from '@gatehouse/domain';
import { createLogger, loadConfig } from '@gatehouse/platform';
import { ApiModule } from '../../apps/api/src/api.module.js';
import { createApi } from '../../apps/api/src/api.js';
import { registeredRoutes } from '../../apps/api/src/http/route-gate.js';
import { isNightly } from '../support/is-nightly.js';
import { runInChunks } from '../support/run-in-chunks.js';
import { TestInstance, type TestResponse } from '../support/test-instance.js';
import { insertKey, type Tenant } from '../support/tenants.js';

let instance: TestInstance;
let tenant: Tenant;
/** A key with all scopes. The instance's first key has only the default scopes. */
let secretKey: string;
let tokens: { accessToken: string; refreshToken: string };
let verificationToken: string;
beforeAll(async () => {
  instance = await TestInstance.startShared({ workers: 0 });
  tenant = { ...instance.credentials, secretKey: instance.credentials.projectSecretKey };
  secretKey = await insertKey(instance, { ...instance.credentials, type: 'secret', access: 'organization' });
  const email = 'matrix@example.com';
  tokens = (await instance.register(email)).body.tokens;
  verificationToken = await instance.getVerificationToken(email);
});
afterAll(async () => instance?.stop());

type Kind = 'secret' | 'publishable' | 'access';

const pages = [
  '/verify-email',
  '/email-sign-in',
  '/disown',
  '/reset-password',
  '/accept-invite',
  '/confirm-email-change',
];

/** The hosted sign-in page: its screens, and its form and script paths. */
const signInPage = [
  ...['GET /sign-in', 'GET /sign-in/page.js', 'GET /sign-in/provider/:slug', 'POST /sign-in'],
  ...[
    'continue',
    'email-code',
    'email-code/verify',
    'forgot-password',
    'sign-up',
    'verification',
    'passkey',
  ].map((path) => `POST /sign-in/${path}`),
  ...['passkey/options', 'challenge', 'challenge/passkey', 'challenge/passkey/options'].map(
    (path) => `POST /sign-in/${path}`,
  ),
  ...['enroll-passkey', 'enroll-passkey/options'].map((path) => `POST /sign-in/challenge/${path}`),
];

/** The routes that require no credential. */
const openRoutes = [
  ...['refresh', 'verify-email', 'disown', 'reset-password', 'confirm-email-change'].map(
    (path) => `POST /api/v1/auth/${path}`,
  ),
  ...[
    '/.well-known/jwks.json',
    '/.well-known/openid-configuration',
    '/.well-known/webauthn',
    '/billing-portal',
    '/livez',
    '/openapi.json',
    '/operator/openapi.json',
    '/readyz',
    '/',
  ],
  ...['/docs', '/docs/errors', '/docs/reference.css', '/docs/reference.js'],
  ...['/docs/swagger-ui-bundle.js', '/docs/swagger-ui.css', ...pages],
  ...pages.map((path) => `POST ${path}`),
  ...['GET', 'POST'].map((method) => `${method} /api/v1/auth/oauth/callback/:providerId`),
  ...signInPage,
].map((route) => (route.startsWith('/') ? `GET ${route}` : route));

/**
 * The credentials that the other routes accept (specification, section 5; contract, sections 3 and 4). `secret` is any
 * secret key, and `organization` is one with access to the organization. The required scopes follow.
 */
const routesByCredential: Record<string, string> = {
  'publishable secret customer:write': 'POST /api/v1/auth/register',
  publishable: `
    GET /api/v1/auth/options, POST /api/v1/auth/options, POST /api/v1/auth/email-code,
    POST /api/v1/auth/email-code/verify, POST /api/v1/auth/exchange, POST /api/v1/auth/login, POST /api/v1/auth/sign-in-token, POST /api/v1/auth/resend-verification,
    POST /api/v1/auth/forgot-password, POST /api/v1/auth/challenge/totp,
    POST /api/v1/auth/challenge/recovery-code, POST /api/v1/auth/challenge/enroll-totp,
    POST /api/v1/auth/passkey/options, POST /api/v1/auth/passkey, POST /api/v1/auth/challenge/passkey/options,
    POST /api/v1/auth/challenge/passkey, POST /api/v1/auth/challenge/enroll-passkey/options,
    POST /api/v1/auth/challenge/enroll-passkey, POST /api/v1/auth/oauth/:provider,
    POST /api/v1/auth/oauth/:provider/token`,
  access: `
    POST /api/v1/auth/logout, GET /api/v1/me, PATCH /api/v1/me, POST /api/v1/me/password,
    POST /api/v1/me/email, POST /api/v1/me/delete, POST /api/v1/me/reauthenticate, GET /api/v1/me/sessions,
    DELETE /api/v1/me/sessions/:sessionId, GET /api/v1/me/factors, POST /api/v1/me/factors/totp,
    POST /api/v1/me/factors/totp/:factorId/confirm, DELETE /api/v1/me/factors/:factorId, POST /api/v1/me/recovery-codes,
    POST /api/v1/me/reauthenticate/options, GET /api/v1/me/passkeys, POST /api/v1/me/passkeys/options,
    POST /api/v1/me/passkeys, PATCH /api/v1/me/passkeys/:passkeyId, DELETE /api/v1/me/passkeys/:passkeyId,
    GET /api/v1/me/identities, POST /api/v1/me/identities/exchange, POST /api/v1/me/identities/:identity,
    DELETE /api/v1/me/identities/:identity, POST /api/v1/me/reauthenticate/oauth/:provider,
    POST /api/v1/me/reauthenticate/exchange`,
  'secret customer:write': `
    POST /api/v1/customers, POST /api/v1/customers/:customerId/disable,
    POST /api/v1/customers/:customerId/enable, POST /api/v1/customers/:customerId/unlock,
    POST /api/v1/customers/:customerId/invite, POST /api/v1/customers/:customerId/factors/:factorId/remove,
    POST /api/v1/customers/:customerId/identities/:identityId/remove,
    POST /api/v1/customers/:customerId/require-reauthentication,
    PATCH /api/v1/customers/:customerId, POST /api/v1/customers/import, GET /api/v1/imports/:importId`,
  'secret customer:read': `
    GET /api/v1/customers/:customerId, GET /api/v1/mails, GET /api/v1/customers,
    GET /api/v1/customers/:customerId/export, GET /api/v1/customers/:customerId/factors,
    GET /api/v1/customers/:customerId/identities`,
  // The scope depends on the body (sign-in-tokens.spec.ts).
  secret: 'POST /api/v1/customers/:customerId/sign-in-tokens',
  'secret customer:delete': 'DELETE /api/v1/customers/:customerId',
  'secret session:read': 'GET /api/v1/customers/:customerId/sessions',
  'secret session:revoke': `
    DELETE /api/v1/customers/:customerId/sessions, DELETE /api/v1/customers/:customerId/sessions/:sessionId`,
  'secret mailbox:read': 'GET /api/v1/mailbox',
  'secret audit:read': 'GET /api/v1/audit-log',
  'secret organization:read': 'GET /api/v1/organizations, GET /api/v1/organizations/:organizationId',
  'organization organization:write': `
    POST /api/v1/organizations, PATCH /api/v1/organizations/:organizationId`,
  'secret project:read': `
    GET /api/v1/projects, GET /api/v1/projects/:projectId, GET /api/v1/projects/:projectId/mail-templates,
    GET /api/v1/projects/:projectId/mail-templates/:kind/:language,
    GET /api/v1/projects/:projectId/identity-providers,
    GET /api/v1/projects/:projectId/identity-providers/:providerId`,
  'secret project:write': `
    POST /api/v1/projects/:projectId/identity-providers,
    PATCH /api/v1/projects/:projectId/identity-providers/:providerId,
    DELETE /api/v1/projects/:projectId/identity-providers/:providerId,
    POST /api/v1/projects/:projectId/identity-providers/:providerId/test,
    POST /api/v1/projects/:projectId/identity-providers/:providerId/domains/:domain/verify`,
  'organization project:read customer:read': 'GET /api/v1/projects/:projectId/export',
  'organization project:write': `
    POST /api/v1/projects, POST /api/v1/projects/:projectId/archive, PATCH /api/v1/projects/:projectId,
    PATCH /api/v1/projects/:projectId/mail-templates/:kind/:language,
    DELETE /api/v1/projects/:projectId/mail-templates/:kind/:language,
    POST /api/v1/projects/:projectId/mail-templates/:kind/:language/preview`,
  'secret api_key:write': `
    POST /api/v1/projects/:projectId/api-keys, DELETE /api/v1/projects/:projectId/api-keys/:keyId,
    POST /api/v1/projects/:projectId/api-keys/:keyId/rotate`,
  'secret api_key:read': `
    GET /api/v1/projects/:projectId/api-keys, GET /api/v1/projects/:projectId/api-keys/:keyId`,
  'secret billing:write': 'POST /api/v1/billing/portal',
  'secret webhook:read': `
    GET /v1/webhooks/deliveries, GET /v1/webhooks/event-types, GET /v1/webhooks/deliveries/:deliveryId,
    GET /v1/webhooks/dead-letters, GET /v1/webhooks/redeliveries,
    GET /v1/webhooks/redeliveries/:redeliveryId, GET /v1/webhooks/endpoints/:endpointId/stats,
    GET /v1/webhooks/endpoints, GET /v1/webhooks/endpoints/:endpointId`,
  'secret event:read': 'GET /v1/events/:eventId, GET /v1/events',
  'secret event:write': 'POST /v1/events',
  'secret webhook:redeliver': `
    POST /v1/webhooks/deliveries/:deliveryId/redeliver, POST /v1/webhooks/deliveries/:deliveryId/discard,
    POST /v1/webhooks/redeliveries, POST /v1/webhooks/redeliveries/:redeliveryId/start,
    POST /v1/webhooks/redeliveries/:redeliveryId/cancel, POST /v1/webhooks/endpoints/:endpointId/recover`,
  'secret webhook:write': `
    POST /v1/webhooks/endpoints/:endpointId/enable, POST /v1/webhooks/endpoints/:endpointId/disable,
    POST /v1/webhooks/endpoints/:endpointId/rotate-secret, POST /v1/webhooks/endpoints/:endpointId/test,
    POST /v1/webhooks/endpoints, PATCH /v1/webhooks/endpoints/:endpointId,
    DELETE /v1/webhooks/endpoints/:endpointId`,
};
const routes: Record<string, string> = Object.fromEntries(
  Object.entries(routesByCredential).flatMap(([requirements, list]) =>
    list.split(',').map((route) => [route.trim(), requirements] as const),
  ),
);

/** Each credential in each header, with its kind if it belongs in that header. */
const presentations = (): [name: string, kind: Kind | null, headers: Record<string, string>][] => [
  ['secret key as bearer token', 'secret', { authorization: `Bearer ${secretKey}` }],
  ['secret key in x-api-key', 'secret', { 'x-api-key': secretKey }],
  ['publishable key', 'publishable', { 'x-publishable-key': tenant.publishableKey }],
  ['access token', 'access', { authorization: `Bearer ${tokens.accessToken}` }],
  ['secret key in x-publishable-key', null, { 'x-publishable-key': tenant.secretKey }],
  ['publishable key as bearer token', null, { authorization: `Bearer ${tenant.publishableKey}` }],
  ['publishable key in x-api-key', null, { 'x-api-key': tenant.publishableKey }],
];

/** Values that are not a valid credential in any header. */
const invalidCredentials = (): [name: string, headers: Record<string, string>][] => [
  ['nothing', {}],
  ['refresh token', { authorization: `Bearer ${tokens.refreshToken}` }],
  ['verification token', { authorization: `Bearer ${verificationToken}` }],
  ['access token in x-api-key', { 'x-api-key': tokens.accessToken }],
  ['access token in x-publishable-key', { 'x-publishable-key': tokens.accessToken }],
  ['revoked key', { authorization: `Bearer ${revokedKey}` }],
  ['key with a wrong checksum', { 'x-api-key': `${tenant.secretKey.slice(0, -1)}!` }],
  ['basic authentication', { authorization: `Basic ${Buffer.from('a:b').toString('base64')}` }],
];
let revokedKey = '';

const send = (route: string, headers: Record<string, string>) => {
  const [method, path] = route.split(' ') as [string, string];
  // The body is invalid, because an empty one would end the session that the next rows need.
  const body = path.endsWith('/logout') ? { scope: 'none' } : undefined;
  return instance.request(method, path.replace(/:\w+/g, 'x'), { headers, body });
};

/** The first route of each requirement set. Only the nightly test sends every credential to every route. */
const firstRoutes = new Set(
  new Map(
    Object.entries(routes)
      .toReversed()
      .map(([route, kind]) => [kind, route]),
  ).values(),
);
/** Returns true for a credential in the right header, and for a request without one. Every route receives these. */
const essential = (name: string, kind: Kind | null = null): boolean => kind !== null || name === 'nothing';

const outcomeOf = ({ status, body }: TestResponse): string => `${status} ${body.code}`;

describe('the credential × route matrix', () => {
  beforeAll(async () => {
    revokedKey = await insertKey(instance, { ...tenant, type: 'secret' });
    await instance.sql(`UPDATE projects SET settings = '{"signIn": {"passkey": true}}' WHERE id = $1`, [
      tenant.projectId,
    ]);
    await instance.sql(`UPDATE api_keys SET revoked_at = now() WHERE last4 = $1`, [revokedKey.slice(-4)]);
  });

  it('covers every route', async () => {
    const config = loadConfig({ ...instance.env, LOG_LEVEL: 'silent' });
    const logger = createLogger(config, 'test');
    @Module({ imports: [ApiModule.forRoot(config, logger)] })
    class RootModule {}
    const api = await createApi(config, logger, RootModule);
    const found = registeredRoutes(api.express).map(({ method, path }) => `${method} ${path}`);
    await api.app.close();
    // The operator routes accept only a session. operator-requests.spec.ts covers all of them.
    const others = found.filter((name) => !name.includes(' /operator/v1/'));
    expect(others.sort()).toEqual([...openRoutes, ...Object.keys(routes)].sort());
  });

  it('AK-03, AK-08, TK-03: accepts only the credentials that each route allows', async () => {
    const failures = await runInChunks(Object.entries(routes), async ([route, requirements]) => {
      const accepted = requirements.replace('organization', 'secret').split(' ');
      const isComplete = isNightly || firstRoutes.has(route);
      const found: string[] = [];
      for (const [name, kind, headers] of presentations()) {
        if (!isComplete && !essential(name, kind)) continue;
        const response = await send(route, headers);
        const isExpected =
          kind && accepted.includes(kind)
            ? ![401, 403].includes(response.status)
            : outcomeOf(response) === '403 wrong_credential_type';
        if (!isExpected) found.push(`${route}: ${name}: ${outcomeOf(response)}`);
      }
      const expectedError = accepted.includes('access') ? '401 invalid_access_token' : '401 invalid_api_key';
      for (const [name, headers] of invalidCredentials()) {
        if (!isComplete && !essential(name)) continue;
        const response = await send(route, headers);
        const isChallenged = response.headers.get('www-authenticate')?.includes('Bearer');
        if (outcomeOf(response) !== expectedError || !isChallenged)
          found.push(`${route}: ${name}: ${outcomeOf(response)}`);
      }
      return found;
    });
    expect(failures).toEqual([]);
  });

  it('AK-03: ignores credentials on routes that require none', async () => {
    const failures = await runInChunks(openRoutes, async (route) => {
      // The API reference files are large, and identical for every caller.
      if (/ \/(docs|openapi)/.test(route)) return [];
      const headers = [...presentations(), ...invalidCredentials()]
        .filter(
          ([name, kind]) =>
            isNightly || name === 'revoked key' || essential(name, typeof kind === 'string' ? kind : null),
        )
        .map((each) => each.at(-1));
      const responses = await Promise.all(headers.map((each) => send(route, each as Record<string, string>)));
      const outcomes = new Set(responses.map(outcomeOf));
      return outcomes.size === 1 ? [] : [`${route}: ${[...outcomes].join()}`];
    });
    expect(failures).toEqual([]);
  });

  it('IN-02: rejects every form submitted from another origin on routes without a credential', async () => {
    const own = new URL(instance.baseUrl).origin;
    const origins = [undefined, own, 'null', 'http://127.0.0.1:1', 'https://evil.example'];
    const sites = [undefined, 'same-origin', 'same-site', 'cross-site', 'none'];
    const combinations = origins.flatMap((origin) =>
      sites.map((site) => ({ ...(origin && { origin }), ...(site && { 'sec-fetch-site': site }) })),
    );
    const essentialCombinations = combinations.filter(
      ({ origin, 'sec-fetch-site': site }) =>
        (origin === own && site === 'same-origin') || (origin === 'https://evil.example' && site !== 'none'),
    );
    const ownSites = [undefined, 'same-origin'];
    const isOwn = ({ origin, 'sec-fetch-site': site }: { origin?: string; 'sec-fetch-site'?: string }) =>
      ownSites.includes(site) &&
      ([undefined, own].includes(origin) || (origin === 'null' && site !== undefined));
    const formTypes = ['application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'text/plain'];
    const post = async (route: string, headers: Record<string, string>): Promise<number> => {
      const path = route.replace('POST ', '').replace(/:\w+/g, 'x');
      return (await instance.request('POST', path, { body: 'token=x', headers })).status;
    };
    const hostedForms = [...pages.map((path) => `POST ${path}`), ...signInPage];
    const changing = openRoutes.filter((route) => !route.startsWith('GET '));
    expect(changing.length).toBeGreaterThan(20);
    const failures = await runInChunks(changing, async (route) => {
      const found: string[] = [];
      const isHosted = hostedForms.includes(route);
      // Providers submit a form from their own page. Its state protects the route instead (FE-01).
      const acceptsForms = isHosted || route.includes('/oauth/callback/');
      for (const type of formTypes) {
        const status = await post(route, { 'content-type': type });
        if ((status === 415) === (acceptsForms && type === formTypes[0])) found.push(`${type}: ${status}`);
      }
      // The pages share one header check, so only one screen from each part receives all combinations.
      const isComplete = isNightly || ['POST /reset-password', 'POST /sign-in'].includes(route) || !isHosted;
      for (const headers of acceptsForms ? (isComplete ? combinations : essentialCombinations) : []) {
        const status = await post(route, { ...headers, 'content-type': formTypes[0]! });
        if ((status === 403) === (!isHosted || isOwn(headers)))
          found.push(`${JSON.stringify(headers)}: ${status}`);
      }
      return found.map((failure) => `${route}: ${failure}`);
    });
    expect(failures).toEqual([]);
  });

  it('AK-06: requires all scopes of each route and, where listed, an organization key', async () => {
    const keyWith = (access: Access, keyScopes: string[]) =>
      insertKey(instance, { ...tenant, type: 'secret', access, scopes: keyScopes });
    const secretKeyRoutes = Object.entries(routes).filter(([, requirements]) => requirements.includes(':'));
    const failures = await runInChunks(secretKeyRoutes, async ([route, requirements]) => {
      const requiredByRoute = requirements.split(' ').filter((requirement) => requirement.includes(':'));
      const outcome = async (access: Access, keyScopes: string[]) => {
        const response = await send(route, { authorization: `Bearer ${await keyWith(access, keyScopes)}` });
        const { code, requiredScopes, requiredAccess } = response.body;
        return response.status === 403 ? { code, needs: requiredScopes ?? requiredAccess } : 'open';
      };
      const found = [
        await outcome('organization', requiredByRoute),
        await outcome('project', requiredByRoute),
      ];
      const expected: unknown[] = [
        'open',
        requirements.startsWith('organization')
          ? { code: 'insufficient_access', needs: 'organization' }
          : 'open',
      ];
      for (const scope of requiredByRoute) {
        found.push(
          await outcome(
            'organization',
            scopes.filter((each) => each !== scope),
          ),
        );
        expected.push({ code: 'insufficient_scope', needs: requiredByRoute });
      }
      return isDeepStrictEqual(found, expected) ? [] : [{ route, found }];
    });
    expect(failures).toEqual([]);
  });
});

/** Sends a request with raw header lines, one byte per character. @returns the status */
const statusOf = (method: string, path: string, lines: string[]): Promise<number> =>
  new Promise((resolve, reject) => {
    const head = [`${method} ${path} HTTP/1.1`, 'Host: x', 'Connection: close', ...lines];
    const socket = connect(Number(instance.env['PORT']), '127.0.0.1', () =>
      socket.write(`${head.join('\r\n')}\r\n\r\n`, 'latin1'),
    );
    let response = '';
    socket.setEncoding('latin1').on('data', (chunk: string) => (response += chunk));
    socket
      .on('error', reject)
      .on('close', () => resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(response)?.[1] ?? 0)));
  });

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const toLatin1 = (text: string): string => Buffer.from(text).toString('latin1');

/** Malformed credentials, derived from valid ones where that is more dangerous. */
const malformedValues = (): Record<string, string> => {
  const [head, claims, signature] = tokens.accessToken.split('.') as [string, string, string];
  const { secretKey } = instance.credentials;
  return {
    empty: '',
    'very long': 'x'.repeat(14_000),
    'too long': 'x'.repeat(20_000),
    binary: '\x80\xff\xfe\xc0\x80',
    emoji: toLatin1('🦄🦄🦄'),
    tabs: 'a\tb\tc',
    SQL: "' OR 1=1 --",
    'a truncated key': secretKey.slice(0, -1),
    'a key with a wrong checksum': `${secretKey.slice(0, -6)}000000`,
    'a key of another type': secretKey.replace('sk_', 'xk_'),
    'a JWT without signature': `${head}.${claims}.`,
    'four parts of a JWT': `${tokens.accessToken}.x`,
    'a JWT of nulls': `${encode(null)}.${encode(null)}.${encode(null)}`,
    'a JWT with a malformed header': `x${head}.${claims}.${signature}`,
    'a JWT with a header that is not JSON': `${Buffer.from('{"alg":').toString('base64url')}.${claims}.${signature}`,
    'a JWT with a deeply nested header': `${Buffer.from('['.repeat(5_000)).toString('base64url')}.${claims}.${signature}`,
    'a JWT with an object as key id': `${encode({ alg: 'ES256', typ: 'at+jwt', kid: {} })}.${claims}.${signature}`,
    'a JWT without algorithm': `${encode({ alg: 'none', typ: 'at+jwt' })}.${claims}.`,
    'a JWT in standard base64': tokens.accessToken.replaceAll('-', '+').replaceAll('_', '/') + '==',
    'a JWT with a signature of zeros': `${head}.${claims}.${'A'.repeat(86)}`,
  };
};

/** Header lines, in which `*` stands for the value. */
const headerForms = [
  'Authorization: Bearer *',
  'Authorization: bEaReR  *',
  'Authorization: *',
  'Authorization: Basic *',
  'Authorization: Bearer Bearer *',
  'Authorization: Bearer x\nAuthorization: Bearer *',
  ...['X-Api-Key', 'X-Publishable-Key'].flatMap((name) => [`${name}: *`, `${name}: x\n${name}: *`]),
  'Authorization: Bearer *\nX-Api-Key: *\nX-Publishable-Key: *',
];

/** One route of each kind that requires a credential. */
const guardedRoutes = [
  ['GET', '/api/v1/me'],
  ['GET', '/v1/webhooks/endpoints'],
  ['GET', '/api/v1/customers/x'],
  ['POST', '/api/v1/auth/register'],
  ['POST', '/api/v1/auth/login'],
  ['POST', '/api/v1/auth/logout'],
] as const;

describe('AK-09: a malformed credential', () => {
  it('is rejected in every header, ignored by open routes, and never causes an internal error', async () => {
    const { pid } = instance.api;
    const logged = instance.api.log.length;
    const cases = headerForms.flatMap((form) =>
      Object.entries(malformedValues()).map(([name, value]) => ({
        name: `${name} in ${form}`,
        lines: form.split('\n').map((line) => line.replace('*', () => value)),
      })),
    );
    const failures = await runInChunks(cases, async ({ name, lines }) => {
      const statuses = await Promise.all(
        guardedRoutes.map(([method, path]) => statusOf(method, path, lines)),
      );
      const unexpected = statuses.filter((status) => ![400, 401, 403, 431].includes(status));
      const openStatus = await statusOf('GET', '/.well-known/jwks.json', lines);
      const isOpen = openStatus === (lines.join('').length > 16_000 ? 431 : 200);
      return unexpected.length > 0 || !isOpen ? [{ name, unexpected, open: openStatus }] : [];
    });
    for (const control of ['\0', '\x01', '\x7f', '\n', '\r']) {
      const status = await statusOf('GET', '/api/v1/me', [`Authorization: Bearer a${control}b`]);
      if (![400, 401].includes(status))
        failures.push({ name: JSON.stringify(control), unexpected: [status], open: 0 });
    }
    expect(failures).toEqual([]);
    expect([instance.api.isRunning, instance.api.pid]).toEqual([true, pid]);
    const lines = instance.api.log.slice(logged);
    expect(lines.filter(({ level }) => level === 'error' || level === 'fatal')).toEqual([]);

    const bearerLine = (value: string) => [`Authorization: Bearer ${value}`];
    expect(await statusOf('GET', '/api/v1/me', bearerLine(tokens.accessToken))).toBe(200);
    expect(await statusOf('GET', '/v1/webhooks/endpoints', bearerLine(instance.credentials.secretKey))).toBe(
      200,
    );
  });
});
