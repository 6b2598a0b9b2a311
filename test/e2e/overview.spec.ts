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
/** Since when the tests have attempts. */
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
// No worker is to deliver to them.
afterEach(() => instance.sql(`UPDATE webhook_endpoints SET status = 'deleted'`));

/** A worker that does nothing by itself but to deliver. */
async function startWorker(): Promise<ServerProcess> {
  const worker = instance.startWorker({ PERIODIC_JOBS: 'off' });
  await worker.waitUntilReady();
  return worker;
}

const overview = async (query: string): Promise<Record<string, any>> => {
  const answer = await operator.request('GET', `/overview?${query}`);
  expect(answer.status).toBe(200);
  return answer.body;
};

/** What plain SQL counts in the log since a moment. Buckets in seconds. */
async function counted(from: string, bucketSeconds: number, projectId: string | null) {
  const attempts = `attempts WHERE started_at >= $1 AND ($2::uuid IS NULL OR project_id = $2)`;
  const rows = <Row>(sql: string, more: unknown[] = []): Promise<Row[]> =>
    instance.sql<Row>(sql, [from, projectId, ...more]);
  const share = 'count(*)::int AS attempts, (count(*) FILTER (WHERE NOT success))::int AS failed';
  const [totals] = await rows<{ attempts: number; failed: number; p50: number; p95: number }>(
    `SELECT ${share}, percentile_disc(0.5) WITHIN GROUP (ORDER BY duration_ms) FILTER (WHERE error IS DISTINCT FROM 'worker_lost') AS p50,
       percentile_disc(0.95) WITHIN GROUP (ORDER BY duration_ms) FILTER (WHERE error IS DISTINCT FROM 'worker_lost') AS p95
     FROM ${attempts}`,
  );
  const statuses = await rows<{ status: number; count: number }>(
    `SELECT http_status / 100 AS status, count(*)::int AS count FROM ${attempts} GROUP BY 1`,
  );
  const errors = await rows<{ error: string; count: number }>(
    `SELECT error, count(*)::int AS count FROM ${attempts} GROUP BY 1`,
  );
  return {
    totals: totals!,
    byStatus: statusClasses.map((name) => ({
      status: name,
      count: statuses.find((row) => row.status === (Number(name[0]) || 0))?.count ?? 0,
    })),
    byError: attemptErrors.map((error) => ({
      error,
      count: errors.find((row) => row.error === error)?.count ?? 0,
    })),
    byEvent: await rows(
      `SELECT event_type AS event, ${share} FROM ${attempts} GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 10`,
    ),
    worstEndpoints: await rows(
      `SELECT 'ep_' || w.id AS "endpointId", w.url, w.project_id AS "projectId", attempts, failed,
         (attempts - failed)::float8 / attempts AS "successRate"
       FROM (SELECT endpoint_id, ${share} FROM ${attempts} GROUP BY 1) a JOIN webhook_endpoints w ON w.id = a.endpoint_id
       WHERE failed > 0 ORDER BY failed DESC, attempts, w.id LIMIT 10`,
    ),
    series: await rows<{ at: number; attempts: number; failed: number }>(
      `SELECT (floor(extract(epoch FROM started_at) / $3) * $3)::int AS at, ${share} FROM ${attempts} GROUP BY 1 ORDER BY 1`,
      [bucketSeconds],
    ),
  };
}

/** When an id was made, in ms since 1970. */
const timeOf = (id: string): number => Number.parseInt(id.slice(0, 13).replace('-', ''), 16);

const binOf = (ms: number | null): number | null =>
  ms === null ? null : durationBounds.filter((bound) => bound <= ms).length;

/** Holds every figure of a range against the log. @returns the answer */
async function compare(range: string, projectId: string | null): Promise<Record<string, any>> {
  const answer = await overview(`range=${range}${projectId ? `&projectId=${projectId}` : ''}`);
  const expected = await counted(answer['from'], answer['bucketSeconds'], projectId);
  const { attempts, failed, p50, p95 } = expected.totals;
  expect(answer['totals']).toMatchObject({ attempts, failed, succeeded: attempts - failed });
  expect(answer['totals'].successRate).toBe(attempts === 0 ? null : (attempts - failed) / attempts);
  expect([answer['totals'].p50Ms, answer['totals'].p95Ms].map(binOf)).toEqual([p50, p95].map(binOf));
  for (const part of ['byStatus', 'byError', 'byEvent', 'worstEndpoints'] as const)
    expect(answer[part]).toEqual(expected[part]);
  const filled = (answer['series'] as Record<string, any>[])
    .map((point) => ({
      at: Date.parse(point['at']) / 1_000,
      attempts: point['succeeded'] + point['failed'],
      failed: point['failed'],
    }))
    .filter((point) => point.attempts > 0);
  expect(filled).toEqual(expected.series);
  return answer;
}

