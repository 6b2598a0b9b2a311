import { randomUUID } from 'node:crypto';
import { runInChunks } from '../support/run-in-chunks.js';
import { TestInstance, type TestResponse } from '../support/test-instance.js';
import { CONSOLE_HEADER, inviteOperator, OperatorClient, signIn } from '../support/operator-client.js';
import { listDocumentedRoutes, fillPath, type Route } from '../support/routes.js';

let instance: TestInstance;
let admin: OperatorClient;
let routes: Route[];
beforeAll(async () => {
  instance = await TestInstance.startShared({ workers: 0 });
  admin = await signIn(instance);
  routes = await listDocumentedRoutes(instance);
});
afterAll(async () => instance?.stop());

/** The sign-in routes, each with its own credential check. */
const signInRoutes = [
  'DELETE /operator/v1/session',
  'GET /operator/v1/session',
  'POST /operator/v1/invitations/accept',
  'POST /operator/v1/session',
  'POST /operator/v1/session/enrollment',
  'POST /operator/v1/session/enrollment/confirm',
  'POST /operator/v1/session/enrollment/passkey',
  'POST /operator/v1/session/enrollment/passkey/options',
  'POST /operator/v1/session/enrollment/skip',
  'POST /operator/v1/session/oidc',
  'POST /operator/v1/session/second-factor',
  'POST /operator/v1/session/second-factor/passkey',
  'POST /operator/v1/session/second-factor/passkey/options',
  'POST /operator/v1/setup',
];

/** Routes with which the role operator may make changes, except to their own account. */
const operatorRoleRoutes = [
  'DELETE /operator/v1/customers/{customerId}/sessions',
  'DELETE /operator/v1/customers/{customerId}/sessions/{sessionId}',
  'POST /operator/v1/customers/{customerId}/disable',
  'POST /operator/v1/customers/{customerId}/enable',
  'POST /operator/v1/customers/{customerId}/factors/{factorId}/remove',
  'POST /operator/v1/customers/{customerId}/identities/{identityId}/remove',
  'POST /operator/v1/customers/{customerId}/require-reauthentication',
  'POST /operator/v1/customers/{customerId}/resend-invitation',
  'POST /operator/v1/customers/{customerId}/resend-verification',
  'POST /operator/v1/customers/{customerId}/reset-password',
  'POST /operator/v1/customers/{customerId}/unlock',
  'POST /operator/v1/webhooks/deliveries/{deliveryId}/discard',
  'POST /operator/v1/webhooks/deliveries/{deliveryId}/redeliver',
  'POST /operator/v1/webhooks/endpoints/{endpointId}/disable',
  'POST /operator/v1/webhooks/endpoints/{endpointId}/enable',
  'POST /operator/v1/webhooks/endpoints/{endpointId}/recover',
  'POST /operator/v1/webhooks/endpoints/{endpointId}/test',
  'POST /operator/v1/webhooks/redeliveries',
  'POST /operator/v1/webhooks/redeliveries/{redeliveryId}/cancel',
  'POST /operator/v1/webhooks/redeliveries/{redeliveryId}/start',
];

const listOperatorRoutes = (): Route[] => routes.filter(({ path }) => path.startsWith('/operator/'));
const listGuardedRoutes = (): Route[] =>
  listOperatorRoutes().filter(({ name }) => !signInRoutes.includes(name));
const filterMutating = (list: Route[]): Route[] => list.filter(({ method }) => method !== 'GET');

/** Sends a request with ids that do not exist. */
const sendRequest = ({ method, path }: Route, headers: Record<string, string>): Promise<TestResponse> => {
  const ids = Object.fromEntries([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name, randomUUID()]));
  return instance.request(method, fillPath(path, ids), { headers });
};

/** Returns the routes whose response does not have the expected status and code. */
const findUnexpected = (
  list: Route[],
  headers: Record<string, string>,
  status: number,
  code: string,
  consoleHeader: Record<string, string> = CONSOLE_HEADER,
) =>
  runInChunks(list, async (route) => {
    const response = await sendRequest(route, { ...consoleHeader, ...headers });
    const isExpected = response.status === status && response.body.code === code;
    return isExpected ? [] : [`${route.name}: ${response.status} ${response.body.code}`];
  });

const cookieHeader = ({ cookie }: OperatorClient) => ({ cookie: `__Host-gatehouse_operator=${cookie}` });

