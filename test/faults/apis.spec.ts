import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import { registerCustomer } from '../support/customers.js';
import { eventually } from '../support/eventually.js';
import { recordMeasurements } from '../support/measurements.js';
import { History } from '../support/history.js';
import { mixedRequests } from '../support/mixed-requests.js';
import { Receiver } from '../support/receiver.js';
import { startReplica } from '../support/start-replica.js';
import { entryPoints, freePort, ServerProcess } from '../support/server-process.mjs';
import { availableQueues, PASSWORD, TestInstance, type TestResponse } from '../support/test-instance.js';
import { uniqueEmail } from '../support/unique-email.js';

/** Uses Redis if it is installed: an API process that is killed after a commit then loses a job, not a notification. */
const queue = availableQueues.at(-1)!;
let instance: TestInstance;
let receiver: Receiver;
let history: History;

/** Starts an instance whose only API process kills itself at a failpoint. */
async function start(failpoint: string): Promise<void> {
  receiver = await Receiver.start();
  instance = await TestInstance.start({ queue, env: { RATE_LIMITS: 'off', FAILPOINTS: failpoint } });
  history = new History(instance, receiver);
  await instance.createEndpoint(receiver.url, ['customer.created', 'login.succeeded']);
}
async function stop(): Promise<void> {
  await instance?.stop();
  await receiver?.stop();
}

/** Starts the API again after the previous process was killed. */
async function startAgain(failpoint = ''): Promise<void> {
  instance.startApi({ FAILPOINTS: failpoint });
  await instance.waitUntilReady();
}

const create = (email: string, key: string): Promise<TestResponse> =>
  instance.request('POST', '/api/v1/customers', {
    body: { email, password: PASSWORD },
    headers: { authorization: `Bearer ${instance.credentials.secretKey}`, 'idempotency-key': key },
  });

/** Probes readiness over a new connection, because kept-alive connections belong to the previous process. */
const isReady = (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );

