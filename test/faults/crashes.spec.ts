import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { fetchDocumented } from '../support/conformance.js';
import { registerMany } from '../support/customers.js';
import { eventually } from '../support/eventually.js';
import { carriers, House } from '../support/house.js';
import { freePort, HouseProcess, entryPoints } from '../support/processes.js';
import { Receiver, status } from '../support/receiver.js';
import { uniqueEmail } from '../support/unique-email.js';

/** Lease 3 s, time-out 1 s, retries after 0.3 s. */
const env = { TIME_SCALE: '10', WEBHOOK_RETRY_SCHEDULE: '0s,3s,3s,3s,3s' };

describe.each(carriers)('crashes, deliveries carried by %s', (carrier) => {
  let house: House;
  let receiver: Receiver;
  beforeEach(async () => {
    house = await House.start({ carrier, env });
    receiver = await Receiver.start();
  });
  afterEach(async () => {
    await house?.stop();
    await receiver?.stop();
  });

  const attemptsOf = (endpointId: string): Promise<Record<string, any>[]> =>
    house.attempts({ endpoint_id: endpointId });

  it('a worker killed in mid-request: worker_lost, then the next attempt, each number once', async () => {
    const endpoint = await house.createEndpoint(receiver.url, ['customer.created']);
    receiver.answer(() => undefined);
    await house.register();
    await eventually('the request arriving', () => receiver.requests.length === 1);
    await house.workers[0]!.end('SIGKILL');
    house.startWorker();
    const attempts = await eventually('the delivery succeeding', async () => {
      const found = await attemptsOf(endpoint.id);
      return found.at(-1)?.['success'] === true && found;
    });
    expect(attempts.map(({ attempt, http_status, error }) => [attempt, http_status, error])).toEqual([
      [1, 0, 'worker_lost'],
      [2, 200, null],
    ]);
    expect(receiver.requests).toHaveLength(2);
    expect(new Set(receiver.requests.map(({ event }) => event.id)).size).toBe(1);
  });

  it('a worker killed during attempt 5: no sixth request, a dead letter, and it can be redelivered', async () => {
    const endpoint = await house.createEndpoint(receiver.url, ['customer.created']);
    receiver.answer(status(500), status(500), status(500), status(500), () => undefined);
    await house.register();
    await eventually('attempt 5', () => receiver.requests.length === 5);
    await house.workers[0]!.end('SIGKILL');
    house.startWorker();
    const attempts = await eventually('the dead letter', async () => {
      const found = await attemptsOf(endpoint.id);
      return found.length === 5 && found;
    });
    expect(attempts[4]).toMatchObject({ attempt: 5, error: 'worker_lost', delivery_state: 'failed' });
    await sleep(1_000);
    expect(receiver.requests).toHaveLength(5);
    const redelivered = await house.server(
      'POST',
      `/v1/webhooks/deliveries/${attempts[0]!['delivery_id']}/redeliver`,
    );
    expect(redelivered.status).toBe(202);
    await eventually('the redelivery', () => receiver.requests.length === 6);
  });

  it('an api killed between commit and enqueue: the customer exists and the event arrives without it', async () => {
    const endpoint = await house.createEndpoint(receiver.url, ['customer.created']);
    await house.api.end();
    house.startApi({ FAILPOINTS: 'delivery.before-enqueue' });
    await house.ready();
    const email = uniqueEmail();
    await expect(house.register(email)).rejects.toThrow();
    expect(await house.api.ended()).toBeNull();
    await eventually('the event arriving', () => receiver.requests.length === 1, 10_000);
    house.startApi();
    await house.ready();
    expect(await house.register(email)).toMatchObject({ status: 409 });
    expect((await house.login(email)).status).toBe(200);
    const attempts = await eventually('the record', async () => {
      const found = await attemptsOf(endpoint.id);
      return found.length > 0 && found;
    });
    expect(attempts).toMatchObject([{ attempt: 1, success: true }]);
    expect(receiver.requests).toHaveLength(1);
  });

  it('an api killed before commit: nothing happened, and the next try succeeds', async () => {
    await house.createEndpoint(receiver.url, ['customer.created']);
    await house.api.end();
    house.startApi({ FAILPOINTS: 'transaction.before-commit', SEED: 'off' });
    // Its own start commits as well, so it is killed before it is ready; the house must come up without it.
    expect(await house.api.ended()).toBeNull();
    house.startApi();
    await house.ready();
    expect((await house.register()).status).toBe(201);
  });

  it('workers told to stop finish what is in flight and leave nothing leased', async () => {
    await house.createEndpoint(receiver.url, ['customer.created']);
    receiver.otherwise = (response) => void setTimeout(() => response.end('late'), 700);
    const registered = registerMany(house, 20);
    await eventually('20 requests in flight', () => receiver.requests.length === 20);
    await registered;
    expect(await house.workers[0]!.end('SIGTERM')).toBe(0);
    const [row] = await house.sql(
      `SELECT count(*) FILTER (WHERE state = 'succeeded')::int AS done, count(lease_until)::int AS leased FROM deliveries`,
    );
    expect(row).toEqual({ done: 20, leased: 0 });
  });

  it('five workers make each of 200 deliveries once', async () => {
    for (let index = 0; index < 4; index += 1) house.startWorker();
    await house.ready();
    await house.createEndpoint(receiver.url, ['customer.created']);
    await registerMany(house, 200);
    await eventually('all requests', () => receiver.requests.length >= 200);
    await sleep(500);
    expect(receiver.requests).toHaveLength(200);
    expect(new Set(receiver.requests.map(({ event }) => event.id)).size).toBe(200);
    const [row] = await house.sql('SELECT count(*)::int AS n, max(attempt)::int AS most FROM attempts');
    expect(row).toEqual({ n: 200, most: 1 });
  });
});

