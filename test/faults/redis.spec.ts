import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Queue } from 'bullmq';
import { createAuthority } from '../support/certificates.js';
import { runInChains } from '../support/run-in-chains.js';
import { registerCustomers, registerCustomer, withSettings } from '../support/customers.js';
import { emitEvents } from '../support/dead-letters.js';
import { LONG_RETRY_SCHEDULE, makeDeliveriesDue } from '../support/delivery-times.js';
import { eventually } from '../support/eventually.js';
import { recordMeasurements } from '../support/measurements.js';
import { AT_ONCE, History } from '../support/history.js';
import { insertOperator } from '../support/operator-client.js';
import { retryWhileRejected } from '../support/retry-while-rejected.js';
import { Receiver, respondWithStatus } from '../support/receiver.js';
import { hasRedisServer, RedisServer } from '../support/redis-server.js';
import { Scrape } from '../support/scrape.js';
import { freePort } from '../support/server-process.mjs';
import { PASSWORD, TestInstance } from '../support/test-instance.js';
import { uniqueEmail } from '../support/unique-email.js';

if (!hasRedisServer) process.stderr.write('Redis faults are not tested: no redis-server on the PATH.\n');
const describeRedis = hasRedisServer ? describe : describe.skip;

/** Sign-ins per minute that the project allows from one client IP while its limits are tested. */
const LIMIT = 5;