describe('each route for operators', () => {
  it('CO-01: accepts only an operator session, except for sign-in routes', () => {
    expect(listGuardedRoutes().length).toBeGreaterThan(40);
    expect(listGuardedRoutes().filter(({ kinds }) => String(kinds) !== 'operator')).toEqual([]);
    const unguarded = listOperatorRoutes().filter(({ kinds }) => kinds.length === 0);
    expect(unguarded.map(({ name }) => name).sort()).toEqual(signInRoutes);
  });

  it('CO-01: rejects requests without a session, or with an ended or incomplete session', async () => {
    const incomplete = new OperatorClient(instance);
    await incomplete.request('POST', '/session', instance.credentials.operator);
    const ended = await inviteOperator(admin, 'admin');
    await admin.request('DELETE', `/operators/${ended.operator.id}/sessions`);
    for (const headers of [
      {},
      cookieHeader(incomplete),
      cookieHeader(ended),
      { cookie: '__Host-gatehouse_operator=' },
    ])
      expect(await findUnexpected(listGuardedRoutes(), headers, 401, 'operator_session_required')).toEqual(
        [],
      );
  });

  it('CO-01: rejects API keys and access tokens regardless of their permissions', async () => {
    const { secretKey, publishableKey } = instance.credentials;
    const { accessToken } = (await instance.register()).body.tokens;
    for (const headers of [
      { authorization: `Bearer ${secretKey}` },
      { 'x-api-key': secretKey },
      { 'x-publishable-key': publishableKey },
      { authorization: `Bearer ${accessToken as string}` },
    ] as Record<string, string>[])
      expect(await findUnexpected(listGuardedRoutes(), headers, 403, 'wrong_credential_type')).toEqual([]);
  });

  it('CO-01: grants a session no more access with a key, and ignores basic authentication', async () => {
    const viewer = await inviteOperator(admin, 'viewer');
    const key = { 'x-api-key': instance.credentials.secretKey };
    expect(await viewer.request('GET', '/operators', undefined, key)).toMatchObject({ status: 403 });
    const basic = { authorization: `Basic ${Buffer.from('a:b').toString('base64')}` };
    expect((await viewer.request('GET', '/projects', undefined, basic)).status).toBe(200);
    expect(await instance.request('GET', '/operator/v1/projects', { headers: basic })).toMatchObject({
      status: 401,
      body: { code: 'operator_session_required' },
    });
  });

  it('CO-01: allows a viewer to change only their own account', async () => {
    const viewer = await inviteOperator(admin, 'viewer');
    const restricted = filterMutating(listGuardedRoutes()).filter(
      ({ path }) => !path.startsWith('/operator/v1/session/'),
    );
    expect(restricted.length).toBeGreaterThan(20);
    expect(await findUnexpected(restricted, cookieHeader(viewer), 403, 'insufficient_role')).toEqual([]);
  });

  it('CO-01: allows operators only the changes that their role permits, and no takeover of a customer', async () => {
    const operator = await inviteOperator(admin, 'operator');
    const headers = { ...CONSOLE_HEADER, ...cookieHeader(operator) };
    const permitted = await runInChunks(filterMutating(listGuardedRoutes()), async (route) => {
      const { status, body } = await sendRequest(route, headers);
      if (body?.code !== 'insufficient_role') return [route.name];
      expect([route.name, status]).toEqual([route.name, 403]);
      return [];
    });
    expect(permitted.filter((name) => !name.includes('/operator/v1/session/')).sort()).toEqual(
      operatorRoleRoutes,
    );
  });

  it('CO-04: rejects changes without the console header or from another origin', async () => {
    const rejectedHeaders: Record<string, string>[] = [
      {},
      { 'x-gatehouse-console': '0' },
      { ...CONSOLE_HEADER, 'sec-fetch-site': 'cross-site' },
      { ...CONSOLE_HEADER, origin: 'https://evil.example' },
    ];
    const mutatingSignInRoutes = filterMutating(
      listOperatorRoutes().filter(({ name }) => signInRoutes.includes(name)),
    );
    for (const headers of rejectedHeaders)
      for (const list of [filterMutating(listGuardedRoutes()), mutatingSignInRoutes])
        expect(await findUnexpected(list, cookieHeader(admin), 403, 'cross_site_request', headers)).toEqual(
          [],
        );
    expect((await admin.request('GET', '/session')).body.state).toBe('signed_in');
  });

  it('CO-04: sends no CORS headers, not even for a preflight', async () => {
    for (const path of ['/operator/v1/session', '/operator/v1/projects']) {
      const response = await instance.request('OPTIONS', path, {
        headers: {
          origin: 'https://evil.example',
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'x-gatehouse-console',
        },
      });
      expect([...response.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
  });
});

describe('each other route', () => {
  it('CO-01: treats an operator session like a missing credential', async () => {
    const otherRoutes = routes.filter(
      ({ path, kinds }) => !path.startsWith('/operator/') && kinds.length > 0,
    );
    expect(otherRoutes.length).toBeGreaterThan(40);
    const unexpected = await runInChunks(otherRoutes, async (route) => {
      const [withSession, withoutCredential] = [
        await sendRequest(route, cookieHeader(admin)),
        await sendRequest(route, {}),
      ];
      return withSession.status === 401 && withSession.body.code === withoutCredential.body.code
        ? []
        : [route.name];
    });
    expect(unexpected).toEqual([]);
  });
});
