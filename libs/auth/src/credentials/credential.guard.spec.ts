import type { ExecutionContext } from '@nestjs/common';
import { formatApiKey, scopes, type OperatorRole, type Scope } from '@gatehouse/domain';
import type { Logger } from '@gatehouse/platform';
import type { AccessTokenAuthenticator } from './access-token.authenticator.js';
import type { ApiKeyAuthenticator } from './api-key.authenticator.js';
import type {
  Caller,
  CustomerCaller,
  OperatorCaller,
  PublishableKeyCaller,
  SecretKeyCaller,
} from './caller.js';
import { CredentialGuard, type AuthenticatedRequest } from './credential.guard.js';
import { OPERATOR_COOKIE } from './operator-cookie.js';
import type { OperatorSessionAuthenticator } from './operator-session.authenticator.js';
import {
  AccessToken,
  MinimumRole,
  NoCredential,
  Operator,
  OperatorRoutes,
  OrganizationKey,
  PublishableKey,
  PublishableOrSecretKey,
  SecretKey,
} from './route-credential.js';

class Routes {
  undeclared(): void {}
  @NoCredential() open(): void {}
  @SecretKey('customer:read') server(): void {}
  @PublishableKey() page(): void {}
  @PublishableOrSecretKey('customer:write') register(): void {}
  @AccessToken() me(): void {}
}
type Route = 'undeclared' | 'open' | 'server' | 'page' | 'register' | 'me';

const key = (type: 'secret' | 'publishable', fill: number) => formatApiKey(type, Buffer.alloc(32, fill));
const sk = key('secret', 1);
const pk = key('publishable', 2);
const foreignPk = key('publishable', 3);
const unknownSk = key('secret', 4);
const limitedSk = key('secret', 5);
const jwt = 'eyJ.x.y';

const secretKey = (id: string, granted: Scope[]) =>
  ({
    kind: 'secret-key',
    keyId: id,
    access: 'project',
    scopes: granted,
    project: { id: 'p1' },
  }) as SecretKeyCaller;
const publishableKey = (projectId: string) =>
  ({ kind: 'publishable-key', keyId: 'pk', project: { id: projectId } }) as PublishableKeyCaller;
const customer = {
  kind: 'access-token',
  customer: { id: 'c1', projectId: 'p1' },
  sessionId: 's1',
} as CustomerCaller;

const activeCredentials = new Map<string, Caller>([
  [sk, secretKey('sk', [...scopes])],
  [limitedSk, secretKey('limited', ['event:read'])],
  [pk, publishableKey('p1')],
  [foreignPk, publishableKey('p2')],
]);
const apiKeys = {
  authenticate: async (value: string) => activeCredentials.get(value) ?? null,
} as ApiKeyAuthenticator;
const accessTokens = {
  authenticate: async (value: string) => (value === jwt ? customer : null),
  describeRejection: (_token: string): string | null => null,
} as AccessTokenAuthenticator;
const signedIn: Record<string, OperatorRole> = { v: 'viewer', o: 'operator', a: 'admin' };
const operators = {
  authenticate: async (token: string, _isUserActivity: boolean) => {
    const role = signedIn[token[0]!];
    return role ? ({ kind: 'operator', role } as OperatorCaller) : null;
  },
} as OperatorSessionAuthenticator;
const guard = new CredentialGuard(apiKeys, accessTokens, operators, {
  error: () => undefined,
} as unknown as Logger);

const toHeadersDistinct = (headers: Record<string, string>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]));

const call = (route: Route, headers: Record<string, string>, path?: string): Promise<AuthenticatedRequest> =>
  runGuard(Routes, Routes.prototype[route], headers, path);

async function runGuard(
  controller: object,
  handler: object,
  headers: Record<string, string>,
  path = '/api/v1/auth/refresh',
): Promise<AuthenticatedRequest> {
  const request = {
    method: 'GET',
    path,
    headers,
    headersDistinct: toHeadersDistinct(headers),
  } as unknown as AuthenticatedRequest;
  const context = {
    getHandler: () => handler,
    getClass: () => controller,
    switchToHttp: () => ({ getRequest: () => request }),
  } as unknown as ExecutionContext;
  await guard.canActivate(context);
  return request;
}

const errorWith = (code: string) => expect.objectContaining({ code });
const bearer = (value: string) => ({ authorization: `Bearer ${value}` });

