import { eventually } from '../support/eventually.js';
import { TestInstance } from '../support/test-instance.js';
import { Receiver, respondWithStatus } from '../support/receiver.js';

const base = '/v1/webhooks/endpoints';

let instance: TestInstance;
beforeAll(async () => {
  const workerEnv = {
    TIME_SCALE: '10',
    PERIODIC_JOBS: 'off',
    WEBHOOK_TIMEOUT: '60s',
    WEBHOOK_RETRY_SCHEDULE: '0s,0s,1h,1h,1h',
  };
  instance = await TestInstance.startShared({ workerEnv });
});
afterAll(async () => instance?.stop());

const stats = (id: string, query = '') => instance.requestWithSecretKey('GET', `${base}/${id}/stats${query}`);

/** Inserts `count` finished attempts that started `minutesAgo` minutes ago, 1 ms apart. */
const insertAttempts = (id: string, count: number, minutesAgo: number, success: boolean, durationMs = 100) =>
  instance.sql(
    `INSERT INTO attempts (id, organization_id, project_id, event_id, event_type, endpoint_id, delivery_id, target_url,
       attempt, http_status, success, error, duration_ms, response_body, started_at)
     SELECT (substr(ms, 1, 8) || '-' || substr(ms, 9, 4) || '-7' || substr(gen_random_uuid()::text, 16))::uuid,
       $2, $3, gen_random_uuid(), 'customer.created', $1, gen_random_uuid(), 'https://example.com/', 1,
       CASE WHEN $5 THEN 200 ELSE 500 END, $5, CASE WHEN NOT $5 THEN 'http_error' END, $6, '', at
     FROM (SELECT at, lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') AS ms
       FROM (SELECT now() - $7 * interval '1 min' + n * interval '1 ms' AS at FROM generate_series(1, $4) n) t) ids`,
    [
      id.slice(3),
      instance.credentials.organizationId,
      instance.credentials.projectId,
      count,
      success,
      durationMs,
      minutesAgo,
    ],
  );

describe('the statistics of an endpoint', () => {
  it('include the attempts, durations and health of the endpoint', async () => {
    const receiver = await Receiver.start();
    const { id } = await instance.createEndpoint(receiver.url, ['customer.created']);
    expect((await stats(id)).body.data).toEqual({
      endpoint_id: id,
      window: '24h',
      since: expect.any(String),
      truncated: false,
      attempts: 0,
      succeeded: 0,
      failed: 0,
      success_rate: null,
      p50_duration_ms: null,
      p95_duration_ms: null,
      last_success_at: null,
      last_failure_at: null,
      failing_since: null,
    });
    receiver.respondWith(respondWithStatus(500), respondWithStatus(500));
    const waitForAttempts = async (count: number) => {
      // The worker logs an attempt after it has recorded its outcome for the health report.
      await eventually(`${count} attempts`, () => {
        const { log } = instance.workers[0]!;
        return log.filter(({ message }) => message === 'delivery attempt').length === count;
      });
      await instance.runJob('EndpointHealthReporter');
      return (await stats(id)).body.data;
    };
    await instance.register();
    const failing = await waitForAttempts(2);
    expect(failing).toMatchObject({
      attempts: 2,
      last_success_at: null,
      last_failure_at: expect.any(String),
      failing_since: expect.any(String),
    });
    await instance.sql(`UPDATE deliveries SET next_attempt_at = now(); NOTIFY gatehouse_deliveries`);
    const recovered = await waitForAttempts(3);
    expect(recovered).toMatchObject({ attempts: 3, succeeded: 1, failed: 2, failing_since: null });
    expect(recovered.success_rate).toBeCloseTo(1 / 3);
    expect(recovered.p50_duration_ms).toBeLessThanOrEqual(recovered.p95_duration_ms);
    expect(Date.parse(recovered.last_success_at)).toBeGreaterThan(Date.parse(recovered.last_failure_at));
    await receiver.stop();
  });

  it('cover a supported time window, and reject unsupported ones', async () => {
    const { id } = await instance.createEndpoint('https://example.com/');
    await insertAttempts(id, 90, 30, true, 40);
    await insertAttempts(id, 10, 10, false, 900);
    await insertAttempts(id, 100, 90, true, 40);
    expect((await stats(id, '?window=1h')).body.data).toMatchObject({
      window: '1h',
      attempts: 100,
      succeeded: 90,
      failed: 10,
      success_rate: 0.9,
      p50_duration_ms: 40,
      p95_duration_ms: 900,
    });
    for (const window of ['24h', '7d', '30d'])
      expect((await stats(id, `?window=${window}`)).body.data).toMatchObject({ window, attempts: 200 });
    for (const query of ['window=2h', 'window=', 'window=24h&window=1h', 'days=1'])
      expect([query, (await stats(id, `?${query}`)).status]).toEqual([query, 400]);
  });

  it('count only the newest 10,000 attempts, and report the truncation', async () => {
    const { id } = await instance.createEndpoint('https://example.com/');
    await insertAttempts(id, 5_000, 300, false);
    await insertAttempts(id, 10_000, 30, true);
    const { data } = (await stats(id)).body;
    expect(data).toMatchObject({ truncated: true, attempts: 10_000, success_rate: 1 });
    const [{ oldest }] = (await instance.sql<{ oldest: Date }>(
      'SELECT min(started_at) AS oldest FROM attempts WHERE success AND endpoint_id = $1',
      [id.slice(3)],
    )) as [{ oldest: Date }];
    expect(data.since).toBe(oldest.toISOString());
  });
});
