import { eventually } from '../support/eventually.js';
import { CONSOLE_HEADER, insertOperator } from '../support/operator-client.js';
import { commitWhenOthersWait } from '../support/with-concurrent-change.js';
import { listDocumentedRoutes, fillPath } from '../support/routes.js';
import { createPartitions, seedDeliveries } from '../support/seed-deliveries.js';
import { startReplica } from '../support/start-replica.js';
import { TestInstance, type TestResponse } from '../support/test-instance.js';
import { uniqueEmail } from '../support/unique-email.js';
import { waitForFeed } from '../support/wait-for-feed.js';

/** The recorded IPv4 and IPv6 address for each AUDIT_IP value. */
const RECORDED = {
  masked: ['203.0.113.0/24', '2001:db8:1::/48'],
  off: [null, null],
  full: ['203.0.113.99', '2001:db8:1:2::3'],
};

/** An API process with AUDIT_IP=full. Tests that need other settings start a replica. */
let instance: TestInstance;
type Replica = Awaited<ReturnType<typeof startReplica>>;
let masking: Replica;
let withoutConsole: Replica;
beforeAll(async () => {
  instance = await TestInstance.start({
    workers: 0,
    env: {
      AUDIT_IP: 'full',
      DATABASE_POOL: '4',
      RATE_LIMITS: 'off',
      TRUSTED_PROXIES: '127.0.0.1/32',
      WEBHOOK_RETRY_SCHEDULE: '1h,1h,1h,1h,1h',
    },
  });
  masking = await startReplica(instance, { AUDIT_IP: 'masked' });
  withoutConsole = await startReplica(instance, { AUDIT_IP: 'off', CONSOLE: 'off' });
});
afterAll(async () => instance?.stop());

it('CO-01: a sign-in needs one database connection, so it succeeds in an exhausted pool', async () => {
  const holder = await instance.db.connect();
  try {
    const { operator } = instance.credentials;
    const clients = await Promise.all(Array.from({ length: 4 }, () => insertOperator(instance)));
    await holder.query('BEGIN');
    await holder.query('SELECT FROM operators WHERE email = $1 FOR UPDATE', [operator.email]);
    const responses = Promise.all(clients.map((client) => client.request('POST', '/session', operator)));
    // Four requests hold all pool connections.
    await commitWhenOthersWait(holder, 4);
    expect((await responses).map(({ status }) => status)).toEqual(Array(4).fill(200));
  } finally {
    holder.release();
  }
});

it('CO-05: CONSOLE=off removes only the console and its API', async () => {
  const routes = (await listDocumentedRoutes(instance)).filter(({ path }) => path.startsWith('/operator/'));
  expect(routes.length).toBeGreaterThan(40);
  const page = await (await fetch(`${instance.baseUrl}/console/`)).text();
  const asset = /src="([^"]+)"/.exec(page)![1]!;

  const { baseUrl } = withoutConsole;
  const failures: string[] = [];
  for (const path of ['/console', '/console/', '/console/sign-in', asset]) {
    const { status } = await fetch(baseUrl + path, { redirect: 'manual' });
    if (status !== 404) failures.push(`${path}: ${status}`);
  }
  const cookie = (await insertOperator(instance)).cookieHeader();
  for (const { name, method, path } of routes) {
    const response = await fetch(baseUrl + fillPath(path, {}), {
      method,
      headers: { cookie, ...CONSOLE_HEADER },
    });
    const { code } = JSON.parse(await response.text()) as { code: string };
    const outcome = `${response.status} ${response.headers.get('content-type')} ${code}`;
    if (outcome !== '404 application/problem+json; charset=utf-8 not_found')
      failures.push(`${name}: ${outcome}`);
  }
  expect(failures).toEqual([]);
  expect((await fetch(`${baseUrl}/operator/openapi.json`)).status).toBe(404);
  expect(await (await fetch(`${baseUrl}/`)).json()).not.toHaveProperty('console');
  const headers = { authorization: `Bearer ${instance.credentials.secretKey}` };
  expect((await fetch(`${baseUrl}/api/v1/organizations`, { headers })).status).toBe(200);
});

