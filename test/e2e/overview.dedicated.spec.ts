import { attemptErrors, durationBounds, statusClasses } from '@gatehouse/domain';
import {
  Database,
  DeliveryAnnouncer,
  DeliveryProcessingRepository,
  Transactions,
} from '@gatehouse/persistence';
import { createLogger, Failpoints, loadConfig } from '@gatehouse/platform';
import { eventually } from '../support/eventually.js';
import { TestInstance } from '../support/test-instance.js';
import { signIn, type OperatorClient } from '../support/operator-client.js';
import { uuidAt, createPartitions, seedDeliveries, dropPartitions } from '../support/seed-deliveries.js';
import type { ServerProcess } from '../support/server-process.mjs';

const RANGES = ['1h', '24h', '7d', '30d'];
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
/** Time of the earliest attempt in the tests. */
const SINCE = Date.now() - 30 * DAY_MS;

let instance: TestInstance;
let operator: OperatorClient;
beforeAll(async () => {
  instance = await TestInstance.startShared({ workers: 0 });
  operator = await signIn(instance);
  await createPartitions(instance, SINCE);
});
afterAll(async () => {
  if (instance) await dropPartitions(instance, SINCE);
  await instance?.stop();
});
// Later tests' workers must not deliver to these endpoints.
afterEach(() => instance.sql(`UPDATE webhook_endpoints SET status = 'deleted'`));

/** Starts a worker without periodic jobs, which only delivers. */
async function startWorker(): Promise<ServerProcess> {
  const worker = instance.startWorker({ PERIODIC_JOBS: 'off' });
  await worker.waitUntilReady();
  return worker;
}

const getOverview = async (query: string): Promise<Record<string, any>> => {
  const response = await operator.request('GET', `/overview?${query}`);
  expect(response.status).toBe(200);
  return response.body;
};

/** Returns the log's metrics since a time, computed with plain SQL. Buckets are in seconds. */
async function countAttempts(
  from: string,
  bucketSeconds: number,
  scopeId: string | null,
  column = 'project_id',
) {
  const attempts = `attempts WHERE started_at >= $1 AND ($2::uuid IS NULL OR ${column} = $2)`;
  const rows = <Row>(sql: string, parameters: unknown[] = []): Promise<Row[]> =>
    instance.sql<Row>(sql, [from, scopeId, ...parameters]);
  const countColumns = 'count(*)::int AS attempts, (count(*) FILTER (WHERE NOT success))::int AS failed';
  const [totals] = await rows<{ attempts: number; failed: number; p50: number; p95: number }>(
    `SELECT ${countColumns}, percentile_disc(0.5) WITHIN GROUP (ORDER BY duration_ms) FILTER (WHERE error IS DISTINCT FROM 'worker_lost') AS p50,
       percentile_disc(0.95) WITHIN GROUP (ORDER BY duration_ms) FILTER (WHERE error IS DISTINCT FROM 'worker_lost') AS p95
     FROM ${attempts}`,
  );
  const statuses = await rows<{ status: string; count: number }>(
    `SELECT CASE WHEN http_status = 0 THEN 'none' WHEN http_status BETWEEN 200 AND 599 THEN http_status / 100 || 'xx'
       ELSE 'other' END AS status, count(*)::int AS count FROM ${attempts} GROUP BY 1`,
  );
  const errors = await rows<{ error: string; count: number }>(
    `SELECT error, count(*)::int AS count FROM ${attempts} GROUP BY 1`,
  );
  return {
    totals: totals!,
    byStatus: statusClasses.map((name) => ({
      status: name,
      count: statuses.find((row) => row.status === name)?.count ?? 0,
    })),
    byError: attemptErrors.map((error) => ({
      error,
      count: errors.find((row) => row.error === error)?.count ?? 0,
    })),
    byEvent: await rows(
      `SELECT event_type AS event, ${countColumns} FROM ${attempts} GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 10`,
    ),
    worstEndpoints: await rows(
      `SELECT 'ep_' || w.id AS "endpointId", split_part(w.url, '/', 3) AS name, w.url, w.project_id AS "projectId", attempts, failed,
         (attempts - failed)::float8 / attempts AS "successRate"
       FROM (SELECT endpoint_id, ${countColumns} FROM ${attempts} GROUP BY 1) a JOIN webhook_endpoints w ON w.id = a.endpoint_id
       WHERE failed > 0 ORDER BY failed DESC, attempts, w.id LIMIT 10`,
    ),
    series: await rows<{ at: number; attempts: number; failed: number }>(
      `SELECT (floor(extract(epoch FROM started_at) / $3) * $3)::int AS at, ${countColumns} FROM ${attempts} GROUP BY 1 ORDER BY 1`,
      [bucketSeconds],
    ),
  };
}

