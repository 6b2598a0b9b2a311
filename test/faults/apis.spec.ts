import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { registerOne } from '../support/customers.js';
import { eventually } from '../support/eventually.js';
import { inSeconds, note } from '../support/figures.js';
import { History } from '../support/history.js';
import { queues, TestInstance, type Answer, type InstanceOptions } from '../support/test-instance.js';
import { entryPoints, freePort, ServerProcess } from '../support/server-process.mjs';
import { mixedRequests } from '../support/mixed-requests.js';
import { pausesSince } from '../support/pauses.js';
import { Receiver } from '../support/receiver.js';
import { RetryingProxy } from '../support/retrying-proxy.js';
import { SteadyLoad } from '../support/steady-load.js';
import { uniqueEmail } from '../support/unique-email.js';

let instance: TestInstance;
let receiver: Receiver;
let history: History;
/** What has to be stopped after a test. */
let open: { instance: TestInstance; receiver: Receiver } | undefined;
async function start(options: InstanceOptions = {}): Promise<void> {
  receiver = await Receiver.start();
  instance = await TestInstance.start({ ...options, env: { RATE_LIMITS: 'off', ...options.env } });
  open = { instance, receiver };
  history = new History(instance, receiver);
  await instance.createEndpoint(receiver.url, ['customer.created', 'login.succeeded']);
}
afterEach(async () => {
  await open?.instance.stop();
  await open?.receiver.stop();
  open = undefined;
});

/** Ends the api, and starts one that dies at a place; an instance of one api, so nobody stands in for it. */
async function startDoomed(failpoint: string): Promise<void> {
  await instance.api.end();
  instance.startApi({ FAILPOINTS: failpoint });
  await instance.ready();
}

async function startAgain(): Promise<void> {
  instance.startApi();
  await instance.ready();
}

const created = (email: string, key: string): Promise<Answer> =>
  instance.request('POST', '/api/v1/customers', {
    body: { email },
    headers: { authorization: `Bearer ${instance.credentials.secretKey}`, 'idempotency-key': key },
  });

describe.each(queues)('apis, deliveries carried by %s', (queue) => {
  it('an api is killed between the commit and the queue: the customer exists, the event arrives within 10 s without any api, once', async () => {
    await start({ queue });
    await startDoomed('delivery.before-enqueue');
    const email = uniqueEmail();
    const asked = Date.now();
    await expect(instance.register(email)).rejects.toThrow();
    expect(await instance.api.ended()).toBeNull();
    await eventually('the event', () => receiver.requests.length === 1);
    note({ 'arrived after': inSeconds(receiver.requests[0]!.at - asked) });
    await startAgain();
    expect(await instance.register(email)).toMatchObject({ status: 409 });
    expect((await instance.login(email)).status).toBe(200);
    const { requests } = await history.check({ lateMs: 10_000 });
    // Of the registration and of the login.
    expect(requests).toBe(2);
  });
});