/** All tests share an instance. Each test ends when Gatehouse uses Redis again. */
describeRedis('Redis faults, deliveries with redis', () => {
  let port: number;
  let metricsPort: number;
  let redis: RedisServer | undefined;
  let instance: TestInstance;
  let receiver: Receiver;
  let history: History;
  beforeAll(async () => {
    [port, metricsPort] = [await freePort(), await freePort()];
    receiver = await Receiver.start();
    instance = await TestInstance.start({
      env: {
        REDIS_URL: `redis://127.0.0.1:${port}`,
        // Requests from loopback are not limited, so the test for limits sends client IPs in X-Forwarded-For.
        TRUSTED_PROXIES: '127.0.0.0/8',
        WEBHOOK_RETRY_SCHEDULE: LONG_RETRY_SCHEDULE,
        METRICS_PORT: String(metricsPort),
      },
      workerEnv: { METRICS_PORT: '' },
    });
    history = new History(instance, receiver);
    await instance.createEndpoint(receiver.url, ['customer.created']);
  });
  afterAll(() => instance?.stop());
  afterAll(() => receiver?.stop());
  afterAll(() => redis?.remove());

  const readiness = async () => (await instance.request('GET', '/readyz')).body;
  /** Resolves when the API reports that Redis is up and a worker is waiting for jobs in it. */
  const waitForRedisUse = () =>
    eventually(
      'Redis to be used',
      async () =>
        (await readiness()).status === 'ready' &&
        /cmd=(bzpopmin|bzmpop)/i.test(await redis!.command('CLIENT LIST')),
    );
  const check = () => history.check({ schedule: AT_ONCE });
  /** Resolves when the receiver has received `count` more requests than `before`. */
  const waitForRequests = (before: number, count: number) =>
    eventually(`${count} more deliveries`, () => receiver.requests.length === before + count);

  it('Redis is unreachable at startup: Gatehouse is ready but degraded until it is reachable', async () => {
    expect(await readiness()).toEqual({ status: 'degraded' });
    await registerCustomer(instance);
    await waitForRequests(0, 1);
    redis = await RedisServer.start({ port });
    await waitForRedisUse();
    await registerCustomer(instance);
    await check();
  });

  it('Redis is stopped while 40 customers register: all return 201 and are delivered', async () => {
    await redis!.stop();
    const before = history.exchanges.length;
    const sent = receiver.requests.length;
    await runInChains(4, 10, () => instance.register());
    expect(history.listStatuses().slice(before)).toEqual(Array(40).fill(201));
    await waitForRequests(sent, 40);
    const attempts = [];
    for (let index = 0; index < 11; index += 1)
      attempts.push(await retryWhileRejected(() => instance.login('nobody@example.com', 'wrong password')));
    expect(attempts.at(-1)!.status).toBe(429);
    expect(await readiness()).toEqual({ status: 'degraded' });
    await redis!.start();
    await waitForRedisUse();
    await registerCustomer(instance);
    await check();
  });

  it('Redis restarts empty while the worker is idle: the worker continues without a restart', async () => {
    const before = receiver.requests.length;
    await redis!.stop();
    await redis!.start();
    await registerCustomer(instance);
    await waitForRequests(before, 1);
    await waitForRedisUse();
    await registerCustomer(instance);
    await check();
  });

  it('Redis is emptied with 100 retries pending: each runs once, and sessions stay valid', async () => {
    const { tokens } = await registerCustomer(instance);
    await check();
    const before = receiver.requests.length;
    receiver.defaultResponder = respondWithStatus(500);
    await emitEvents(instance, 100);
    await eventually('100 retries', async () => {
      const waiting = await instance.sql(
        `SELECT FROM deliveries WHERE state = 'pending' AND attempt = 1 AND lease_until IS NULL`,
      );
      return waiting.length === 100;
    });
    receiver.defaultResponder = respondWithStatus(200);
    await redis!.flush();
    await makeDeliveriesDue(instance);
    const refreshed = await instance.request('POST', '/api/v1/auth/refresh', {
      body: { refreshToken: tokens.refreshToken },
    });
    expect(refreshed.status).toBe(200);
    await check();
    expect(receiver.requests).toHaveLength(before + 200);
  });

  /** Replaces the server with another one on the same port. */
  const replaceRedis = async (start: (options: { port: number }) => Promise<RedisServer>) => {
    await redis!.remove();
    redis = await start({ port });
  };
  const setMemory = async (bytes: number) => {
    await redis!.command('CONFIG SET maxmemory-policy noeviction');
    expect(await redis!.command(`CONFIG SET maxmemory ${bytes}`)).toBe('+OK');
  };

  it.each([
    {
      fault: 'Redis is full',
      problem: 'full',
      message: 'Redis is full',
      begin: () => setMemory(1),
      end: () => setMemory(0),
    },
    {
      fault: 'Redis is a replica',
      problem: 'read_only',
      message: 'Redis is read-only',
      begin: () => redis!.command('REPLICAOF 127.0.0.1 9'),
      end: () => redis!.command('REPLICAOF NO ONE'),
    },
    {
      fault: 'Redis is a cluster and cluster mode is off',
      problem: 'cluster',
      message: 'Redis is a cluster; set REDIS_CLUSTER=on',
      begin: () => replaceRedis((options) => RedisServer.startCluster(options)),
      end: () => replaceRedis((options) => RedisServer.start(options)),
    },
  ])(
    'RN-04: $fault: Gatehouse is degraded, but registrations return 201 and are delivered',
    async ({ problem, message, begin, end }) => {
      const operator = await insertOperator(instance);
      const before = receiver.requests.length;
      await begin();
      const programs = [instance.api, instance.workers[0]!];
      await eventually('both programs to log the problem', () =>
        programs.every(({ log }) =>
          log.some((line) => line.message === `${message}; deliveries continue through PostgreSQL`),
        ),
      );
      expect(await readiness()).toEqual({ status: 'degraded' });
      expect((await operator.request('GET', '/health')).body.redis).toBe(problem);
      const metrics = await Scrape.load(metricsPort);
      expect(metrics.value('gatehouse_redis_problem', { kind: problem })).toBe(1);
      expect(metrics.value('gatehouse_redis_up')).toBe(0);
      await registerCustomers(instance, 10);
      await waitForRequests(before, 10);
      await end();
      await waitForRedisUse();
      expect((await Scrape.load(metricsPort)).value('gatehouse_redis_up')).toBe(1);
      await registerCustomers(instance, 5);
      await check();
    },
  );

  it('Redis is frozen: registrations return 201 and are delivered', async () => {
    const before = receiver.requests.length;
    redis!.freeze();
    await registerCustomers(instance, 10);
    await waitForRequests(before, 10);
    redis!.thaw();
    await waitForRedisUse();
    await registerCustomers(instance, 5);
    await check();
  });

  it('RL-06: Redis is stopped or hangs: each process limits the auth routes on its own', async () => {
    const results = await withSettings(instance, { limits: { login: LIMIT } }, async () => {
      const found = [];
      for (const [address, breakRedis] of [
        ['203.0.113.9', () => redis!.freeze()],
        ['203.0.113.10', () => redis!.stop()],
      ] as const) {
        const login = (from: string = address) =>
          instance.login(uniqueEmail(), PASSWORD, { 'x-forwarded-for': from });
        await waitForRedisUse();
        // Uses a different client IP: if Redis responds slowly, the process also counts this request locally.
        expect((await login('203.0.113.1')).status).toBe(401);
        await breakRedis();
        // The requests run in parallel, because each one waits briefly for Redis.
        const allowed = await Promise.all(Array.from({ length: LIMIT }, () => login()));
        found.push([...allowed, await login()].map(({ status }) => status));
        redis!.thaw();
      }
      return found;
    });
    await redis!.start();
    await waitForRedisUse();
    const limited = [...Array<number>(LIMIT).fill(401), 429];
    expect(results).toEqual([limited, limited]);
  });

  it('the queue contains the same job 100 times: the receiver gets one request', async () => {
    await check();
    await instance.workers.at(-1)!.stop();
    const before = receiver.requests.length;
    const { id } = await registerCustomer(instance);
    const [delivery] = await instance.sql(
      `SELECT d.id AS "deliveryId", d.endpoint_id AS "endpointId", d.project_id AS "projectId"
       FROM deliveries d JOIN events e ON e.id = d.event_id WHERE e.customer_id = $1`,
      [id],
    );
    const connection = { host: '127.0.0.1', port };
    const queue = new Queue('deliveries', { connection, prefix: 'gatehouse' });
    try {
      const jobs = Array.from({ length: 100 }, (_, index) => ({
        name: 'deliver',
        data: { ...delivery, attempt: 1 },
        opts: { jobId: `again-${index}`, removeOnComplete: true },
      }));
      await queue.addBulk(jobs);
      instance.startWorker();
      await eventually(
        'the queue to be empty',
        async () => (await queue.getJobCountByTypes('wait', 'prioritized', 'active')) === 0,
      );
    } finally {
      await queue.close();
    }
    await check();
    expect(receiver.requests).toHaveLength(before + 1);
    recordMeasurements({ jobs: 100 });
  });

  it('Redis is stopped when both programs receive SIGTERM: they exit with 0', async () => {
    await redis!.stop();
    await eventually('Redis to be reported as down', async () => (await readiness()).status === 'degraded');
    const programs = [instance.api, ...instance.workers.filter(({ isRunning }) => isRunning)];
    const exitCodes = await Promise.all(programs.map((each) => each.stop('SIGTERM')));
    expect(exitCodes).toEqual(programs.map(() => 0));
  });
});