/** Returns an id's creation time, in ms since the epoch. */
const getTime = (id: string): number => Number.parseInt(id.slice(0, 13).replace('-', ''), 16);

const findBin = (ms: number | null): number | null =>
  ms === null ? null : durationBounds.filter((bound) => bound <= ms).length;

/** Compares all metrics of a range with the log, and returns the overview. */
async function compareWithLog(range: string, projectId: string | null): Promise<Record<string, any>> {
  const result = await getOverview(`range=${range}${projectId ? `&projectId=${projectId}` : ''}`);
  const expected = await countAttempts(result['from'], result['bucketSeconds'], projectId);
  const { attempts, failed, p50, p95 } = expected.totals;
  expect(result['totals']).toMatchObject({ attempts, failed, succeeded: attempts - failed });
  expect(result['totals'].successRate).toBe(attempts === 0 ? null : (attempts - failed) / attempts);
  expect([result['totals'].p50Ms, result['totals'].p95Ms].map(findBin)).toEqual([p50, p95].map(findBin));
  for (const part of ['byStatus', 'byError', 'byEvent', 'worstEndpoints'] as const)
    expect(result[part]).toEqual(expected[part]);
  const nonEmptyBuckets = (result['series'] as Record<string, any>[])
    .map((point) => ({
      at: Date.parse(point['at']) / 1_000,
      attempts: point['succeeded'] + point['failed'],
      failed: point['failed'],
    }))
    .filter((point) => point.attempts > 0);
  expect(nonEmptyBuckets).toEqual(expected.series);
  return result;
}

async function compareAllWithLog(projectIds: (string | null)[]): Promise<void> {
  for (const range of RANGES) {
    for (const id of projectIds) await compareWithLog(range, id);
    await compareEndpointWithLog(range);
  }
}

/** Compares a range's previous period with the log. */
async function comparePreviousWithLog(
  path: string,
  [column, scopeId]: [column: string, scopeId: string | null],
): Promise<void> {
  const { status, body } = await operator.request('GET', path);
  expect(status).toBe(200);
  const { from, previous, ...rest } = body.data ?? body;
  const seconds = rest.bucketSeconds ?? rest.bucket_seconds;
  const start = new Date(Date.parse(from) - rest.series.length * seconds * 1_000).toISOString();
  const rows = await instance.sql<{ at: string; succeeded: number; failed: number }>(
    `SELECT floor(extract(epoch FROM started_at) / $3) * $3 AS at, (count(*) FILTER (WHERE success))::int AS succeeded,
       (count(*) FILTER (WHERE NOT success))::int AS failed
     FROM attempts WHERE started_at >= $1 AND started_at < $2 AND ($4::uuid IS NULL OR ${column} = $4)
     GROUP BY 1 ORDER BY 1`,
    [start, from, seconds, scopeId],
  );
  const expected = rows.map(({ at, ...counts }) => ({
    at: new Date(Number(at) * 1_000).toISOString(),
    ...counts,
  }));
  expect(expected).not.toEqual([]);
  expect(previous.series).toHaveLength(rest.series.length);
  expect(previous.series[0].at).toBe(start);
  const counted = (previous.series as typeof expected)
    .map(({ at, succeeded, failed }) => ({ at, succeeded, failed }))
    .filter(({ succeeded, failed }) => succeeded + failed > 0);
  expect(counted).toEqual(expected);
  const sum = (name: 'succeeded' | 'failed') => rows.reduce((total, row) => total + row[name], 0);
  expect(previous.totals).toMatchObject({
    attempts: sum('succeeded') + sum('failed'),
    succeeded: sum('succeeded'),
    failed: sum('failed'),
  });
}