describe('apis', () => {
  it('an api is killed before the commit: no customer, no event, no mail; the next try is 201', async () => {
    await start();
    await startDoomed('delivery.before-commit');
    const email = uniqueEmail();
    await expect(instance.register(email)).rejects.toThrow();
    expect(await instance.api.ended()).toBeNull();
    await startAgain();
    for (const table of ['customers', 'sessions', 'mails', 'deliveries', 'one_time_tokens']) {
      expect([table, await instance.sql(`SELECT FROM ${table}`)]).toEqual([table, []]);
    }
    expect(await instance.sql(`SELECT FROM events WHERE type LIKE 'customer.%'`)).toEqual([]);
    expect((await instance.register(email)).status).toBe(201);
    expect((await history.check()).requests).toBe(1);
  });

  it('an api is killed after the commit, before the answer: the same again with its Idempotency-Key gets the original 201', async () => {
    await start();
    await startDoomed('delivery.before-enqueue');
    const [email, key] = [uniqueEmail(), randomUUID()];
    await expect(created(email, key)).rejects.toThrow();
    expect(await instance.api.ended()).toBeNull();
    await startAgain();
    const again = await created(email, key);
    expect(again).toMatchObject({ status: 201, body: { email } });
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(await instance.sql('SELECT FROM customers')).toHaveLength(1);
    expect((await history.check({ lateMs: 10_000 })).requests).toBe(1);
  });

  it('an api is told to stop under 100 requests a second: ready 503 first, none is cut, Connection: close, exit 0 within 15 s', async () => {
    await start();
    const customer = await registerOne(instance);
    const load = new SteadyLoad(100, mixedRequests(instance, customer), 50);
    await sleep(2_000);
    const told = Date.now();
    const ended = instance.api.end('SIGTERM');
    const leave = await eventually('the api being no longer ready', async () => {
      const answer = await instance.request('GET', '/readyz').catch(() => null);
      return answer?.status === 503 && answer.headers.get('connection') === 'close' && answer;
    });
    // Whoever heeds it sends nothing more; what was sent has to be answered.
    const asked = load.stop();
    expect(leave.body).toMatchObject({ status: 'unavailable', database: 'up' });
    expect(await ended).toBe(0);
    const endMs = Date.now() - told;
    expect(endMs).toBeLessThan(15_000);
    const total = await asked;
    // After 100 ms without a request it takes everybody for gone: what is asked after such a pause of ours is refused.
    const [pause] = pausesSince(told).filter(({ ms }) => ms > 50);
    const heard = history.exchanges.filter(({ at }) => at < (pause?.at ?? Infinity));
    expect(heard.some(({ at }) => at >= told)).toBe(true);
    const failed = heard.filter(
      ({ path, answer }) => path !== '/readyz' && (!answer || answer.status >= 400),
    );
    expect(failed.map(({ path, answer, fault }) => [path, answer?.status, fault])).toEqual([]);
    const inHand = history.exchanges.filter(({ at, ms }) => at < told && at + ms > told).length;
    note({
      asked: total,
      'in hand when told': inHand,
      failed: failed.length,
      'ended after': inSeconds(endMs),
    });
    await startAgain();
    await history.check({ lateMs: 10_000 });
  });

  it('everything is restarted one after the other at 50 requests a second, behind a proxy that tries again when refused: no request fails', async () => {
    await start({ workers: 2, env: { DATABASE_POOL: '8' } });
    const customer = await registerOne(instance);
    const ports = [Number(instance.env['PORT']), await freePort()];
    // The issuer of tokens stays the same.
    const publicUrl = instance.baseUrl;
    const startReplica = (index: number) =>
      instance.startApi({ PORT: String(ports[index]), PUBLIC_URL: publicUrl });
    const replicas = [instance.api, startReplica(1)];
    const proxy = await RetryingProxy.start(ports);
    // From here on clients go through the proxy.
    instance.env['PUBLIC_URL'] = proxy.url;
    try {
      const isReady = (port: number) =>
        fetch(`http://127.0.0.1:${port}/readyz`).then(
          ({ ok }) => ok,
          () => false,
        );
      await eventually('the replica', () => isReady(ports[1]!));
      const load = new SteadyLoad(50, mixedRequests(instance, customer));
      await sleep(1_000);
      for (const index of [0, 1]) {
        expect(await replicas[index]!.end('SIGTERM')).toBe(0);
        replicas[index] = startReplica(index);
        await eventually('the replica', () => isReady(ports[index]!));
        expect(await instance.workers[index]!.end('SIGTERM')).toBe(0);
        instance.startWorker();
        await sleep(500);
      }
      await sleep(1_000);
      const asked = await load.stop();
      const bad = history.exchanges.filter(({ answer }) => !answer || answer.status >= 400);
      expect(bad.map(({ method, path, answer, fault }) => [method, path, answer?.status, fault])).toEqual([]);
      note({ asked, failed: bad.length });
      await history.check();
    } finally {
      await proxy.stop();
    }
  });

  it('the schema grows while a replica runs that does not know it: all of its requests succeed, and one more of the old starts', async () => {
    await start();
    const customer = await registerOne(instance);
    const load = new SteadyLoad(50, mixedRequests(instance, customer));
    await sleep(1_000);
    const tables = await instance.sql<{ name: string }>(
      `SELECT c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
       WHERE n.nspname = 'public' AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relname <> 'migrations'`,
    );
    // As a migration may: what is new has a default, or may be null.
    for (const { name } of tables) {
      await instance.sql(
        `ALTER TABLE "${name}" ADD COLUMN next_version text NOT NULL DEFAULT 'x', ADD COLUMN next_too jsonb`,
      );
    }
    await instance.sql(
      `INSERT INTO migrations (timestamp, name) VALUES (9999999999999, 'OfTheNextVersion9999999999999')`,
    );
    await sleep(1_500);
    await load.stop();
    const failed = history.exchanges.filter(({ answer }) => !answer || answer.status >= 400);
    expect(failed.map(({ path, answer }) => [path, answer?.status, answer?.body])).toEqual([]);
    const old = instance.startWorker();
    await eventually('a worker', () => old.log.some(({ message }) => message === 'ready'));
    await instance.api.end('SIGTERM');
    await startAgain();
    expect((await instance.register()).status).toBe(201);
    note({ 'tables that grew': tables.length, asked: history.exchanges.length, failed: failed.length });
    await history.check();
  });
});

