import type { ExecutionContext } from '@nestjs/common';
import { formatApiKey, scopes, type OperatorRole, type Scope } from '#domain';
import type { Logger } from '#platform';
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
const poorSk = key('secret', 5);
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

const live = new Map<string, Caller>([
  [sk, secretKey('sk', [...scopes])],
  [poorSk, secretKey('poor', ['event:read'])],
  [pk, publishableKey('p1')],
  [foreignPk, publishableKey('p2')],
]);
const apiKeys = { authenticate: async (value: string) => live.get(value) ?? null } as ApiKeyAuthenticator;
const accessTokens = {
  authenticate: async (value: string) => (value === jwt ? customer : null),
} as AccessTokenAuthenticator;
const signedIn: Record<string, OperatorRole> = { v: 'viewer', o: 'operator', a: 'admin' };
const operators = {
  authenticate: async (token: string, _isUse: boolean) => {
    const role = signedIn[token[0]!];
    return role ? ({ kind: 'operator', role } as OperatorCaller) : null;
  },
} as OperatorSessionAuthenticator;
const guard = new CredentialGuard(apiKeys, accessTokens, operators, {
  error: () => undefined,
} as unknown as Logger);

const headersOf = (headers: Record<string, string>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]));

const call = (route: Route, headers: Record<string, string>, path?: string): Promise<AuthenticatedRequest> =>
  pass(Routes, Routes.prototype[route], headers, path);

async function pass(
  controller: object,
  handler: object,
  headers: Record<string, string>,
  path = '/api/v1/auth/refresh',
): Promise<AuthenticatedRequest> {
  const request = {
    method: 'GET',
    path,
    headers,
    headersDistinct: headersOf(headers),
  } as unknown as AuthenticatedRequest;
  const context = {
    getHandler: () => handler,
    getClass: () => controller,
    switchToHttp: () => ({ getRequest: () => request }),
  } as unknown as ExecutionContext;
  await guard.canActivate(context);
  return request;
}

const refusal = (code: string) => expect.objectContaining({ code });
const bearer = (value: string) => ({ authorization: `Bearer ${value}` });