describeRedis('a Redis cluster with TLS and an ACL user', () => {
  let folder: string;
  let redis: RedisServer;
  let receiver: Receiver;
  let instance: TestInstance;
  let metricsPort: number;
  beforeAll(async () => {
    const authority = createAuthority();
    folder = await mkdtemp(join(tmpdir(), 'gatehouse-authority-'));
    const caFile = join(folder, 'authority.pem');
    await writeFile(caFile, authority.cert);
    redis = await RedisServer.startCluster({ certificate: authority.issue(['127.0.0.1']) });
    await redis.addUser('shop', 'p%40ss');
    receiver = await Receiver.start();
    metricsPort = await freePort();
    instance = await TestInstance.start({
      workers: 0,
      env: {
        REDIS_URL: `rediss://shop:p%2540ss@127.0.0.1:${redis.tlsPort}`,
        REDIS_CLUSTER: 'on',
        NODE_EXTRA_CA_CERTS: caFile,
        METRICS_PORT: String(metricsPort),
        TRUSTED_PROXIES: '127.0.0.0/8',
        TIME_SCALE: '100',
        WEBHOOK_TIMEOUT: '60s',
      },
      workerEnv: { METRICS_PORT: '' },
    });
  });
  afterAll(() => rm(folder, { recursive: true }));
  afterAll(() => instance?.stop());
  afterAll(() => receiver?.stop());
  afterAll(() => redis?.remove());
  const waitForStatus = (status: string) =>
    eventually(
      `readiness ${status}`,
      async () => (await instance.request('GET', '/readyz')).body.status === status,
    );

  it('RN-04: no worker runs for 60 s: Gatehouse is degraded, and delivers once one runs', async () => {
    await instance.createEndpoint(receiver.url, ['customer.created']);
    await registerCustomer(instance);
    await eventually('the log', () =>
      instance.api.log.some(
        ({ message }) => message === 'no webhook-worker is running; webhooks and emails are waiting',
      ),
    );
    await waitForStatus('degraded');
    expect((await Scrape.load(metricsPort)).value('gatehouse_workers_running')).toBe(0);
    await instance.startWorker().waitUntilReady();
    await waitForStatus('ready');
    await registerCustomer(instance);
    // On a busy machine, an attempt can exceed the scaled timeout of 0.6 s and be repeated.
    const countDeliveries = (): number =>
      new Set(receiver.requests.map(({ headers }) => headers['webhook-id'])).size;
    await eventually('both deliveries', () => countDeliveries() === 2);
    await eventually('the worker to wait for jobs', async () =>
      /cmd=(bzpopmin|bzmpop) user=shop/i.test(await redis.command('CLIENT LIST')),
    );
  });
});
