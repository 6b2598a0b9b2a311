import { randomBytes } from 'node:crypto';
import { openSync } from 'node:fs';
import pg from 'pg';
import { adminUrl } from '../support/databases.mjs';
import { registerCustomer, type RegisteredCustomer } from '../support/customers.js';
import { DedicatedDatabase, expectUnavailable, LEASE_TOLERANCES } from '../support/dedicated-database.js';
import { eventually } from '../support/eventually.js';
import { HaProxy } from '../support/haproxy.js';
import { MailServer } from '../support/mail-server.js';
import { recordMeasurements } from '../support/measurements.js';
import { mixedRequests } from '../support/mixed-requests.js';
import type { PostgresServer } from '../support/postgres-server.mjs';
import { entryPoints, freePort, ServerProcess } from '../support/server-process.mjs';
import { runGatehouse } from '../support/run-gatehouse.js';
import { SteadyLoad } from '../support/steady-load.js';
import { PASSWORD, type TestInstance } from '../support/test-instance.js';
import { uniqueEmail } from '../support/unique-email.js';

const describeCluster = HaProxy.isInstalled ? describe : describe.skip;
if (!HaProxy.isInstalled) process.stderr.write('Cluster faults are not tested: haproxy is not installed\n');

const IMPORT_BYTES = 14 * 1024 * 1024;

