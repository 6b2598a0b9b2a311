import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { withTimeout } from '#platform';
import { registerMany, registerOne, type Registered } from '../support/customers.js';
import { eventually } from '../support/eventually.js';
import { House, type Answer } from '../support/house.js';
import { PostgresServer } from '../support/postgres-server.mjs';
import { Receiver } from '../support/receiver.js';
import { SilentProxy } from '../support/silent-proxy.js';
import { uniqueEmail } from '../support/unique-email.js';

/** The lock that migrations take (libs/persistence/src/migrator.ts). */
const MIGRATION_LOCK = 7_120_913;

/** @throws Error unless an answer comes within `ms`; default: the longest that a request may take (I7) */
const inTime = (asked: Promise<Answer>, ms = 15_000): Promise<Answer> =>
  withTimeout(asked, ms, `no answer within ${ms} ms`);

const idempotent = (house: House, key = randomUUID()): Promise<Answer> =>
  house.request('POST', '/api/v1/customers', {
    body: { email: uniqueEmail() },
    headers: { authorization: `Bearer ${house.credentials.secretKey}`, 'idempotency-key': key },
  });

/** One request of every kind: reading and writing, within a transaction and without. */
function askEverything(house: House, { email, tokens }: Registered): Promise<Answer>[] {
  return [
    house.customer(tokens.accessToken, 'GET', '/api/v1/me'),
    house.request('POST', '/api/v1/auth/refresh', { body: { refreshToken: tokens.refreshToken } }),
    house.server('GET', '/v1/webhooks/deliveries'),
    house.page('POST', '/api/v1/auth/forgot-password', { email }),
    house.login(email),
    idempotent(house),
    house.register(),
  ];
}

function expectAway(answer: Answer): void {
  expect(answer.status).toBe(503);
  // A registration may find the line for a hash full: those before it stand there and wait for the database.
  expect(['unavailable', 'overloaded']).toContain(answer.body.code);
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
}

/** As many as the pool has connections and more: a connection that was left in disorder would show. */
async function expectNothingAmiss(house: House, { id, tokens }: Registered): Promise<void> {
  const answers = await Promise.all(
    Array.from({ length: 30 }, () => house.customer(tokens.accessToken, 'GET', '/api/v1/me')),
  );
  expect(answers.map(({ status, body }) => [status, body.id])).toEqual(Array(30).fill([200, id]));
}