/** Compares the newest endpoint's metrics with the log. */
async function compareEndpointWithLog(range: string): Promise<void> {
  const [endpoint] = await instance.sql<{ id: string }>(
    `SELECT id FROM webhook_endpoints WHERE status <> 'deleted' ORDER BY id DESC LIMIT 1`,
  );
  const path = `/webhooks/endpoints/ep_${endpoint!.id}/metrics?range=${range}`;
  const { data } = (await operator.request('GET', path)).body;
  const expected = await countAttempts(data.from, data.bucket_seconds, endpoint!.id, 'endpoint_id');
  const { attempts, failed, p50, p95 } = expected.totals;
  expect(data.totals).toMatchObject({ attempts, failed, succeeded: attempts - failed });
  expect([data.totals.p50_ms, data.totals.p95_ms].map(findBin)).toEqual([p50, p95].map(findBin));
  expect(data.by_status).toEqual(expected.byStatus);
  expect(data.by_error).toEqual(expected.byError);
  const counted = (data.series as { succeeded: number; failed: number }[]).map((point) => [
    point.succeeded + point.failed,
    point.failed,
  ]);
  expect(counted.filter(([count]) => count! > 0)).toEqual(
    expected.series.map((point) => [point.attempts, point.failed]),
  );
}

/**
 * Inserts attempts of the last 29 days, most of them recent, into two projects and without a project. Returns the
 * project ids.
 */
async function insertAttempts(count: number): Promise<string[]> {
  const { organizationId, projectId } = instance.credentials;
  const other = await instance.requestWithSecretKey('POST', '/api/v1/projects', { name: 'Another' });
  const endpoints = await Promise.all(
    Array.from({ length: 14 }, (_, index) => instance.createEndpoint(`https://example.com/${index}`, ['*'])),
  );
  await instance.sql(
    `INSERT INTO attempts (id, organization_id, project_id, event_id, event_type, endpoint_id, delivery_id, target_url,
       attempt, http_status, success, error, duration_ms, response_body, started_at)
     SELECT (substr(ms, 1, 8) || '-' || substr(ms, 9, 4) || '-7' || substr(gen_random_uuid()::text, 16))::uuid,
       $2, ($3::uuid[])[1 + n % 3], gen_random_uuid(), 'type.' || floor(random() ^ 2 * 13),
       ($4::uuid[])[1 + floor(random() * 14)], gen_random_uuid(), 'https://example.com/', 1,
       CASE WHEN kind < 12 THEN 200 + kind WHEN kind < 15 THEN ('{7,404,503,600}'::int[])[kind - 11 + n % 2] ELSE 0 END, kind < 12,
       CASE WHEN kind < 12 THEN NULL WHEN kind < 15 THEN 'http_error' ELSE ($5::text[])[1 + kind - 15] END,
       (10 ^ (random() * 4.6))::int, '', at
     FROM (
       SELECT n, at, lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') AS ms, floor(random() * 22)::int AS kind
       FROM (SELECT n, now() - interval '1 minute' - ((n::float8 / $1) ^ 5) * interval '28 days' AS at FROM generate_series(1, $1::int) n) times
     ) attempts`,
    [
      count,
      organizationId,
      [projectId, other.body.id, null],
      endpoints.map(({ id }) => id.slice(3)),
      attemptErrors.slice(1),
    ],
  );
  return [projectId, other.body.id as string];
}

const getProgress = async (): Promise<{ first: string; next: string }> =>
  (
    await instance.sql<{ first: string; next: string }>(
      'SELECT first_id AS first, next_id AS next FROM attempts_counted',
    )
  )[0]!;

/** Makes the counted range empty and start at this time, so that workers count only later attempts. */
const countSince = (time: number): Promise<unknown> =>
  instance.sql(
    'UPDATE attempts_counted SET first_id = $1, next_id = $1, endpoint_first_id = $1, endpoint_next_id = $1',
    [`${uuidAt(time).slice(0, 13)}-0000-0000-000000000000`],
  );

/** Returns true if workers have counted the whole log, so that no attempts need to be counted live. */
async function isAllCounted(): Promise<boolean> {
  const [row] = await instance.sql<{ isDone: boolean }>(
    `SELECT NOT EXISTS (SELECT FROM attempts WHERE id >= least(next_id, endpoint_next_id)) AND NOT EXISTS (
       SELECT FROM attempts WHERE id < greatest(first_id, endpoint_first_id)
         AND started_at >= now() - interval '30 days') AS "isDone"
     FROM attempts_counted`,
  );
  return row!.isDone;
}

