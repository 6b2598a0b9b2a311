import { eventually } from '../support/eventually.js';
import { formatSeconds, recordMeasurements } from '../support/measurements.js';
import { hasRedisServer, RedisServer } from '../support/redis-server.js';
import { TestInstance } from '../support/test-instance.js';

const describeRedis = hasRedisServer ? describe : describe.skip;

describeRedis('faults of Redis, deliveries with redis', () => {
  let redis: RedisServer;
  let instance: TestInstance;
  beforeAll(async () => {
    redis = await RedisServer.start();
    instance = await TestInstance.start({ env: { REDIS_URL: redis.url, RATE_LIMITS: 'off' } });
  });
  afterAll(() => instance?.stop());
  afterAll(() => redis?.remove());

  it('Redis is stopped: both programs exit within 6 s of SIGTERM', async () => {
    await redis.stop();
    await eventually(
      'Redis to be reported as down',
      async () => (await instance.request('GET', '/readyz')).body.status === 'degraded',
    );
    for (const program of [instance.api, instance.workers[0]!]) {
      const signaledAt = Date.now();
      expect(await program.stop('SIGTERM')).toBe(0);
      const endMs = Date.now() - signaledAt;
      expect(endMs).toBeLessThan(6_000);
      recordMeasurements({
        [program === instance.api ? 'api ended after' : 'worker ended after']: formatSeconds(endMs),
      });
    }
  });
});