describe('CredentialGuard', () => {
  it.each<[Route, string, Record<string, string>, string]>([
    ['server', 'a secret key as bearer', bearer(sk), 'secret-key'],
    ['server', 'a secret key in x-api-key', { 'x-api-key': sk }, 'secret-key'],
    ['page', 'a publishable key', { 'x-publishable-key': pk }, 'publishable-key'],
    ['register', 'a publishable key', { 'x-publishable-key': pk }, 'publishable-key'],
    ['register', 'a secret key', bearer(sk), 'secret-key'],
    ['me', 'an access token', bearer(jwt), 'access-token'],
  ])('AK-03: %s opens to %s', async (route, _, headers, kind) => {
    await expect(call(route, headers)).resolves.toMatchObject({ caller: { kind } });
  });

  it.each<[Route, string, Record<string, string>, string]>([
    ['server', 'nothing', {}, 'invalid_api_key'],
    ['page', 'nothing', {}, 'invalid_api_key'],
    ['me', 'nothing', {}, 'invalid_access_token'],
    ['server', 'an unknown key', bearer(unknownSk), 'invalid_api_key'],
    ['server', 'a malformed key', { 'x-api-key': 'sk_nonsense' }, 'invalid_api_key'],
    ['server', 'an access token in x-api-key', { 'x-api-key': jwt }, 'invalid_api_key'],
    ['me', 'an unknown token', bearer('eyJ.z.z'), 'invalid_access_token'],
    ['me', 'another scheme', { authorization: `Basic ${jwt}` }, 'invalid_access_token'],
    ['server', 'a publishable key', { 'x-publishable-key': pk }, 'wrong_credential_type'],
    ['server', 'an access token', bearer(jwt), 'wrong_credential_type'],
    ['page', 'a secret key', bearer(sk), 'wrong_credential_type'],
    ['page', 'an access token', bearer(jwt), 'wrong_credential_type'],
    ['me', 'a secret key', bearer(sk), 'wrong_credential_type'],
    ['me', 'a publishable key', { 'x-publishable-key': pk }, 'wrong_credential_type'],
    ['server', 'a secret key in x-publishable-key', { 'x-publishable-key': sk }, 'wrong_credential_type'],
    ['page', 'a publishable key as bearer', bearer(pk), 'wrong_credential_type'],
    ['page', 'a publishable key in x-api-key', { 'x-api-key': pk }, 'wrong_credential_type'],
    ['server', 'a key without the scope', bearer(poorSk), 'insufficient_scope'],
    ['register', 'a key without the scope', bearer(poorSk), 'insufficient_scope'],
    [
      'page',
      'keys of two projects',
      { 'x-publishable-key': foreignPk, ...bearer(sk) },
      'multiple_credentials',
    ],
    [
      'register',
      'a live key beside an unknown one',
      { 'x-publishable-key': pk, ...bearer(unknownSk) },
      'invalid_api_key',
    ],
  ])('AK-03: %s refuses %s', async (route, _, headers, code) => {
    await expect(call(route, headers)).rejects.toEqual(refusal(code));
  });

  it('AK-06: a route that declares nothing lets nobody in', async () => {
    await expect(call('undeclared', bearer(sk))).rejects.toEqual(refusal('not_found'));
  });

  it('AK-03: a route without key ignores credential headers, good or bad', async () => {
    await expect(call('open', bearer(unknownSk))).resolves.not.toHaveProperty('caller');
  });

  it('AK-03: a refused key says which scopes it lacks', async () => {
    await expect(call('server', bearer(poorSk))).rejects.toMatchObject({
      details: { members: { requiredScopes: ['customer:read'] } },
    });
  });

  it.each<[Route, string]>([
    ['server', 'Bearer'],
    ['me', 'Bearer error="invalid_token"'],
  ])('HD-04: the 401 of %s carries WWW-Authenticate', async (route, challenge) => {
    await expect(call(route, {})).rejects.toMatchObject({
      details: { headers: { 'WWW-Authenticate': challenge } },
    });
  });

  it('a secret key beside the publishable key vouches, and the publishable key calls', async () => {
    await expect(call('page', { 'x-publishable-key': pk, ...bearer(sk) })).resolves.toMatchObject({
      caller: { kind: 'publishable-key' },
      vouchingKey: { kind: 'secret-key', keyId: 'sk' },
    });
  });

  const onBehalf = { 'x-client-ip': '203.0.113.1', 'x-publishable-key': pk };

  it('on a route without a key both keys vouch as well, and still nobody calls', async () => {
    const request = await call('open', { ...onBehalf, 'x-api-key': sk, authorization: 'Bearer expired' });
    expect(request).toMatchObject({ vouchingKey: { keyId: 'sk' } });
    expect(request).not.toHaveProperty('caller');
  });

  it.each(['/operator/v1/session', '/operator/v1/setup', '/reset-password', '/api/v1/authors'])(
    'RL-02: at %s nobody vouches for an address',
    async (path) => {
      const request = await call('open', { ...onBehalf, 'x-api-key': sk }, path);
      expect(request.vouchingKey).toBeUndefined();
    },
  );

  it.each([
    ['the publishable key alone', onBehalf],
    ['a secret key alone', { ...onBehalf, 'x-publishable-key': '', 'x-api-key': sk }],
    ['an unknown secret key', { ...onBehalf, 'x-api-key': unknownSk }],
    ['keys of two projects', { ...onBehalf, 'x-publishable-key': foreignPk, 'x-api-key': sk }],
    ['two secret keys', { ...onBehalf, 'x-api-key': sk, authorization: `Bearer ${poorSk}` }],
  ])('on a route without a key nobody vouches with %s, and nobody is refused', async (_, headers) => {
    expect((await call('open', headers)).vouchingKey).toBeUndefined();
  });
});