describe('the overview', () => {
  let worker: ServerProcess | undefined;
  afterAll(() => worker?.stop());

  it('contains only empty buckets if there are no attempts', async () => {
    for (const [range, count, bucketSeconds] of [
      ['1h', 60, 60],
      ['24h', 96, 900],
      ['7d', 84, 7_200],
      ['30d', 30, 86_400],
    ] as const) {
      const result = await getOverview(`range=${range}`);
      expect(result).toMatchObject({
        range,
        bucketSeconds,
        completeFrom: null,
        byEvent: [],
        worstEndpoints: [],
      });
      expect(result['totals']).toEqual({
        attempts: 0,
        succeeded: 0,
        failed: 0,
        successRate: null,
        p50Ms: null,
        p95Ms: null,
      });
      expect(result['deadLetters']).toEqual({ waiting: 0, isMore: false, oldestAt: null });
      expect(result['pending']).toEqual({ count: 0, isMore: false, oldestDueAt: null });
      expect(result['series']).toHaveLength(count);
      expect(result['series'][0]).toEqual({ at: result['from'], succeeded: 0, failed: 0, p95Ms: null });
      const end = Date.parse(result['series'].at(-1).at) + bucketSeconds * 1_000;
      expect(end).toBeGreaterThan(Date.parse(result['to']));
    }
  });

  it('matches the log before and after attempts are counted, including a late outcome', async () => {
    const { projectId } = instance.credentials;
    const { id: endpointId } = await instance.createEndpoint('https://example.com/', ['login.failed']);
    const now = Date.now();
    const createDelivery = (
      minutesAgo: number,
      status: number,
      state: 'succeeded' | 'failed' | 'pending' = 'failed',
    ) => ({
      endpointId,
      projectId,
      state,
      attempts: [{ at: now - minutesAgo * MINUTE_MS, status }],
    });
    const [unfinished] = await seedDeliveries(instance, [
      createDelivery(8, 503, 'pending'),
      createDelivery(10, 500),
      createDelivery(9, 404),
      createDelivery(6, 302),
      createDelivery(5, 200, 'succeeded'),
      createDelivery(4, 503),
    ]);
    await instance.sql(
      `UPDATE deliveries SET attempt = 2, attempt_id = $2, lease_until = now() + interval '1 hour' WHERE id = $1`,
      [unfinished!.id, uuidAt(now - 7 * MINUTE_MS)],
    );
    const [{ attempt_id: unfinishedId }] = (await instance.sql(
      'SELECT attempt_id FROM deliveries WHERE id = $1',
      [unfinished!.id],
    )) as [{ attempt_id: string }];
    await countSince(now - 60 * MINUTE_MS);
    await compareAllWithLog([null, projectId, '00000000-0000-4000-8000-000000000000']);

    // The worker counts up to the unfinished attempt and no further, even if it runs again.
    worker = await startWorker();
    for (let round = 1; round <= 2; round += 1) {
      await worker.runJob('AttemptAggregator');
      expect((await getProgress()).next).toBe(unfinishedId);
    }
    await compareAllWithLog([null, projectId]);
    await instance.sql(
      `WITH closed AS (
         UPDATE deliveries SET state = 'failed', lease_until = NULL, attempt_id = NULL, finished_at = now() WHERE id = $1
         RETURNING *)
       INSERT INTO attempts (id, organization_id, project_id, event_id, event_type, endpoint_id, delivery_id, target_url,
         attempt, http_status, success, error, duration_ms, response_body, started_at, closed_at)
       SELECT $2, organization_id, project_id, event_id, event_type, endpoint_id, id, target_url, 2, 500, false,
         'http_error', 400000, '', $3, now() FROM closed`,
      [unfinished!.id, unfinishedId, new Date(now - 7 * MINUTE_MS)],
    );
    await compareAllWithLog([null, projectId]);
    await worker.runJob('AttemptAggregator');
    expect(await isAllCounted()).toBe(true);
    await compareAllWithLog([null, projectId]);
    const result = await compareWithLog('1h', projectId);
    expect(result['completeFrom']).toBeNull();
    expect(result['worstEndpoints']).toMatchObject([
      { endpointId, name: 'example.com', url: 'https://example.com/', projectId, attempts: 7, failed: 6 },
    ]);
  });

  it('rejects unknown ranges, projects and fields', async () => {
    for (const query of [
      'range=2h',
      'range=',
      'range=1h&range=7d',
      'projectId=1',
      'days=1',
      'compare=next',
    ]) {
      const { status, body } = await operator.request('GET', `/overview?${query}`);
      expect({ query, status, code: body.code }).toEqual({ query, status: 400, code: 'validation_failed' });
    }
  });
});