describe('CredentialGuard', () => {
  const publishable = { 'x-publishable-key': pk };
  const clientIpHeaders = { 'x-client-ip': '203.0.113.1', ...publishable };

  it.each<[Route, Record<string, string>, string]>([
    ['server', bearer(sk), 'secret-key'],
    ['server', { 'x-api-key': sk }, 'secret-key'],
    ['page', publishable, 'publishable-key'],
    ['register', publishable, 'publishable-key'],
    ['register', bearer(sk), 'secret-key'],
    ['me', bearer(jwt), 'access-token'],
  ])('AK-03: route %s accepts %j', async (route, headers, kind) => {
    await expect(call(route, headers)).resolves.toMatchObject({ caller: { kind } });
  });

  const rejections: [Route, string, Record<string, Record<string, string>>][] = [
    [
      'server',
      'invalid_api_key',
      {
        'no credential': {},
        'an unknown key': bearer(unknownSk),
        'a malformed key': { 'x-api-key': 'sk_nonsense' },
        'an access token in x-api-key': { 'x-api-key': jwt },
      },
    ],
    ['page', 'invalid_api_key', { 'no credential': {} }],
    [
      'register',
      'invalid_api_key',
      { 'a valid key together with an unknown one': { ...publishable, ...bearer(unknownSk) } },
    ],
    [
      'me',
      'invalid_access_token',
      {
        'no credential': {},
        'an unknown token': bearer('eyJ.z.z'),
        'another scheme': { authorization: `Basic ${jwt}` },
      },
    ],
    [
      'server',
      'wrong_credential_type',
      {
        'a publishable key': publishable,
        'an access token': bearer(jwt),
        'a secret key in x-publishable-key': { 'x-publishable-key': sk },
      },
    ],
    [
      'page',
      'wrong_credential_type',
      {
        'a secret key': bearer(sk),
        'an access token': bearer(jwt),
        'a publishable key as bearer': bearer(pk),
        'a publishable key in x-api-key': { 'x-api-key': pk },
      },
    ],
    ['me', 'wrong_credential_type', { 'a secret key': bearer(sk), 'a publishable key': publishable }],
    ['server', 'insufficient_scope', { 'a key without the scope': bearer(limitedSk) }],
    ['register', 'insufficient_scope', { 'a key without the scope': bearer(limitedSk) }],
    [
      'page',
      'multiple_credentials',
      { 'keys of two projects': { 'x-publishable-key': foreignPk, ...bearer(sk) } },
    ],
    ['undeclared', 'not_found', { 'any key, because the route declares no credential (AK-06)': bearer(sk) }],
  ];
  it.each(
    rejections.flatMap(([route, code, cases]) =>
      Object.entries(cases).map(([name, headers]) => [route, code, name, headers] as const),
    ),
  )('AK-03: route %s returns %s for %s', async (route, code, _, headers) => {
    await expect(call(route, headers)).rejects.toEqual(errorWith(code));
  });

  it('AK-03: ignores credentials on a route that requires none', async () => {
    await expect(call('open', bearer(unknownSk))).resolves.not.toHaveProperty('caller');
  });

  it('AK-03, HD-04: lists the missing scopes in a 403 and sends a challenge with a 401', async () => {
    const details = async (route: Route, headers = {}) =>
      (await call(route, headers).catch((error: unknown) => error)) as { details: unknown };
    expect(await details('server', bearer(limitedSk))).toMatchObject({
      details: { members: { requiredScopes: ['customer:read'] } },
    });
    for (const [route, headers, challenge] of [
      ['server', {}, 'Bearer'],
      ['me', {}, 'Bearer'],
      ['me', bearer('nonsense'), 'Bearer error="invalid_token"'],
      ['me', { authorization: 'Basic c2s6eA==' }, 'Bearer'],
      ['me', { authorization: jwt }, 'Bearer error="invalid_token"'],
    ] as const)
      expect(await details(route, headers)).toMatchObject({
        details: { headers: { 'WWW-Authenticate': challenge } },
      });
  });

  it('RL-02: accepts X-Client-Ip with both a secret key and a publishable key', async () => {
    await expect(call('page', { ...publishable, ...bearer(sk) })).resolves.toMatchObject({
      caller: { kind: 'publishable-key' },
      accompanyingSecretKey: { kind: 'secret-key', keyId: 'sk' },
    });
    const request = await call('open', {
      ...clientIpHeaders,
      'x-api-key': sk,
      authorization: 'Bearer expired',
    });
    expect(request).toMatchObject({ accompanyingSecretKey: { keyId: 'sk' } });
    expect(request).not.toHaveProperty('caller');
  });

  it.each([
    ['the publishable key alone', clientIpHeaders],
    ['a secret key alone', { ...clientIpHeaders, 'x-publishable-key': '', 'x-api-key': sk }],
    ['an unknown secret key', { ...clientIpHeaders, 'x-api-key': unknownSk }],
    ['keys of two projects', { ...clientIpHeaders, 'x-publishable-key': foreignPk, 'x-api-key': sk }],
    ['two secret keys', { ...clientIpHeaders, 'x-api-key': sk, authorization: `Bearer ${limitedSk}` }],
  ])('RL-02: ignores X-Client-Ip with %s on a route without a credential', async (_, headers) => {
    expect((await call('open', headers)).accompanyingSecretKey).toBeUndefined();
  });

  it('RL-02: ignores X-Client-Ip outside the front-end API, even with valid keys', async () => {
    for (const path of ['/operator/v1/session', '/operator/v1/setup', '/reset-password', '/api/v1/authors'])
      expect(
        (await call('open', { ...clientIpHeaders, 'x-api-key': sk }, path)).accompanyingSecretKey,
      ).toBeUndefined();
  });
});