describe('starting', () => {
  it('five replicas start on an empty database, and the one that migrates is killed: the others are ready, each migration once, never half a schema', async () => {
    await start({ workers: 0 });
    const replicas: ServerProcess[] = [];
    const database = `replicas_${randomUUID().replaceAll('-', '')}`;
    // By its name PostgreSQL tells which of them is at work.
    const roles = Array.from({ length: 5 }, (_, index) => `${database}_${index}`);
    await instance.sql(`CREATE DATABASE ${database} TEMPLATE template1`);
    const url = new URL(instance.env['DATABASE_URL']!);
    url.pathname = `/${database}`;
    const holder = new pg.Client(url.href);
    try {
      await holder.connect();
      // Whoever comes to this table, in the midst of the migrations, waits.
      await holder.query('BEGIN; CREATE TABLE deliveries ()');
      const ports = await Promise.all(roles.map(freePort));
      for (const [index, role] of roles.entries()) {
        await instance.sql(`CREATE ROLE ${role} SUPERUSER LOGIN PASSWORD 'none-${database}'`);
        Object.assign(url, { username: role, password: `none-${database}` });
        const env = { ...instance.env, DATABASE_URL: url.href, PORT: String(ports[index]) };
        replicas.push(new ServerProcess(entryPoints.api, env));
      }
      const waiting = () =>
        instance.sql<{ role: string; isMigrating: boolean }>(
          `SELECT usename AS role, query LIKE '%CREATE TABLE%' AS "isMigrating" FROM pg_stat_activity
           WHERE datname = $1 AND wait_event_type = 'Lock'`,
          [database],
        );
      const inLine = await eventually('all of them being there', async () => {
        const found = await waiting();
        return found.length === roles.length && found;
      });
      const victim = roles.indexOf(inLine.find(({ isMigrating }) => isMigrating)!.role);
      await replicas[victim]!.end('SIGKILL');
      await holder.query('ROLLBACK');
      const released = Date.now();
      const [survivors, left] = [replicas, ports].map((all) => (all as unknown[]).toSpliced(victim, 1)) as [
        ServerProcess[],
        number[],
      ];
      for (const port of left) {
        const isReady = () =>
          fetch(`http://127.0.0.1:${port}/readyz`).then(
            ({ ok }) => ok,
            () => false,
          );
        await eventually('a replica being ready', isReady);
      }
      note({ 'all ready after': inSeconds(Date.now() - released) });
      expect(survivors.every(({ isRunning }) => isRunning)).toBe(true);
      const { rows } = await holder.query<{ times: number }>(
        'SELECT count(*)::int AS times FROM migrations GROUP BY name ORDER BY 1 DESC',
      );
      expect(rows[0]!.times).toBe(1);
      const log = survivors.flatMap((survivor) => survivor.log);
      expect(log.filter(({ message }) => String(message).startsWith('seeded'))).toHaveLength(1);
      expect(log.filter(({ message }) => message === 'migrated')).toHaveLength(1);
    } finally {
      await Promise.all(replicas.map((replica) => replica.end('SIGKILL')));
      await holder.end();
      await instance.sql(`DROP DATABASE IF EXISTS ${database} WITH (FORCE)`);
      for (const role of roles) await instance.sql(`DROP ROLE IF EXISTS ${role}`);
    }
  });

  it('production with faults in its configuration: exit 78, every fault named, no value of a secret', async () => {
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
    });
    expect(await api.ended()).toBe(78);
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
    ]) {
      expect(api.output).toContain(`- ${name} `);
    }
    expect(api.output).not.toContain(secret);
    expect(api.output).not.toContain('hunter2');
  });
});