describe('CO-01: the console', () => {
  class Shared {
    @SecretKey('event:read') read(): void {}
    @OrganizationKey('api_key:write') mint(): void {}
    @SecretKey('api_key:write') @MinimumRole('operator') eased(): void {}
    @NoCredential() open(): void {}
  }
  @OperatorRoutes()
  class Console extends Shared {
    @Operator('admin') admins(): void {}
    undeclared(): void {}
  }
  type ConsoleRoute = 'read' | 'mint' | 'eased' | 'open' | 'admins' | 'undeclared';

  const cookies: Record<OperatorRole, string> = { viewer: 'v', operator: 'o', admin: 'a' };
  const cookie = (role: OperatorRole) => ({
    cookie: `theme=dark; ${OPERATOR_COOKIE}=${cookies[role].repeat(43)}`,
  });
  const enter = (route: ConsoleRoute, headers: Record<string, string>, of: typeof Shared = Console) =>
    pass(of, of.prototype[route as keyof Shared], headers);

  it.each<[ConsoleRoute, OperatorRole, boolean]>([
    ['read', 'viewer', true],
    ['mint', 'operator', false],
    ['mint', 'admin', true],
    ['eased', 'viewer', false],
    ['eased', 'operator', true],
    ['admins', 'operator', false],
    ['admins', 'admin', true],
  ])('%s and an operator who is %s: %s', async (route, role, isLetIn) => {
    const entering = enter(route, cookie(role));
    if (isLetIn) await expect(entering).resolves.toMatchObject({ caller: { kind: 'operator', role } });
    else await expect(entering).rejects.toEqual(refusal('insufficient_role'));
  });

  it('says which role it takes', async () => {
    await expect(enter('mint', cookie('viewer'))).rejects.toMatchObject({
      details: { members: { requiredRole: 'admin' } },
    });
    await expect(enter('eased', cookie('viewer'))).rejects.toMatchObject({
      details: { members: { requiredRole: 'operator' } },
    });
  });

  it.each<[string, Record<string, string>, string]>([
    ['nothing', {}, 'operator_session_required'],
    ['an unknown session', { cookie: `${OPERATOR_COOKIE}=${'x'.repeat(43)}` }, 'operator_session_required'],
    ['a session cut short', { cookie: `${OPERATOR_COOKIE}=${'a'.repeat(42)}` }, 'operator_session_required'],
    [
      'two sessions',
      { cookie: `${cookie('admin').cookie}; ${cookie('admin').cookie}` },
      'operator_session_required',
    ],
    [
      'a cookie of a longer name',
      { cookie: `x${OPERATOR_COOKIE}=${'a'.repeat(43)}` },
      'operator_session_required',
    ],
    ['another scheme', { authorization: 'Basic YTpi' }, 'operator_session_required'],
    [
      'an unknown session beside a key',
      { cookie: `${OPERATOR_COOKIE}=${'x'.repeat(43)}`, ...bearer(sk) },
      'operator_session_required',
    ],
    ['a secret key', bearer(sk), 'wrong_credential_type'],
    ['an unknown key', bearer(unknownSk), 'wrong_credential_type'],
    ['a publishable key', { 'x-publishable-key': pk }, 'wrong_credential_type'],
    ['an access token', bearer(jwt), 'wrong_credential_type'],
  ])('refuses %s', async (_, headers, code) => {
    for (const route of ['read', 'admins'] as const)
      await expect(enter(route, headers)).rejects.toEqual(refusal(code));
  });

  it('a key beside a session gives it nothing', async () => {
    await expect(enter('admins', { ...cookie('viewer'), 'x-api-key': sk })).rejects.toEqual(
      refusal('insufficient_role'),
    );
  });

  it('the routes that are inherited take no session where they come from, and nothing undeclared is open', async () => {
    await expect(enter('read', cookie('admin'), Shared)).rejects.toEqual(refusal('invalid_api_key'));
    await expect(enter('undeclared', cookie('admin'))).rejects.toEqual(refusal('not_found'));
    await expect(enter('open', {})).resolves.not.toHaveProperty('caller');
  });
});