describe(`API processes, deliveries with ${queue}`, () => {
  const [first, second] = [uniqueEmail(), uniqueEmail()];
  const key = randomUUID();
  /** The rows that the first process has left behind, by table. */
  const rows: Record<string, object[]> = {};
  // Three API processes run in succession, against one database: two that are killed, and one for the tests.
  beforeAll(async () => {
    await start('delivery.before-commit');
    await expect(instance.register(first)).rejects.toThrow();
    expect(await instance.api.waitForExit()).toBeNull();
    for (const table of ['customers', 'sessions', 'mails', 'deliveries', 'one_time_tokens'])
      rows[table] = await instance.sql(`SELECT FROM ${table}`);
    rows['events'] = await instance.sql(`SELECT FROM events WHERE type LIKE 'customer.%'`);
    await startAgain('delivery.before-enqueue');
    await expect(create(second, key)).rejects.toThrow();
    expect(await instance.api.waitForExit()).toBeNull();
    await eventually('the event', () => receiver.requests.length === 1);
    await startAgain();
  });
  afterAll(stop);

  it('an API process is killed before the commit: nothing is stored, and a retry returns 201', async () => {
    expect(Object.keys(rows)).toHaveLength(6);
    for (const [table, stored] of Object.entries(rows)) expect([table, stored]).toEqual([table, []]);
    expect((await instance.register(first)).status).toBe(201);
    expect((await history.check()).requests).toBe(2);
  });

  it('an API process is killed after the commit: the event is delivered, and retries are safe', async () => {
    const [delivered] = receiver.requests;
    expect(delivered!.event).toMatchObject({
      type: 'customer.created',
      data: { customer: { email: second } },
    });
    const retried = await create(second, key);
    expect(retried).toMatchObject({ status: 201, body: { email: second } });
    expect(retried.headers.get('idempotent-replayed')).toBe('true');
    expect(await instance.register(second)).toMatchObject({ status: 409 });
    expect(await instance.sql('SELECT FROM customers WHERE email = $1', [second])).toHaveLength(1);
    expect((await instance.login(second)).status).toBe(200);
    // Two deliveries for customer.created and one for login.succeeded.
    expect((await history.check()).requests).toBe(3);
  });

  it('a migration adds columns: replicas on the previous version keep working and can start', async () => {
    const customer = await registerCustomer(instance);
    const request = mixedRequests(instance, customer);
    await request(0);
    const tables = await instance.sql<{ name: string }>(
      `SELECT c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
       WHERE n.nspname = 'public' AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relname <> 'migrations'`,
    );
    // Migrations add only columns that are nullable or have a default.
    for (const { name } of tables) {
      await instance.sql(
        `ALTER TABLE "${name}" ADD COLUMN next_version text NOT NULL DEFAULT 'x', ADD COLUMN next_too jsonb`,
      );
    }
    await instance.sql(
      `INSERT INTO migrations (timestamp, name) VALUES (9999999999999, 'OfTheNextVersion9999999999999')`,
    );
    const before = history.exchanges.length;
    const chain = async () => {
      for (let count = 0; count < 15; count += 1) await request(count);
    };
    await Promise.all([chain(), chain(), instance.register(), instance.login(first)]);
    const failed = history.exchanges
      .slice(before)
      .filter(({ response }) => response?.status !== 200 && response?.status !== 201);
    expect(failed.map(({ path, response }) => [path, response?.status, response?.body])).toEqual([]);
    const worker = instance.startWorker();
    await worker.waitUntilReady();
    await instance.workers[0]!.stop();
    await startReplica(instance);
    expect((await instance.register()).status).toBe(201);
    recordMeasurements({
      'tables with new columns': tables.length,
      requests: history.exchanges.length - before,
    });
    await history.check();
  });

  it('an API process receives SIGTERM with requests in progress: every request completes', async () => {
    const { api } = instance;
    await api.runCommand('hold', 'password.before-hash');
    const logins = Array.from({ length: 8 }, () => instance.login(first));
    await eventually(
      'held hashes',
      async () => Number(await api.runCommand('held', 'password.before-hash')) > 0,
    );
    // The probe completes its request only after the API has received SIGTERM, so its connection is still open even on
    // a slow machine.
    const completeProbe = await beginRequest(`${instance.baseUrl}/readyz`);
    const ended = api.stop('SIGTERM');
    await eventually('the API to stop', () => api.log.some(({ message }) => message === 'stopping'));
    const readiness = await completeProbe();
    expect(readiness).toMatch(/^HTTP\/1\.1 503 [^]+\r\nConnection: close\r\n/);
    expect(JSON.parse(readiness.split('\r\n\r\n')[1]!)).toEqual({ status: 'unavailable' });
    await api.runCommand('release', 'password.before-hash');
    const responses = await Promise.all(logins);
    expect(responses.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect(await ended).toBe(0);
    recordMeasurements({ 'in progress at SIGTERM': responses.length });
    await history.check();
  });
});

describe('startup', () => {
  it('one of three replicas is killed while it migrates at first start: the others become ready', async () => {
    const admin = new pg.Pool({ connectionString: process.env['TEST_POSTGRES_URL']!, max: 2 });
    const replicas: ServerProcess[] = [];
    const database = `replicas_${randomUUID().replaceAll('-', '')}`;
    const secret = randomBytes(32).toString('base64url');
    const dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-replicas-'));
    // The role name identifies each replica in pg_stat_activity.
    const roles = Array.from({ length: 3 }, (_, index) => `${database}_${index}`);
    await admin.query(`CREATE DATABASE ${database} TEMPLATE template1`);
    const url = new URL(process.env['TEST_POSTGRES_URL']!);
    url.pathname = `/${database}`;
    const holder = new pg.Client(url.href);
    try {
      await holder.connect();
      // The migration that creates this table waits for the lock.
      await holder.query('BEGIN; CREATE TABLE deliveries ()');
      const ports = await Promise.all(roles.map(freePort));
      for (const [index, role] of roles.entries()) {
        await admin.query(`CREATE ROLE ${role} SUPERUSER LOGIN PASSWORD 'none-${database}'`);
        Object.assign(url, { username: role, password: `none-${database}` });
        replicas.push(
          new ServerProcess(entryPoints.api, {
            DATABASE_URL: url.href,
            DATA_DIR: dataDir,
            PORT: String(ports[index]),
            PUBLIC_URL: `http://127.0.0.1:${ports[0]}`,
            GATEHOUSE_SECRET: secret,
            SEED: 'on',
            BCRYPT_COST: '4',
          }),
        );
      }
      const blocked = await eventually('a migration to wait', async () => {
        const { rows } = await admin.query<{ role: string }>(
          `SELECT usename AS role FROM pg_stat_activity
           WHERE datname = $1 AND wait_event_type = 'Lock' AND query LIKE '%CREATE TABLE%'`,
          [database],
        );
        return rows[0];
      });
      const victim = roles.indexOf(blocked.role);
      const { pid } = replicas[victim]!;
      const survivors = replicas.toSpliced(victim, 1);
      const message = 'waiting for another process to finish its migrations';
      await eventually('the other replicas to wait', () =>
        survivors.every(({ log }) => log.some((line) => line['message'] === message)),
      );
      for (const { log } of survivors)
        expect(log).toContainEqual(
          expect.objectContaining({
            message,
            holder: expect.stringContaining(`process ${pid}`),
            since: expect.any(String),
          }),
        );
      await replicas[victim]!.stop('SIGKILL');
      await holder.query('ROLLBACK');
      // Simulates half a minute, after which the lease expires.
      await holder.query('UPDATE migration_lease SET expires_at = now()');
      for (const port of ports.toSpliced(victim, 1))
        await eventually('a replica to be ready', () => isReady(port));
      expect(survivors.every(({ isRunning }) => isRunning)).toBe(true);
      const { rows } = await holder.query<{ times: number }>(
        'SELECT count(*)::int AS times FROM migrations GROUP BY name ORDER BY 1 DESC',
      );
      expect(rows[0]!.times).toBe(1);
      const log = survivors.flatMap((survivor) => survivor.log);
      const count = (start: string) => log.filter((line) => String(line['message']).startsWith(start)).length;
      expect(
        ['expired migration lease taken over', 'migrations applied', 'database seeded'].map(count),
      ).toEqual([1, 1, 1]);
    } finally {
      await Promise.all(replicas.map((replica) => replica.stop('SIGKILL')));
      await holder.end();
      await admin.query(`DROP DATABASE IF EXISTS ${database} WITH (FORCE)`);
      for (const role of roles) await admin.query(`DROP ROLE IF EXISTS ${role}`);
      await admin.end();
      await rm(dataDir, { recursive: true, force: true });
    }
  });

  it('production starts with an invalid configuration: it exits with 78 and reports every error', async () => {
    const secret = 'changeme-changeme-changeme-changeme';
    const api = new ServerProcess(entryPoints.api, {
      NODE_ENV: 'production',
      PORT: '99999',
      GATEHOUSE_SECRET: secret,
      DATABASE_URL: 'mysql://user:hunter2@host/db',
      BCRYPT_COST: '4',
      RATE_LIMITS: 'off',
      FAILPOINTS: 'x',
      TIME_SCALE: '2',
      TRUSTED_PROXIES: '0.0.0.0/0',
      WEBHOOK_ALLOWED_CIDRS: '10.0.0.0/8,::/0',
      REDIS_URL_FILE: '/nowhere/hunter2',
    });
    expect(await api.waitForExit()).toBe(78);
    for (const name of [
      'PORT',
      'GATEHOUSE_SECRET',
      'DATABASE_URL',
      'PUBLIC_URL',
      'SMTP_URL',
      'MAIL_FROM',
      'BCRYPT_COST',
      'RATE_LIMITS',
      'FAILPOINTS',
      'TIME_SCALE',
      'TRUSTED_PROXIES',
      'WEBHOOK_ALLOWED_CIDRS',
      'REDIS_URL_FILE',
    ]) {
      expect(api.output).toContain(`- ${name} `);
    }
    expect(api.output).not.toContain(secret);
    expect(api.output).not.toContain('hunter2');
  });
});

/**
 * Sends all but the last line of a GET request over a new connection.
 * @returns a function that sends the last line and returns the response
 */
async function beginRequest(url: string): Promise<() => Promise<string>> {
  const { hostname, port, pathname } = new URL(url);
  const socket = net.connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.write(`GET ${pathname} HTTP/1.1\r\nHost: ${hostname}\r\n`);
  return () => {
    socket.write('\r\n');
    return text(socket);
  };
}