async function compareAll(projectIds: (string | null)[]): Promise<void> {
  for (const range of RANGES) for (const id of projectIds) await compare(range, id);
}

/** Attempts of the last 29 days, most of them young, in two projects and in none. @returns the ids of the projects */
async function insertPast(count: number): Promise<string[]> {
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
       CASE WHEN kind < 12 THEN 200 + kind WHEN kind < 15 THEN 100 * (kind - 9) ELSE 0 END, kind < 12,
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

const progress = async (): Promise<{ first: string; next: string }> =>
  (
    await instance.sql<{ first: string; next: string }>(
      'SELECT first_id AS first, next_id AS next FROM attempts_counted',
    )
  )[0]!;

/** Nothing has been counted but what is younger than that. */
const countSince = (time: number): Promise<unknown> =>
  instance.sql('UPDATE attempts_counted SET first_id = $1, next_id = $1', [
    `${uuidAt(time).slice(0, 13)}-0000-0000-000000000000`,
  ]);

/** Whether workers have counted all that is in the log, so that nothing has to be counted live. */
async function isAllCounted(): Promise<boolean> {
  const [row] = await instance.sql<{ isDone: boolean }>(
    `SELECT NOT EXISTS (SELECT FROM attempts WHERE id >= next_id) AND NOT EXISTS (
       SELECT FROM attempts WHERE id < first_id AND started_at >= now() - interval '30 days') AS "isDone"
     FROM attempts_counted`,
  );
  return row!.isDone;
}

describe('the overview', () => {
  let worker: ServerProcess | undefined;
  afterAll(() => worker?.stop());

  it('of an instance in which nothing has happened shows every bucket, empty', async () => {
    for (const [range, count, bucketSeconds] of [
      ['1h', 60, 60],
      ['24h', 96, 900],
      ['7d', 84, 7_200],
      ['30d', 30, 86_400],
    ] as const) {
      const answer = await overview(`range=${range}`);
      expect(answer).toMatchObject({
        range,
        bucketSeconds,
        completeFrom: null,
        byEvent: [],
        worstEndpoints: [],
      });
      expect(answer['totals']).toEqual({
        attempts: 0,
        succeeded: 0,
        failed: 0,
        successRate: null,
        p50Ms: null,
        p95Ms: null,
      });
      expect(answer['deadLetters']).toEqual({ waiting: 0, isMore: false, oldestAt: null });
      expect(answer['pending']).toEqual({ count: 0, isMore: false, oldestDueAt: null });
      expect(answer['series']).toHaveLength(count);
      expect(answer['series'][0]).toEqual({ at: answer['from'], succeeded: 0, failed: 0, p95Ms: null });
      const end = Date.parse(answer['series'].at(-1).at) + bucketSeconds * 1_000;
      expect(end).toBeGreaterThan(Date.parse(answer['to']));
    }
  });

  it('agrees with the log before and after attempts are counted, also one that closes late', async () => {
    const { projectId } = instance.credentials;
    const { id: endpointId } = await instance.createEndpoint('https://example.com/', ['login.failed']);
    const now = Date.now();
    const past = (minutes: number, code: number, state: 'succeeded' | 'failed' | 'pending' = 'failed') => ({
      endpointId,
      projectId,
      state,
      attempts: [{ at: now - minutes * MINUTE_MS, status: code }],
    });
    const [open] = await seedDeliveries(instance, [
      past(8, 503, 'pending'),
      past(10, 500),
      past(9, 404),
      past(6, 302),
      past(5, 200, 'succeeded'),
      past(4, 503),
    ]);
    await instance.sql(
      `UPDATE deliveries SET attempt = 2, attempt_id = $2, lease_until = now() + interval '1 hour' WHERE id = $1`,
      [open!.id, uuidAt(now - 7 * MINUTE_MS)],
    );
    const [{ attempt_id: openId }] = (await instance.sql('SELECT attempt_id FROM deliveries WHERE id = $1', [
      open!.id,
    ])) as [{ attempt_id: string }];
    await countSince(now - 60 * MINUTE_MS);
    await compareAll([null, projectId, '00000000-0000-4000-8000-000000000000']);

    // The worker counts up to the attempt that is open, and no further, however often it looks.
    worker = await startWorker();
    for (let round = 1; round <= 2; round += 1) {
      await worker.runJob('AttemptAggregator');
      expect((await progress()).next).toBe(openId);
    }
    await compareAll([null, projectId]);
    await instance.sql(
      `WITH closed AS (
         UPDATE deliveries SET state = 'failed', lease_until = NULL, attempt_id = NULL, finished_at = now() WHERE id = $1
         RETURNING *)
       INSERT INTO attempts (id, organization_id, project_id, event_id, event_type, endpoint_id, delivery_id, target_url,
         attempt, http_status, success, error, duration_ms, response_body, started_at, closed_at)
       SELECT $2, organization_id, project_id, event_id, event_type, endpoint_id, id, target_url, 2, 500, false,
         'http_error', 400000, '', $3, now() FROM closed`,
      [open!.id, openId, new Date(now - 7 * MINUTE_MS)],
    );
    await compareAll([null, projectId]);
    await worker.runJob('AttemptAggregator');
    expect(await isAllCounted()).toBe(true);
    await compareAll([null, projectId]);
    const answer = await compare('1h', projectId);
    expect(answer['completeFrom']).toBeNull();
    expect(answer['worstEndpoints']).toMatchObject([
      { endpointId, url: 'https://example.com/', projectId, attempts: 7, failed: 6 },
    ]);
  });

  it('refuses unknown ranges, projects and fields', async () => {
    for (const query of ['range=2h', 'range=', 'range=1h&range=7d', 'projectId=1', 'days=1']) {
      const { status, body } = await operator.request('GET', `/overview?${query}`);
      expect({ query, status, code: body.code }).toEqual({ query, status: 400, code: 'validation_failed' });
    }
  });
});

describe('the figures of a log that is there already', () => {
  /** Of which a worker counts 5,000 at once. */
  const COUNT = 16_000;
  beforeEach(() =>
    instance.sql(
      `DELETE FROM attempts; DELETE FROM deliveries; DELETE FROM attempt_figures; DELETE FROM attempt_figures_by_event;
       DELETE FROM attempt_figures_by_endpoint`,
    ),
  );

  it('tell what waits, of the instance and of a project', async () => {
    const { projectId } = instance.credentials;
    const { body: other } = await instance.requestWithSecretKey('POST', '/api/v1/projects', {
      name: 'Other',
    });
    const { id: endpointId } = await instance.createEndpoint('https://example.com/', ['*']);
    const now = Date.now();
    const iso = (ms: number): string => new Date(now - ms).toISOString();
    const past = (project: string, state: 'failed' | 'pending', ended: number) => ({
      endpointId,
      projectId: project,
      state,
      finishedAt: now - ended,
      attempts: [{ at: now - 3_600_000, status: 500 }],
    });
    await seedDeliveries(instance, [
      past(projectId, 'failed', 60_000),
      past(projectId, 'failed', 30_000),
      { ...past(projectId, 'failed', 90_000), resolution: 'discarded' },
      past(other.id, 'failed', 120_000),
      past(projectId, 'pending', 0),
      past(projectId, 'pending', 0),
    ]);
    const dueSince = (ms: number) =>
      instance.sql(`UPDATE deliveries SET urgency = 1, next_attempt_at = $1 WHERE state = 'pending'`, [
        iso(ms),
      ]);
    for (const [due, oldestDueAt] of [
      [-60_000, null],
      [300_000, iso(300_000)],
    ] as const) {
      await dueSince(due);
      for (const [query, waiting, oldestAt, count] of [
        ['', 3, iso(120_000), 2],
        [`projectId=${projectId}`, 2, iso(60_000), 2],
        [`projectId=${other.id}`, 1, iso(120_000), 0],
      ] as const) {
        const answer = await overview(query);
        expect(answer['deadLetters']).toEqual({ waiting, isMore: false, oldestAt });
        expect(answer['pending']).toEqual({ count, isMore: false, oldestDueAt: count ? oldestDueAt : null });
      }
    }
    await instance.sql(
      `UPDATE deliveries SET state = 'cancelled', finished_at = now() WHERE state = 'pending'`,
    );
  });

  it('miss no attempt of a worker whose clock is late: its id gets a later time when it is claimed', async () => {
    const { projectId } = instance.credentials;
    const { id: endpointId } = await instance.createEndpoint('https://example.com/', ['*']);
    const logger = createLogger({ logLevel: 'silent' }, 'test');
    const database = new Database(loadConfig(instance.env), logger);
    await database.connect();
    const announcer = new DeliveryAnnouncer(database, null, 0, logger);
    const transactions = new Transactions(database, announcer, new Failpoints([], logger));
    const work = new DeliveryProcessingRepository(database, 30_000, transactions);
    const realTime = Date.now;
    /** Claims a delivery by a clock that is late. @returns the earliest and the latest age that its id may have had */
    const claim = async (lateMs: number): Promise<[number, number]> => {
      const [delivery] = await seedDeliveries(instance, [
        { endpointId, projectId, state: 'pending', attempts: [{ at: realTime(), status: 500 }] },
      ]);
      await instance.sql('UPDATE deliveries SET next_attempt_at = now() WHERE id = $1', [delivery!.id]);
      const began = realTime();
      Date.now = () => realTime() - lateMs;
      const claiming = work.claim([{ deliveryId: delivery!.id, endpointId, projectId, attempt: 2 }]);
      Date.now = realTime;
      const [claimed] = await claiming;
      const at = timeOf(claimed!.attemptId);
      return [began - at, realTime() - at];
    };
    try {
      for (const [lateMs, age] of [
        [3_600_000, 2_000],
        [10_000, 2_000],
        [1_000, 1_000],
      ] as const) {
        const [least, most] = await claim(lateMs);
        expect(least).toBeLessThanOrEqual(age + 10);
        expect(most).toBeGreaterThanOrEqual(age - 10);
      }
    } finally {
      await database.close();
    }
    await instance.sql(
      `UPDATE deliveries SET state = 'cancelled', lease_until = NULL, attempt_id = NULL, finished_at = now()
       WHERE state = 'pending'`,
    );
  });

  it('are counted once by two workers, one of which is killed, and say since when they are complete', async () => {
    const projects = await insertPast(COUNT);
    // As the migration leaves an instance that has a log.
    const hourAgo = Date.now() - 3_600_000;
    await countSince(hourAgo);
    const before = await overview('range=30d');
    expect(Date.parse(before['completeFrom'])).toBeGreaterThanOrEqual(hourAgo - MINUTE_MS);
    await instance.sql(
      `INSERT INTO attempt_figures (span, at, scope_id, counts)
       SELECT span, now() - age, gen_random_uuid(), '{1}'
       FROM (VALUES (60, interval '3 hours'), (900, interval '3 days'), (86400, interval '32 days')) old (span, age)`,
    );
    const [doomed, other] = await Promise.all([startWorker(), startWorker()]);
    const holder = await instance.db.connect();
    try {
      await holder.query('BEGIN; LOCK TABLE attempt_figures IN SHARE MODE');
      const counting = doomed.runJob('AttemptAggregator').catch(() => 'killed');
      await eventually('the first worker counting', async () => {
        const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
        return (await instance.sql(waiting)).length > 0;
      });
      // The second worker leaves it to the first, of which nothing is left when it is killed.
      const counted = await progress();
      await other.runJob('AttemptAggregator');
      await doomed.stop('SIGKILL');
      expect(await counting).toBe('killed');
      expect(await progress()).toEqual(counted);
    } finally {
      await holder.query('ROLLBACK');
      holder.release();
    }
    await eventually('all being counted by the second worker', async () => {
      await other.runJob('AttemptAggregator');
      return isAllCounted();
    });
    await compareAll([null, ...projects]);
    for (const range of RANGES) expect((await overview(`range=${range}`))['completeFrom']).toBeNull();
    await other.runJob('figures');
    expect(await instance.sql(`SELECT FROM attempt_figures WHERE counts = '{1}'`)).toEqual([]);
    await other.stop();

    // Alike attempts share a row.
    const [row] = await instance.sql<{ figures: number; scopes: number; most: number; endpoints: number }>(
      `SELECT (SELECT count(*) FROM attempt_figures WHERE span = 86400)::int AS figures,
         (SELECT count(*) + 1 FROM projects)::int AS scopes,
         (SELECT max(count) FROM (
           SELECT count(*)::int FROM attempt_figures_by_endpoint GROUP BY span, at, scope_id
         ) c) AS most,
         (SELECT count(*) FROM webhook_endpoints)::int AS endpoints`,
    );
    expect(row!.figures).toBeLessThanOrEqual(row!.scopes * 31);
    expect(row!.most).toBeLessThanOrEqual(row!.endpoints);
  });
});
