import { runInChains } from '../support/run-in-chains.js';
import { registerCustomer, registerCustomers } from '../support/customers.js';
import {
  DedicatedDatabase,
  METRICS_TOKEN,
  expectUnavailable,
  POOL_SIZE,
  sendAllRequestKinds,
} from '../support/dedicated-database.js';
import { eventually } from '../support/eventually.js';
import { recordMeasurements } from '../support/measurements.js';
import { mixedRequests } from '../support/mixed-requests.js';
import { CONSOLE_HEADER, OPERATOR_COOKIE, signIn } from '../support/operator-client.js';
import { fillPath, listDocumentedRoutes, type CredentialKind } from '../support/routes.js';
import { runInChunks } from '../support/run-in-chunks.js';
import type { TestResponse } from '../support/test-instance.js';

/** Requests a program's `/healthz`. */
async function readHealth(url: string) {
  const response = await fetch(`${url}/healthz`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } });
  const body = (await response.json()) as { status: string; components: Record<string, string> };
  return { status: response.status, body };
}

describe('PostgreSQL faults', () => {
  let dedicated: DedicatedDatabase;
  beforeAll(async () => (dedicated = await DedicatedDatabase.start()));
  afterEach(() => dedicated?.server.thaw());
  afterAll(() => dedicated?.remove());

  it('PostgreSQL is killed with -9 under mixed requests: they get 503, and no write is lost', async () => {
    const { instance, history, pids, server } = dedicated;
    const before = history.exchanges.length;
    const request = mixedRequests(instance, await registerCustomer(instance));
    const load = runInChains(4, 25, request);
    await eventually('requests', () => history.exchanges.length >= before + 30);
    await server.kill();
    await load;
    const stoppedFrom = history.exchanges.length;
    await runInChains(4, 5, request);
    await server.start();
    await eventually('a registration', async () => (await instance.register()).status === 201);
    await dedicated.expectHealthyConnections();
    await runInChains(4, 5, request);
    const sent = history.exchanges.slice(before);
    const rejected = sent.filter(({ response }) => response?.status !== 200 && response?.status !== 201);
    // The history check reports requests without a response, together with the API process's state.
    rejected.forEach(({ response }) => response && expectUnavailable(response));
    const whileStopped = history.exchanges.slice(stoppedFrom, stoppedFrom + 20);
    expect(whileStopped.map(({ response }) => response?.status)).toEqual(Array(20).fill(503));
    recordMeasurements({ requests: sent.length, 'rejected with 503': rejected.length });
    await history.check();
    expect(dedicated.pids).toEqual(pids);
  });

  it('40 clients exhaust the pool by waiting for a locked table: they get 503; the pool recovers', async () => {
    const { instance, history, customer } = dedicated;
    const me = () => instance.requestWithAccessToken(customer.tokens.accessToken, 'GET', '/api/v1/me');
    const holder = await instance.db.connect();
    let responses: TestResponse[];
    try {
      await holder.query('BEGIN; LOCK TABLE sessions IN ACCESS EXCLUSIVE MODE');
      const requests = Array.from({ length: 40 }, me);
      expect((await instance.request('GET', '/livez')).status).toBe(200);
      responses = await Promise.all(requests);
      responses.forEach(expectUnavailable);
    } finally {
      await holder.query('ROLLBACK');
      holder.release();
    }
    const ids = new Set(responses.map(({ headers }) => headers.get('x-request-id')));
    const durations = await eventually('the log of all requests', () => {
      const lines = instance.api.log.filter(
        ({ message, requestId }) => message === 'request' && ids.has(String(requestId)),
      );
      return lines.length === 40 && lines.map(({ durationMs }) => Number(durationMs));
    });
    expect(Math.min(...durations)).toBeGreaterThan(1_900);
    await dedicated.expectHealthyConnections();
    await dedicated.expectNoLeakedConnection();
    await history.check();
  });

  it('PostgreSQL is stopped: requests that need it get 503, and all others respond as before', async () => {
    const { instance, history, customer, pids, server, workerPort } = dedicated;
    const worker = `http://127.0.0.1:${workerPort}`;
    const { cookie } = await signIn(instance);
    const guarded = (await listDocumentedRoutes(instance)).filter(({ kinds }) => kinds.length > 0);
    const credentials: Record<CredentialKind, Record<string, string>> = {
      secret: { authorization: `Bearer ${instance.credentials.secretKey}` },
      publishable: { 'x-publishable-key': instance.credentials.publishableKey },
      access: { authorization: `Bearer ${customer.tokens.accessToken}` },
      operator: { ...CONSOLE_HEADER, cookie: `${OPERATOR_COOKIE}=${cookie}` },
    };
    const programs = [instance.baseUrl, worker];
    const readReadiness = () =>
      Promise.all(
        programs.map(async (url) => {
          const response = await fetch(`${url}/readyz`);
          return `${response.status} ${((await response.json()) as { status: string }).status}`;
        }),
      );
    const waitUntilReady = () =>
      eventually('both programs to be ready', async () =>
        (await readReadiness()).every((each) => each === '200 ready'),
      );
    // The API may notice the previous test's outage only after that outage has ended.
    await waitUntilReady();
    try {
      await server.stop();
      await eventually('the outage to be noticed', async () =>
        (await readReadiness()).every((each) => each !== '200 ready'),
      );
      expect(await readReadiness()).toEqual(['200 degraded', '200 degraded']);

      expect(guarded.length).toBeGreaterThan(250);
      const others = await runInChunks(guarded, async (route) => {
        const { status, headers: received } = await instance.request(route.method, fillPath(route.path, {}), {
          headers: credentials[route.kinds[0]!],
        });
        return status === 503 && received.has('retry-after') ? [] : [`${route.name}: ${status}`];
      });
      expect(others).toEqual([]);
      const paths = [
        ...['/', '/livez', '/.well-known/jwks.json', '/.well-known/openid-configuration'],
        ...[
          '/openapi.json',
          '/operator/openapi.json',
          '/docs',
          '/docs/errors',
          '/console/',
          '/sign-in/page.js',
        ],
      ];
      const statuses = paths.map(async (path) => [path, (await fetch(instance.baseUrl + path)).status]);
      expect(await Promise.all(statuses)).toEqual(paths.map((path) => [path, 200]));
      const preflight = { origin: 'https://app.example', 'access-control-request-method': 'POST' };
      const allowed = await instance.request('OPTIONS', '/api/v1/auth/login', { headers: preflight });
      expect(allowed.status).toBe(204);
      const page = await instance.request('GET', '/verify-email');
      expect([page.status, page.headers.has('retry-after')]).toEqual([503, true]);
      const unreachable = { status: 503, body: { components: { postgresql: 'unreachable' } } };
      for (const url of programs) expect(await readHealth(url)).toMatchObject(unreachable);
    } finally {
      await server.start();
    }
    await waitUntilReady();
    for (const url of programs) expect(await readHealth(url)).toMatchObject({ status: 200 });
    expect(dedicated.pids).toEqual(pids);
    await history.check();
  });

  it('RN-03: PostgreSQL is read-only: reads succeed, and writes get 503 until it is writable', async () => {
    const { instance, history, customer, pids } = dedicated;
    const [, worker] = dedicated.programs;
    const me = (method: string, body?: object) =>
      instance.requestWithAccessToken(customer.tokens.accessToken, method, '/api/v1/me', body);
    // The setting applies to new connections. Unlike on a standby, a writable transaction can revert it.
    const alterDatabase = (change: string) =>
      instance.db.query(
        `BEGIN READ WRITE;
         DO $$ BEGIN EXECUTE format('ALTER DATABASE %I ${change}', current_database()); END $$;
         COMMIT`,
      );
    await alterDatabase('SET default_transaction_read_only = on');
    await instance.sql(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND application_name LIKE 'gatehouse/%'`,
    );
    await eventually('a read', async () => (await me('GET')).status === 200);
    await eventually('the health of the worker', async () => {
      const { body } = await readHealth(`http://127.0.0.1:${dedicated.workerPort}`);
      return body.components['postgresql'] === 'read_only';
    });
    const writes = Array.from({ length: 15 }, () => me('PATCH', { firstName: 'Grace' }));
    (await Promise.all(writes)).forEach(expectUnavailable);
    expect((await me('GET')).status).toBe(200);
    await worker!.stop('SIGTERM');
    const started = instance.startWorker();
    await eventually('the worker to wait', () =>
      started.log.some(({ message }) => message === 'database is read-only, waiting for the primary'),
    );

    await alterDatabase('RESET default_transaction_read_only');
    let rejected = 0;
    await eventually('a write', async () => {
      const { status } = await me('PATCH', { firstName: 'Grace' });
      rejected += status === 200 ? 0 : 1;
      return status === 200;
    });
    // A rejected write closes its connection, as on a standby.
    expect(rejected).toBeLessThanOrEqual(POOL_SIZE);
    await started.waitUntilReady();
    expect(dedicated.pids[0]).toBe(pids[0]);
    await history.check();
  });

  it('RN-03: the PostgreSQL disk is full: reads succeed, and writes get 503 until it has space', async () => {
    const { instance, history, customer, pids } = dedicated;
    await instance.db.query(
      `CREATE FUNCTION fail_as_full() RETURNS trigger LANGUAGE plpgsql AS
         $$ BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END $$;
       CREATE TRIGGER fail_as_full BEFORE INSERT OR UPDATE ON customers EXECUTE FUNCTION fail_as_full()`,
    );
    expectUnavailable(await instance.register());
    expectUnavailable(
      await instance.requestWithAccessToken(customer.tokens.accessToken, 'PATCH', '/api/v1/me', {
        firstName: 'Ada',
      }),
    );
    const me = await instance.requestWithAccessToken(customer.tokens.accessToken, 'GET', '/api/v1/me');
    expect(me.status).toBe(200);

    await instance.db.query('DROP TRIGGER fail_as_full ON customers; DROP FUNCTION fail_as_full');
    await registerCustomer(instance);
    expect(dedicated.pids).toEqual(pids);
    await history.check();
  });

  it('PostgreSQL is frozen: requests get 503 until it responds again', async () => {
    const { instance, server, receiver, history, customer, pids } = dedicated;
    await registerCustomers(instance, 20);
    await server.freeze();
    const live = await instance.request('GET', '/livez');
    const ready = await instance.request('GET', '/readyz');
    const requests = [1, 2, 3].flatMap(() => sendAllRequestKinds(instance, customer));
    (await Promise.all(requests)).forEach(expectUnavailable);
    expect([live.status, ready.status]).toEqual([200, 200]);

    server.thaw();
    const created = await eventually('a registration', async () => {
      const { status, body } = await instance.register();
      return status === 201 && (body.customer.id as string);
    });
    await dedicated.expectHealthyConnections();
    await eventually('the event', () => receiver.requests.some(({ body }) => body.includes(created)));
    expect(dedicated.pids).toEqual(pids);
    await history.check();
  });

  // The last two tests stop the programs.
  it('PostgreSQL is frozen when both programs receive SIGTERM: they exit with 0', async () => {
    const { server, history } = dedicated;
    await history.check();
    await server.freeze();
    const exitCodes = await Promise.all(dedicated.programs.map((each) => each.stop('SIGTERM')));
    expect(exitCodes).toEqual([0, 0]);
  });

  it('PostgreSQL is unreachable at startup: both programs wait, and continue without a restart', async () => {
    const { instance, history, server, workerPort } = dedicated;
    await Promise.all(dedicated.programs.map((each) => each.stop('SIGTERM')));
    await server.stop();
    instance.startApi();
    const worker = instance.startWorker();
    const statusOf = (url: string) =>
      fetch(url).then(
        ({ status }) => status,
        () => 0,
      );
    for (const [name, url] of [
      ['api', instance.baseUrl],
      ['worker', `http://127.0.0.1:${workerPort}`],
    ]) {
      await eventually(`the ${name} to listen`, async () => (await statusOf(`${url}/livez`)) === 200);
      expect([name, await statusOf(`${url}/readyz`)]).toEqual([name, 503]);
    }
    expectUnavailable(await instance.register());
    await server.start();
    await eventually(
      'the API to be ready',
      async () => (await statusOf(`${instance.baseUrl}/readyz`)) === 200,
    );
    await worker.waitUntilReady();
    expect(await statusOf(`http://127.0.0.1:${workerPort}/readyz`)).toBe(200);
    await registerCustomer(instance);
    await history.check();
  });
});