describe('faults of PostgreSQL', () => {
  const shared = process.env['TEST_POSTGRES_URL']!;
  let server: PostgresServer;
  let house: House;
  let receiver: Receiver;
  let customer: Registered;
  beforeAll(async () => {
    server = await PostgresServer.start();
    process.env['TEST_POSTGRES_URL'] = server.url;
    house = await House.start({ template: 'template1', env: { RATE_LIMITS: 'off' } });
    receiver = await Receiver.start();
    await house.createEndpoint(receiver.url, ['customer.created']);
    customer = await registerOne(house);
  }, 60_000);
  afterEach(() => server.thaw());
  // One by one, so that the last are done whatever happens to the first.
  afterAll(() => house?.stop(), 60_000);
  afterAll(() => receiver?.stop());
  afterAll(() => server?.remove(), 60_000);
  afterAll(() => void (process.env['TEST_POSTGRES_URL'] = shared));

  it('I7: frozen: every request is answered 503 in time; thawed, the same processes go on', async () => {
    await registerMany(house, 20);
    await server.freeze();
    const live = await house.request('GET', '/livez');
    const ready = await house.request('GET', '/readyz');
    const asked = [1, 2, 3].flatMap(() => askEverything(house, customer)).map((each) => inTime(each));
    const answers = await Promise.all(asked);
    expect([live.status, ready.status]).toEqual([200, 503]);
    answers.forEach(expectAway);

    server.thaw();
    const created = await eventually('a registration', async () => {
      const { status, body } = await house.register();
      return status === 201 && (body.customer.id as string);
    });
    await expectNothingAmiss(house, customer);
    await eventually('its event', () => receiver.requests.some(({ body }) => body.includes(created)));
    expect([house.api, house.workers.at(-1)!].every(({ isRunning }) => isRunning)).toBe(true);
  }, 90_000);

  it('I7: frozen in the midst of a transaction: 503 in time, and no connection is used again', async () => {
    const holder = await house.db.connect();
    await holder.query('BEGIN; LOCK TABLE events IN ACCESS EXCLUSIVE MODE');
    const inLine = uniqueEmail();
    const stuck = [
      ...Array.from({ length: 8 }, () => inTime(house.register(inLine))),
      // Below the limit by a second wait: not even the claim of its key is waited for.
      inTime(idempotent(house), 10_000),
    ];
    const pids = await eventually('their transactions waiting', async () => {
      const rows = await house.sql<{ pid: number }>(
        `SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%INSERT INTO events%'`,
      );
      return rows.length === 2 && rows.map(({ pid }) => pid);
    });
    await server.freeze();
    (await Promise.all(stuck)).forEach(expectAway);
    server.thaw();
    await holder.query('ROLLBACK');
    holder.release();
    const isGone = async () =>
      (await house.sql('SELECT FROM pg_stat_activity WHERE pid = ANY ($1)', [pids])).length === 0;
    // Sooner than PostgreSQL itself gives up a transaction in which nothing happens.
    await eventually('their connections being gone', isGone, 5_000);
    await expectNothingAmiss(house, customer);
  }, 60_000);

  it('I7: frozen: both programs still end when they are told to', async () => {
    await server.freeze();
    const ended = await Promise.all([house.api, house.workers[0]!].map((each) => each.end('SIGTERM')));
    expect(ended).toEqual([0, 0]);
    server.thaw();
    house.startApi();
    house.startWorker();
    await house.ready();
  }, 60_000);

  it('I1: crashed and recovered: 503 meanwhile, nothing acknowledged is lost, the same processes', async () => {
    const acknowledged: string[] = [];
    let isOver = false;
    const register = async () => {
      const email = uniqueEmail();
      const answer = await inTime(house.register(email), 3_000);
      if (answer.status === 201) acknowledged.push(email);
      else expectAway(answer);
      return answer.status;
    };
    const registering = (async () => {
      while (!isOver) await register();
    })();
    await eventually('a few customers', () => acknowledged.length > 5);
    await server.crash();
    expect(await register()).toBe(503);
    await server.start();
    await eventually('a registration', async () => (await register()) === 201);
    isOver = true;
    await registering;
    await expectNothingAmiss(house, customer);
    const rows = await house.sql('SELECT FROM customers WHERE email = ANY ($1)', [acknowledged]);
    expect(rows).toHaveLength(acknowledged.length);
    expect([house.api, house.workers.at(-1)!].every(({ isRunning }) => isRunning)).toBe(true);
  }, 60_000);

  it('a migration may wait for longer than a request', async () => {
    const holder = await house.db.connect();
    try {
      await house.api.end('SIGTERM');
      await holder.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
      house.startApi();
      await eventually('the api migrating', async () => {
        const waiting = await house.sql(`SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`);
        return waiting.length > 0;
      });
      await sleep(7_000);
      expect(house.api.isRunning).toBe(true);
    } finally {
      await holder.query('SELECT pg_advisory_unlock_all()');
      holder.release();
    }
    await house.ready();
  }, 60_000);
});

describe('faults of the network to PostgreSQL', () => {
  let house: House;
  let proxy: SilentProxy;
  beforeAll(async () => {
    house = await House.start({ workers: 0, env: { RATE_LIMITS: 'off' } });
    const url = new URL(house.env['DATABASE_URL']!);
    proxy = await SilentProxy.start({ host: url.hostname, port: Number(url.port) });
    url.host = `127.0.0.1:${proxy.port}`;
    await house.api.end('SIGTERM');
    house.startApi({ DATABASE_URL: url.href });
    await house.ready();
  }, 60_000);
  afterAll(async () => {
    proxy?.speak();
    await house?.stop();
    await proxy?.stop();
  });

  it('I7: silent: 503 in time; what arrives late is taken for nothing else', async () => {
    const customers: Registered[] = [];
    for (let made = 0; made < 15; made += 1) customers.push(await registerOne(house));
    const ask = ({ tokens }: Registered) => house.customer(tokens.accessToken, 'GET', '/api/v1/me');
    await Promise.all(customers.map(ask));
    proxy.fallSilent();
    const asked = [...customers.map(ask), ...askEverything(house, customers[0]!)];
    (await Promise.all(asked.map((each) => inTime(each)))).forEach(expectAway);
    proxy.speak();
    await eventually('an answer', async () => (await ask(customers[0]!)).status === 200);
    const answers = await Promise.all(customers.map(ask));
    expect(answers.map(({ body }) => body.id)).toEqual(customers.map(({ id }) => id));
  }, 60_000);
});