it('AUDIT_IP determines how the audit log records client IPs', async () => {
  const baseUrls = { masked: masking.baseUrl, off: withoutConsole.baseUrl, full: instance.baseUrl };
  const authorization = `Bearer ${instance.credentials.secretKey}`;
  const found: Record<string, unknown> = {};
  for (const [name, baseUrl] of Object.entries(baseUrls)) {
    const ips: unknown[] = [];
    for (const address of ['203.0.113.99', '2001:db8:1:2::3']) {
      const { headers } = await instance.request('POST', '/api/v1/customers', {
        baseUrl,
        body: { email: uniqueEmail() },
        headers: { authorization, 'x-forwarded-for': address },
      });
      const requestId = headers.get('x-request-id')!;
      const rows = await instance.sql('SELECT ip FROM audit_log WHERE request_id = $1', [requestId]);
      const { body } = await instance.request('GET', `/api/v1/audit-log?requestId=${requestId}`, {
        baseUrl,
        headers: { authorization },
      });
      expect(rows).toEqual([{ ip: body.data[0].ip }]);
      ips.push(rows[0]!['ip']);
    }
    found[name] = ips;
  }
  expect(found).toEqual(RECORDED);
});

it('the feed neither hides nor skips events after a dump is restored on another server', async () => {
  const create = async (): Promise<string> =>
    (await instance.requestWithSecretKey('POST', '/api/v1/customers', { email: uniqueEmail() })).body.id;
  const list = (query: string): Promise<TestResponse> =>
    instance.requestWithSecretKey('GET', `/v1/events?types=customer.created&${query}`);
  const customersOf = ({ body }: TestResponse): string[] =>
    (body.data as { data: { customer: { id: string } } }[]).map(({ data }) => data.customer.id);
  // Removes other tests' events.
  await instance.sql('DELETE FROM events');
  const ids = [await create(), await create(), await create()];
  // Simulates an original server with higher transaction ids.
  await instance.sql(`UPDATE events SET xact = (xact::text::bigint + 1000000000)::text::xid8`);
  expect(customersOf(await list('limit=200'))).toEqual([]);
  await instance.api.stop();
  instance.startApi();
  await instance.waitUntilReady();
  await waitForFeed(instance);
  const first = await list('limit=1');
  expect(customersOf(first)).toEqual(ids.slice(0, 1));
  ids.push(await create());
  await waitForFeed(instance);
  const rest = await list(`limit=200&cursor=${encodeURIComponent(first.body.next_cursor as string)}`);
  expect(customersOf(rest)).toEqual(ids.slice(1));
});

it('events, redeliveries and batches have the same delay before the first attempt', async () => {
  await instance.startWorker().waitUntilReady();
  const { id } = await instance.createEndpoint('http://127.0.0.1:9/', ['customer.created']);
  await instance.register();
  const at = Date.now() - 86_400_000;
  await createPartitions(instance, at);
  const { projectId } = instance.credentials;
  const failedDelivery = {
    endpointId: id,
    projectId,
    state: 'failed' as const,
    attempts: [{ at, status: 500 }],
  };
  const [deadLetter] = await seedDeliveries(instance, [failedDelivery, failedDelivery]);
  const redeliverPath = `/v1/webhooks/deliveries/dlv_${deadLetter!.id}/redeliver`;
  expect((await instance.requestWithSecretKey('POST', redeliverPath)).status).toBe(202);
  const batches = '/v1/webhooks/redeliveries';
  const { body } = await instance.requestWithSecretKey('POST', batches, { filter: {} });
  await instance.requestWithSecretKey('POST', `${batches}/${body.data.id}/start`, { reason: 'the delay' });
  const delays = await eventually('all deliveries', async () => {
    const rows = await instance.sql<{ minutes: number }>(
      `SELECT round(extract(epoch FROM next_attempt_at - created_at) / 60)::int AS minutes FROM deliveries
       WHERE state = 'pending' AND attempt = 0`,
    );
    return rows.length === 3 && rows.map(({ minutes }) => minutes);
  });
  expect(delays).toEqual([60, 60, 60]);
});
