import { setTimeout as sleep } from 'node:timers/promises';
import { House, PASSWORD } from '../support/house.js';
import { registerMany } from '../support/customers.js';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/processes.js';
import { Receiver, status } from '../support/receiver.js';
import { hasRedisServer, RedisServer } from '../support/redis-server.js';
import { uniqueEmail } from '../support/unique-email.js';

if (!hasRedisServer) process.stderr.write('Redis faults are not tested: no redis-server on the PATH.\n');
const describeRedis = hasRedisServer ? describe : describe.skip;

describeRedis('faults of Redis', () => {
  let redis: RedisServer;
  let house: House;
  let receiver: Receiver;
  const start = async (env: Record<string, string> = {}) => {
    redis = await RedisServer.start();
    receiver = await Receiver.start();
    house = await House.start({ env: { REDIS_URL: redis.url, ...env } });
  };
  afterEach(async () => {
    await house?.stop();
    await receiver?.stop();
    await redis?.remove();
  });

  const readiness = async () => (await house.request('GET', '/readyz')).body;

  it('flushed with retries pending: every retry still runs, none twice', async () => {
    await start({ WEBHOOK_RETRY_SCHEDULE: '0s,3s,3s,3s,3s' });
    await house.createEndpoint(receiver.url, ['customer.created']);
    receiver.otherwise = (response, request) => {
      const seen = receiver.requests.filter(({ event }) => event.id === request.event.id).length;
      status(seen === 1 ? 500 : 200)(response, request, undefined as never);
    };
    await registerMany(house, 50);
    await eventually('50 first attempts', async () => (await house.attempts()).length === 50);
    await redis.flush();
    await eventually('50 retries', async () => (await house.attempts({ success: 'true' })).length === 50);
    expect(receiver.requests).toHaveLength(100);
    const rows = await house.sql('SELECT delivery_id, attempt FROM attempts');
    expect(new Set(rows.map(({ delivery_id, attempt }) => `${delivery_id} ${attempt}`)).size).toBe(100);
  });

  it('stopped: registrations and deliveries go on, wrong passwords stay limited; started again it is used again', async () => {
    await start();
    await house.createEndpoint(receiver.url, ['customer.created']);
    expect(await readiness()).toMatchObject({ status: 'ready', redis: 'up' });
    await redis.stop();
    await registerMany(house, 20);
    await eventually('20 deliveries', () => receiver.requests.length === 20);
    expect(await readiness()).toMatchObject({ status: 'degraded', redis: 'down' });
    const tries = [];
    for (let index = 0; index < 11; index += 1) {
      tries.push(await house.login('nobody@example.com', 'wrong password'));
    }
    expect(tries.at(-1)!.status).toBe(429);
    await redis.start();
    await eventually('Redis being used again', async () => (await readiness()).redis === 'up', 20_000);
    await house.register();
    await eventually('one more delivery', () => receiver.requests.length === 21);
    await sleep(500);
    expect(receiver.requests).toHaveLength(21);
  });

  it.each(['stopped', 'hanging'] as const)(
    'RL-06: %s: each process counts for itself, and auth routes stay limited',
    async (fault) => {
      await start({ TRUSTED_PROXIES: '127.0.0.0/8' });
      const login = () => house.login(uniqueEmail(), PASSWORD, { 'x-forwarded-for': '203.0.113.9' });
      expect((await login()).status).toBe(401);
      if (fault === 'stopped') await redis.stop();
      else redis.hang();
      const statuses: number[] = [];
      for (let tries = 0; tries < 31; tries += 1) statuses.push((await login()).status);
      // The one before the fault was counted on Redis.
      expect(statuses).toEqual([...Array(30).fill(401), 429]);
    },
    60_000,
  );

  it('stopped: both programs still end at once when they are told to', async () => {
    await start();
    await redis.stop();
    await eventually('Redis being missed', async () => (await readiness()).redis === 'down');
    for (const program of [house.api, house.workers[0]!]) {
      const told = Date.now();
      expect(await program.end('SIGTERM')).toBe(0);
      expect(Date.now() - told).toBeLessThan(6_000);
    }
  });

  it('down at boot: the house is ready, degraded, delivers, and joins Redis when it comes', async () => {
    receiver = await Receiver.start();
    const port = await freePort();
    house = await House.start({ env: { REDIS_URL: `redis://127.0.0.1:${port}` } });
    expect(await readiness()).toMatchObject({ status: 'degraded' });
    await house.createEndpoint(receiver.url, ['customer.created']);
    expect((await house.register()).status).toBe(201);
    await eventually('the delivery', () => receiver.requests.length === 1);
    redis = await RedisServer.start(port);
    await eventually('Redis being used', async () => (await readiness()).status === 'ready', 20_000);
  });
});