describeCluster('a cluster with a synchronous standby behind HAProxy, at 50 requests per second', () => {
  let dedicated: DedicatedDatabase;
  let instance: TestInstance;
  let standby: PostgresServer;
  let mailServer: MailServer;
  let proxy: HaProxy;
  let publicUrl: string;
  /** The database URL with only the original primary as its host. */
  let databaseUrl: string;
  let customer: RegisteredCustomer;
  let apiProcesses: ServerProcess[];
  let ports: number[];
  let load: SteadyLoad;
  /** Number of exchanges before the current test. */
  let exchangesBefore: number;

  beforeAll(async () => {
    dedicated = await DedicatedDatabase.start();
    ({ instance } = dedicated);
    standby = await dedicated.server.startStandby();
    mailServer = new MailServer();
    await mailServer.start();
    await Promise.all(dedicated.programs.map((each) => each.stop('SIGTERM')));
    databaseUrl = instance.env['DATABASE_URL']!;
    const [primaryHost, standbyHost] = [dedicated.server.url, standby.url].map((url) => new URL(url).host);
    for (const name of ['DATABASE_URL', 'MIGRATE_DATABASE_URL'])
      instance.env[name] =
        `${instance.env[name]!.replace(primaryHost!, `${standbyHost},${primaryHost}`)}?target_session_attrs=read-write`;
    Object.assign(instance.env, {
      SMTP_URL: mailServer.url,
      MAIL_FROM: 'Shop <shop@example.com>',
      DATABASE_POOL: '8',
    });
    publicUrl = instance.baseUrl;
    ports = [Number(instance.env['PORT']), await freePort()];
    apiProcesses = [0, 1].map((index) => startApi(index));
    for (const _ of apiProcesses) instance.startWorker();
    await Promise.all([...apiProcesses, ...workers()].map((each) => each.waitUntilReady()));
    // With this setting, PostgreSQL acknowledges a commit only after the standby has stored it.
    await instance.sql(`ALTER SYSTEM SET synchronous_standby_names = '*'`);
    await instance.sql('SELECT pg_reload_conf()');
    await eventually('synchronous replication', async () => {
      const rows = await instance.sql(`SELECT FROM pg_stat_replication WHERE sync_state = 'sync'`);
      return rows.length === 1;
    });
    proxy = await HaProxy.start(ports);
    instance.env['PUBLIC_URL'] = proxy.url;
  });
  afterAll(async () => {
    await proxy?.stop();
    await mailServer?.stop();
    await dedicated?.remove();
    await standby?.remove();
  });

  beforeEach(async () => {
    exchangesBefore = dedicated.history.exchanges.length;
    customer = await registerCustomer(instance);
    const mixed = mixedRequests(instance, customer);
    const withoutDatabase = [
      () => instance.request('GET', '/.well-known/jwks.json'),
      () =>
        instance.request('OPTIONS', '/api/v1/auth/login', {
          headers: { origin: 'https://shop.example.com', 'access-control-request-method': 'POST' },
        }),
    ];
    let turn = 0;
    load = new SteadyLoad(
      50,
      (count) => (count % 5 === 0 ? withoutDatabase[(turn += 1) % 2]!() : mixed(count)),
      100,
    );
    await waitForRequests(50);
  });

  afterEach(() => load.stop());

  const workers = () => instance.workers.filter(({ isRunning }) => isRunning);
  function startApi(index: number, env: Record<string, string> = {}): ServerProcess {
    return instance.startApi({ PORT: String(ports[index]), PUBLIC_URL: publicUrl, ...env });
  }
  const isReady = (port: number) =>
    fetch(`http://127.0.0.1:${port}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  /** Restarts every process in turn. */
  async function restartAll(): Promise<void> {
    for (const index of apiProcesses.keys()) {
      expect(await apiProcesses[index]!.stop('SIGTERM')).toBe(0);
      apiProcesses[index] = startApi(index);
      await eventually('the API', () => isReady(ports[index]!));
    }
    for (const worker of workers()) {
      expect(await worker.stop('SIGTERM')).toBe(0);
      await instance.startWorker().waitUntilReady();
    }
  }
  const countMails = (email: string): number =>
    mailServer.mails.filter(({ to }) => to.includes(email)).length;
  async function waitForRequests(count: number): Promise<void> {
    const target = dedicated.history.exchanges.length + count;
    await eventually(`${count} requests`, () => dedicated.history.exchanges.length >= target);
  }

  /**
   * Ends the load and checks that nothing was lost or duplicated, that 503 was the only rejection, and that all
   * requests that do not need the database succeeded.
   * @returns the number of rejected requests
   */
  async function endLoad(): Promise<number> {
    await eventually('a registration', async () => (await instance.register()).status === 201);
    await waitForRequests(50);
    const total = await load.stop();
    const sent = dedicated.history.exchanges.slice(exchangesBefore);
    const rejected = sent.filter(({ response }) => !response || response.status >= 400);
    expect(rejected.filter(({ response }) => !response).map(({ path, error }) => [path, error])).toEqual([]);
    rejected.forEach(({ response }) => expectUnavailable(response!));
    expect(
      rejected.filter(({ path, method }) => path.startsWith('/.well-known') || method === 'OPTIONS'),
    ).toEqual([]);
    recordMeasurements({ requests: total, 'rejected with 503': rejected.length });
    await dedicated.history.check(LEASE_TOLERANCES);
    return rejected.length;
  }

  it('the log disk is full: requests and deliveries continue', async () => {
    const fullDisk = openSync('/dev/full', 'w');
    await apiProcesses[1]!.stop('SIGTERM');
    apiProcesses[1] = new ServerProcess(
      entryPoints.api,
      { ...instance.env, PORT: String(ports[1]), PUBLIC_URL: publicUrl },
      fullDisk,
    );
    instance.processes.push(apiProcesses[1]);
    const { MIGRATE_DATABASE_URL: _, ...workerEnv } = instance.env;
    const stopped = workers();
    for (const worker of stopped) {
      await worker.stop('SIGTERM');
      const started = new ServerProcess(entryPoints.worker, workerEnv, fullDisk);
      instance.workers.push(started);
      instance.processes.push(started);
    }
    await eventually('the API', () => isReady(ports[1]!));
    await waitForRequests(200);
    await endLoad();
    await restartAll();
  });

  it('the mail server is unavailable: each email is sent exactly once after it returns', async () => {
    const recipients = await Promise.all(Array.from({ length: 15 }, () => registerCustomer(instance)));
    await eventually('the first emails', () => recipients.every(({ email }) => countMails(email) === 1));
    await mailServer.stop();
    for (const { email } of recipients)
      expect(
        (await instance.requestWithPublishableKey('POST', '/api/v1/auth/forgot-password', { email })).status,
      ).toBe(202);
    await eventually('15 failed attempts', async () => {
      const rows = await instance.sql(`SELECT FROM mails WHERE kind = 'reset-password' AND tries > 0`);
      return rows.length === 15;
    });
    await mailServer.start();
    await eventually('15 emails', () => recipients.every(({ email }) => countMails(email) === 2));
    expect(await endLoad()).toBe(0);
    expect(recipients.map(({ email }) => countMails(email))).toEqual(recipients.map(() => 2));
  });

  it('an entry of GATEHOUSE_SECRET is replaced and retired in rolling restarts: no request fails', async () => {
    const oldSecret = instance.env['GATEHOUSE_SECRET']!;
    const newSecret = randomBytes(32).toString('base64url');
    for (const secrets of [`${oldSecret},${newSecret}`, `${newSecret},${oldSecret}`]) {
      instance.env['GATEHOUSE_SECRET'] = secrets;
      await restartAll();
    }
    await runGatehouse(instance, ['reencrypt']);
    const email = uniqueEmail();
    expect((await instance.register(email)).status).toBe(201);
    instance.env['GATEHOUSE_SECRET'] = newSecret;
    await restartAll();
    expect((await instance.login(email, PASSWORD)).status).toBe(200);
    expect(await endLoad()).toBe(0);
  });

  it('sixteen imports of 14 MB arrive at once: they succeed or get 503; other requests succeed', async () => {
    const metadata = { note: 'x'.repeat(IMPORT_BYTES / 1_000) };
    const responses = await Promise.all(
      Array.from({ length: 16 }, async () => {
        const customers = Array.from({ length: 1_000 }, () => ({ email: uniqueEmail(), metadata }));
        return instance.requestWithSecretKey('POST', '/api/v1/customers/import', { customers });
      }),
    );
    const statuses = responses.map(({ status }) => status);
    expect(statuses).toContain(200);
    responses.filter(({ status }) => status !== 200).forEach(expectUnavailable);
    recordMeasurements({ imported: statuses.filter((status) => status === 200).length });
    await endLoad();
  });

  it('PostgreSQL is restarted behind HAProxy: only requests that need it get 503 in the meantime', async () => {
    await dedicated.server.stop();
    await waitForRequests(200);
    await dedicated.server.start();
    expect(await endLoad()).toBeGreaterThan(0);
  });

  it('the former primary returns after a failover: every API process reports it', async () => {
    await dedicated.server.kill();
    await eventually('a rejected request', () =>
      dedicated.history.exchanges.slice(exchangesBefore).some(({ response }) => response?.status === 503),
    );
    await standby.query('SELECT pg_promote()');
    process.env['TEST_POSTGRES_URL'] = standby.url;
    const db = new pg.Pool({ connectionString: adminUrl(databaseUrl), max: 4 });
    Object.assign(instance, { db });
    await eventually('a registration', async () => (await instance.register()).status === 201);
    await dedicated.server.start();
    for (const each of apiProcesses) await each.runCommand('check-clock-and-hosts');
    await eventually('both API processes to report it', () =>
      apiProcesses.every(({ log }) =>
        log.some(({ message }) => message === 'more than one host in DATABASE_URL accepts writes'),
      ),
    );
    expect(await endLoad()).toBeGreaterThan(0);
  });
});