describe('starting', () => {
  it('five replicas on an empty database: all ready, each migration once, one seed', async () => {
    const house = await House.start({ workers: 0 });
    const replicas: HouseProcess[] = [];
    try {
      const database = `replicas_${randomUUID().replaceAll('-', '')}`;
      await house.sql(`CREATE DATABASE ${database} TEMPLATE template1`);
      const url = new URL(house.env['DATABASE_URL']!);
      url.pathname = `/${database}`;
      const ports = await Promise.all(Array.from({ length: 5 }, freePort));
      for (const port of ports) {
        replicas.push(
          new HouseProcess(entryPoints.api, { ...house.env, DATABASE_URL: url.href, PORT: String(port) }),
        );
      }
      for (const port of ports) {
        await eventually(
          'a replica being ready',
          () =>
            fetch(`http://127.0.0.1:${port}/readyz`).then(
              (response) => response.ok,
              () => false,
            ),
          60_000,
        );
      }
      expect(replicas.every(({ isRunning }) => isRunning)).toBe(true);
      const seeded = replicas
        .flatMap(({ log }) => log)
        .filter(({ message }) => String(message).startsWith('seeded'));
      expect(seeded).toHaveLength(1);
      const migrated = replicas.flatMap(({ log }) => log).filter(({ message }) => message === 'migrated');
      expect(migrated).toHaveLength(1);
      await Promise.all(replicas.map((replica) => replica.end()));
      await house.sql(`DROP DATABASE ${database} WITH (FORCE)`);
    } finally {
      await Promise.all(replicas.map((replica) => replica.end('SIGKILL')));
      await house.stop();
    }
  });

  it('a database that is away: live, not ready, 503 with Retry-After (HD-04)', async () => {
    const port = await freePort();
    const api = new HouseProcess(entryPoints.api, {
      PORT: String(port),
      DATABASE_URL: `postgres://nobody:nothing@127.0.0.1:${await freePort()}/none`,
      GATEHOUSE_SECRET: randomUUID() + randomUUID(),
    });
    const ask = (path: string) => fetchDocumented(`http://127.0.0.1:${port}${path}`);
    await eventually('the api listening', () =>
      ask('/livez').then(
        (response) => response.ok,
        () => false,
      ),
    );
    expect((await ask('/readyz')).status).toBe(503);
    const answer = await ask('/api/v1/me');
    expect(answer.status).toBe(503);
    expect(answer.headers.get('retry-after')).toBe('1');
    expect(await answer.json()).toMatchObject({ code: 'unavailable' });
    expect(await api.end('SIGTERM')).toBe(0);
  });

  it('production with faults in its configuration: exit 78, every fault named, no value of a secret', async () => {
    const secret = 'changeme-changeme-changeme-changeme';
    const api = new HouseProcess(entryPoints.api, {
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
