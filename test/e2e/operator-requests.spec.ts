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

/** Those that lead to a session; each requires what it needs by itself. */
const open = [
  'DELETE /operator/v1/session',
  'GET /operator/v1/session',
  'POST /operator/v1/invitations/accept',
  'POST /operator/v1/session',
  'POST /operator/v1/session/enrollment',
  'POST /operator/v1/session/enrollment/confirm',
  'POST /operator/v1/session/enrollment/skip',
  'POST /operator/v1/session/second-factor',
  'POST /operator/v1/setup',
];

/** What the role operator may change, beside what is their own. */
const ofTheRole = [
  'DELETE /operator/v1/customers/{customerId}/sessions',
  'DELETE /operator/v1/customers/{customerId}/sessions/{sessionId}',
  'POST /operator/v1/customers/{customerId}/disable',
  'POST /operator/v1/customers/{customerId}/enable',
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

const ofOperators = (): Route[] => routes.filter(({ path }) => path.startsWith('/operator/'));
const guarded = (): Route[] => ofOperators().filter(({ name }) => !open.includes(name));
const changing = (list: Route[]): Route[] => list.filter(({ method }) => method !== 'GET');

/** Requests things that do not exist. */
const ask = ({ method, path }: Route, headers: Record<string, string>): Promise<TestResponse> => {
  const ids = Object.fromEntries([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name, randomUUID()]));
  return instance.request(method, fillPath(path, ids), { headers });
};

/** The routes with another response. */
const others = (
  list: Route[],
  headers: Record<string, string>,
  status: number,
  code: string,
  consoleHeader: Record<string, string> = CONSOLE_HEADER,
) =>
  runInChunks(list, async (route) => {
    const answer = await ask(route, { ...consoleHeader, ...headers });
    const isRight = answer.status === status && answer.body.code === code;
    return isRight ? [] : [`${route.name}: ${answer.status} ${answer.body.code}`];
  });

const cookieOf = ({ cookie }: OperatorClient) => ({ cookie: `__Host-gatehouse_operator=${cookie}` });

describe('the routes of operators', () => {
  it('CO-01: take nothing but their session, those that lead to it aside', () => {
    expect(guarded().length).toBeGreaterThan(40);
    expect(guarded().filter(({ kinds }) => String(kinds) !== 'operator')).toEqual([]);
    const unguarded = ofOperators().filter(({ kinds }) => kinds.length === 0);
    expect(unguarded.map(({ name }) => name).sort()).toEqual(open);
  });

  it('CO-01: are shut without a session, and to one that has ended or is half open', async () => {
    const half = new OperatorClient(instance);
    await half.request('POST', '/session', instance.credentials.operator);
    const ended = await inviteOperator(admin, 'admin');
    await admin.request('DELETE', `/operators/${ended.operator.id}/sessions`);
    for (const headers of [{}, cookieOf(half), cookieOf(ended), { cookie: '__Host-gatehouse_operator=' }])
      expect(await others(guarded(), headers, 401, 'operator_session_required')).toEqual([]);
  });

  it('CO-01: take no key and no access token, whatever these may do', async () => {
    const { secretKey, publishableKey } = instance.credentials;
    const { accessToken } = (await instance.register()).body.tokens;
    for (const headers of [
      { authorization: `Bearer ${secretKey}` },
      { 'x-api-key': secretKey },
      { 'x-publishable-key': publishableKey },
      { authorization: `Bearer ${accessToken as string}` },
    ] as Record<string, string>[])
      expect(await others(guarded(), headers, 403, 'wrong_credential_type')).toEqual([]);
  });

  it('CO-01: beside a session a key gives no more rights, and basic authentication of a proxy is ignored', async () => {
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

  it('CO-01: let a viewer change nothing but what is their own', async () => {
    const viewer = await inviteOperator(admin, 'viewer');
    const foreign = changing(guarded()).filter(({ path }) => !path.startsWith('/operator/v1/session/'));
    expect(foreign.length).toBeGreaterThan(20);
    expect(await others(foreign, cookieOf(viewer), 403, 'insufficient_role')).toEqual([]);
  });

  it('CO-01: let an operator change what the role is for, and nothing that would make a customer theirs', async () => {
    const operator = await inviteOperator(admin, 'operator');
    const headers = { ...CONSOLE_HEADER, ...cookieOf(operator) };
    const permitted = await runInChunks(changing(guarded()), async (route) => {
      const { status, body } = await ask(route, headers);
      if (body?.code !== 'insufficient_role') return [route.name];
      expect([route.name, status]).toEqual([route.name, 403]);
      return [];
    });
    expect(permitted.filter((name) => !name.includes('/operator/v1/session/')).sort()).toEqual(ofTheRole);
  });

  it('CO-04: change nothing without the header of the console, or for a page of elsewhere', async () => {
    const foreign: Record<string, string>[] = [
      {},
      { 'x-gatehouse-console': '0' },
      { ...CONSOLE_HEADER, 'sec-fetch-site': 'cross-site' },
      { ...CONSOLE_HEADER, origin: 'https://evil.example' },
    ];
    const opening = changing(ofOperators().filter(({ name }) => open.includes(name)));
    for (const headers of foreign)
      for (const list of [changing(guarded()), opening])
        expect(await others(list, cookieOf(admin), 403, 'cross_site_request', headers)).toEqual([]);
    expect((await admin.request('GET', '/session')).body.state).toBe('signed_in');
  });

  it('CO-04: send no CORS headers, not even to a preflight', async () => {
    for (const path of ['/operator/v1/session', '/operator/v1/projects']) {
      const answer = await instance.request('OPTIONS', path, {
        headers: {
          origin: 'https://evil.example',
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'x-gatehouse-console',
        },
      });
      expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
  });
});

describe('every other route', () => {
  it('CO-01: gives the session of an operator no more than no credential', async () => {
    const rest = routes.filter(({ path, kinds }) => !path.startsWith('/operator/') && kinds.length > 0);
    expect(rest.length).toBeGreaterThan(40);
    const wrong = await runInChunks(rest, async (route) => {
      const [theirs, without] = [await ask(route, cookieOf(admin)), await ask(route, {})];
      return theirs.status === 401 && theirs.body.code === without.body.code ? [] : [route.name];
    });
    expect(wrong).toEqual([]);
  });
});