describe('the overview of an existing log', () => {
  /** Number of attempts. A worker counts 5,000 attempts at once. */
  const COUNT = 6_000;
  beforeEach(() =>
    instance.sql(
      `DELETE FROM attempts; DELETE FROM deliveries; DELETE FROM attempt_figures; DELETE FROM attempt_figures_by_event;
       DELETE FROM attempt_figures_by_endpoint`,
    ),
  );

  it('contains dead letters and pending deliveries of the instance and of a project', async () => {
    const { projectId } = instance.credentials;
    const { body: other } = await instance.requestWithSecretKey('POST', '/api/v1/projects', {
      name: 'Other',
    });
    const { id: endpointId } = await instance.createEndpoint('https://example.com/', ['*']);
    const now = Date.now();
    const iso = (ms: number): string => new Date(now - ms).toISOString();
    const createDelivery = (project: string, state: 'failed' | 'pending', endedMsAgo: number) => ({
      endpointId,
      projectId: project,
      state,
      finishedAt: now - endedMsAgo,
      attempts: [{ at: now - 3_600_000, status: 500 }],
    });
    await seedDeliveries(instance, [
      createDelivery(projectId, 'failed', 60_000),
      createDelivery(projectId, 'failed', 30_000),
      { ...createDelivery(projectId, 'failed', 90_000), resolution: 'discarded' },
      createDelivery(other.id, 'failed', 120_000),
      createDelivery(projectId, 'pending', 0),
      createDelivery(projectId, 'pending', 0),
    ]);
    const setDueSince = (ms: number) =>
      instance.sql(`UPDATE deliveries SET urgency = 1, next_attempt_at = $1 WHERE state = 'pending'`, [
        iso(ms),
      ]);
    for (const [due, oldestDueAt] of [
      [-60_000, null],
      [300_000, iso(300_000)],
    ] as const) {
      await setDueSince(due);
      for (const [query, waiting, oldestAt, count] of [
        ['', 3, iso(120_000), 2],
        [`projectId=${projectId}`, 2, iso(60_000), 2],
        [`projectId=${other.id}`, 1, iso(120_000), 0],
      ] as const) {
        const result = await getOverview(query);
        expect(result['deadLetters']).toEqual({ waiting, isMore: false, oldestAt });
        expect(result['pending']).toEqual({ count, isMore: false, oldestDueAt: count ? oldestDueAt : null });
      }
    }
    await instance.sql(
      `UPDATE deliveries SET state = 'cancelled', finished_at = now() WHERE state = 'pending'`,
    );
  });

  it('includes attempts by a worker with a slow clock, because the claim corrects their ids', async () => {
    const { projectId } = instance.credentials;
    const { id: endpointId } = await instance.createEndpoint('https://example.com/', ['*']);
    const logger = createLogger({ logLevel: 'silent' }, 'test');
    const database = new Database(loadConfig(instance.env), logger);
    await database.connect();
    const announcer = new DeliveryAnnouncer(database, null, 0, logger);
    const transactions = new Transactions(database, announcer, new Failpoints([], logger));
    const deliveryProcessing = new DeliveryProcessingRepository(database, 30_000, transactions);
    const realTime = Date.now;
    /** Claims a delivery with a slow clock. Returns the attempt id's minimum and maximum age at the claim. */
    const claim = async (offsetMs: number): Promise<[number, number]> => {
      const [delivery] = await seedDeliveries(instance, [
        { endpointId, projectId, state: 'pending', attempts: [{ at: realTime(), status: 500 }] },
      ]);
      await instance.sql('UPDATE deliveries SET next_attempt_at = now() WHERE id = $1', [delivery!.id]);
      const startedAt = realTime();
      Date.now = () => realTime() - offsetMs;
      const claiming = deliveryProcessing.claim([
        { deliveryId: delivery!.id, endpointId, projectId, attempt: 2 },
      ]);
      Date.now = realTime;
      const [claimed] = await claiming;
      const at = getTime(claimed!.attemptId);
      return [startedAt - at, realTime() - at];
    };
    try {
      for (const [offsetMs, age] of [
        [3_600_000, 2_000],
        [10_000, 2_000],
        [1_000, 1_000],
      ] as const) {
        const [minAge, maxAge] = await claim(offsetMs);
        expect(minAge).toBeLessThanOrEqual(age + 10);
        expect(maxAge).toBeGreaterThanOrEqual(age - 10);
      }
    } finally {
      await database.close();
    }
    await instance.sql(
      `UPDATE deliveries SET state = 'cancelled', lease_until = NULL, attempt_id = NULL, finished_at = now()
       WHERE state = 'pending'`,
    );
  });

  it('counts each attempt once, although one of two workers is killed, and returns completeFrom', async () => {
    const projects = await insertAttempts(COUNT);
    // Simulates the state after a migration that leaves the existing log uncounted.
    const hourAgo = Date.now() - 3_600_000;
    await countSince(hourAgo);
    const before = await getOverview('range=30d');
    expect((await getOverview('range=24h&compare=previous'))['previous']).toBeNull();
    expect(Date.parse(before['completeFrom'])).toBeGreaterThanOrEqual(hourAgo - MINUTE_MS);
    await instance.sql(
      `INSERT INTO attempt_figures (span, at, scope_id, counts)
       SELECT span, now() - age, gen_random_uuid(), '{1}'
       FROM (VALUES (60, interval '3 hours'), (900, interval '3 days'), (86400, interval '32 days')) old (span, age)`,
    );
    const [killedWorker, other] = await Promise.all([startWorker(), startWorker()]);
    const holder = await instance.db.connect();
    try {
      await holder.query('BEGIN; LOCK TABLE attempt_figures IN SHARE MODE');
      const counting = killedWorker.runJob('AttemptAggregator').catch(() => 'killed');
      await eventually('the first worker to start counting', async () => {
        const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
        return (await instance.sql(waiting)).length > 0;
      });
      // The second worker leaves the count to the first, whose work is rolled back when it is killed.
      const saved = await getProgress();
      await other.runJob('AttemptAggregator');
      await killedWorker.stop('SIGKILL');
      expect(await counting).toBe('killed');
      expect(await getProgress()).toEqual(saved);
    } finally {
      await holder.query('ROLLBACK');
      holder.release();
    }
    await eventually('the second worker to count everything', async () => {
      await other.runJob('AttemptAggregator');
      return isAllCounted();
    });
    await compareAllWithLog([null, ...projects]);
    for (const range of RANGES) expect((await getOverview(`range=${range}`))['completeFrom']).toBeNull();
    await other.runJob('rollups');
    expect(await instance.sql(`SELECT FROM attempt_figures WHERE counts = '{1}'`)).toEqual([]);
    await other.stop();

    const [endpoint] = await instance.sql<{ id: string }>(
      'SELECT endpoint_id AS id FROM attempts GROUP BY 1 ORDER BY count(*) DESC LIMIT 1',
    );
    for (const range of ['1h', '24h', '7d']) {
      const query = `range=${range}&compare=previous`;
      for (const id of [null, ...projects])
        await comparePreviousWithLog(`/overview?${query}${id ? `&projectId=${id}` : ''}`, ['project_id', id]);
      const path = `/webhooks/endpoints/ep_${endpoint!.id}/metrics?${query}`;
      await comparePreviousWithLog(path, ['endpoint_id', endpoint!.id]);
    }
    expect((await getOverview('range=7d'))['previous']).toBeNull();
    // The log is retained for only 30 days.
    expect((await getOverview('range=30d&compare=previous'))['previous']).toBeNull();
    // The state after an upgrade from a version that removed these rollups after eight days.
    await instance.sql(`DELETE FROM attempt_figures WHERE span = 7200 AND at < now() - interval '8 days'`);
    expect((await getOverview('range=7d&compare=previous'))['previous']).toBeNull();

    // Attempts with the same values share a row.
    const [row] = await instance.sql<{ rollups: number; scopes: number; largest: number; endpoints: number }>(
      `SELECT (SELECT count(*) FROM attempt_figures WHERE span = 86400)::int AS rollups,
         ((SELECT count(*) + 1 FROM projects) + (SELECT count(*) FROM webhook_endpoints))::int AS scopes,
         (SELECT max(count) FROM (
           SELECT count(*)::int FROM attempt_figures_by_endpoint GROUP BY span, at, scope_id
         ) c) AS largest,
         (SELECT count(*) FROM webhook_endpoints)::int AS endpoints`,
    );
    expect(row!.rollups).toBeLessThanOrEqual(row!.scopes * 31);
    expect(row!.largest).toBeLessThanOrEqual(row!.endpoints);
  });
});