describe('CO-01: the console', () => {
  class Shared {
    @SecretKey('event:read') read(): void {}
    @OrganizationKey('api_key:write') createKey(): void {}
    @SecretKey('api_key:write') @MinimumRole('operator') createLimitedKey(): void {}
    @NoCredential() open(): void {}
  }
  @OperatorRoutes()
  class Console extends Shared {
    @Operator('admin') admins(): void {}
    undeclared(): void {}
  }
  type ConsoleRoute = 'read' | 'createKey' | 'createLimitedKey' | 'open' | 'admins' | 'undeclared';

  const session = (letter: string, length = 43) => `${OPERATOR_COOKIE}=${letter.repeat(length)}`;
  const cookie = (role: OperatorRole) => ({ cookie: `theme=dark; ${session(role[0]!)}` });
  const callConsole = (
    route: ConsoleRoute,
    headers: Record<string, string>,
    controller: typeof Shared = Console,
  ) => runGuard(controller, controller.prototype[route as keyof Shared], headers);

  it.each<[ConsoleRoute, OperatorRole, OperatorRole | null]>([
    ['read', 'viewer', null],
    ['createKey', 'operator', 'admin'],
    ['createKey', 'viewer', 'admin'],
    ['createKey', 'admin', null],
    ['createLimitedKey', 'viewer', 'operator'],
    ['createLimitedKey', 'operator', null],
    ['admins', 'operator', 'admin'],
    ['admins', 'admin', null],
  ])('checks the role: route %s, operator is %s, required role %s', async (route, role, requiredRole) => {
    const result = callConsole(route, cookie(role));
    if (!requiredRole) return expect(result).resolves.toMatchObject({ caller: { kind: 'operator', role } });
    await expect(result).rejects.toMatchObject({
      code: 'insufficient_role',
      details: { members: { requiredRole } },
    });
  });

  it.each<[string, Record<string, string>, string]>([
    ['no credential', {}, 'operator_session_required'],
    ['an unknown session', { cookie: session('x') }, 'operator_session_required'],
    ['a truncated session', { cookie: session('a', 42) }, 'operator_session_required'],
    ['two sessions', { cookie: `${session('a')}; ${session('a')}` }, 'operator_session_required'],
    ['a cookie with a longer name', { cookie: `x${session('a')}` }, 'operator_session_required'],
    ['another scheme', { authorization: 'Basic YTpi' }, 'operator_session_required'],
    [
      'an unknown session together with a key',
      { cookie: session('x'), ...bearer(sk) },
      'operator_session_required',
    ],
    ['a secret key', bearer(sk), 'wrong_credential_type'],
    ['an unknown key', bearer(unknownSk), 'wrong_credential_type'],
    ['a publishable key', { 'x-publishable-key': pk }, 'wrong_credential_type'],
    ['an access token', bearer(jwt), 'wrong_credential_type'],
  ])('rejects %s', async (_, headers, code) => {
    for (const route of ['read', 'admins'] as const)
      await expect(callConsole(route, headers)).rejects.toEqual(errorWith(code));
  });

  it('ignores a key that accompanies a session', async () => {
    await expect(callConsole('admins', { ...cookie('viewer'), 'x-api-key': sk })).rejects.toEqual(
      errorWith('insufficient_role'),
    );
  });

  it('rejects sessions on shared routes outside the console and on undeclared routes', async () => {
    await expect(callConsole('read', cookie('admin'), Shared)).rejects.toEqual(errorWith('invalid_api_key'));
    await expect(callConsole('undeclared', cookie('admin'))).rejects.toEqual(errorWith('not_found'));
    await expect(callConsole('open', {})).resolves.not.toHaveProperty('caller');
  });
});
