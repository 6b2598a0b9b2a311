import { randomUUID } from 'node:crypto';
import { insertTotpFactor } from '../support/customer-factors.js';
import { eventually } from '../support/eventually.js';
import { insertOperator, signIn, type OperatorClient } from '../support/operator-client.js';
import type { ServerProcess } from '../support/server-process.mjs';
import { PASSWORD, TestInstance } from '../support/test-instance.js';
import { uniqueEmail } from '../support/unique-email.js';

const RANGES = ['1h', '24h', '7d', '30d'];
const JOB = 'IdentityAggregator';

let instance: TestInstance;
let operator: OperatorClient;
beforeAll(async () => {
  instance = await TestInstance.startShared({ workers: 0 });
  operator = await signIn(instance);
});
afterAll(() => instance?.stop());

/** Starts a worker without periodic jobs. */
async function startWorker(): Promise<ServerProcess> {
  const worker = instance.startWorker({ PERIODIC_JOBS: 'off' });
  await worker.waitUntilReady();
  return worker;
}

const getMetrics = async (query: string, client = operator): Promise<Record<string, any>> => {
  const response = await client.request('GET', `/overview/identity?${query}`);
  expect(response.status).toBe(200);
  return response.body;
};

/** Compares the metrics for all ranges with the events. */
async function compareWithEvents(projectId: string | null): Promise<void> {
  for (const range of RANGES) {
    const result = await getMetrics(`range=${range}${projectId ? `&projectId=${projectId}` : ''}`);
    const count = async (columns: string, type: string): Promise<Record<string, any>[]> =>
      instance.sql(
        `SELECT ${columns}, count(*)::int AS count FROM (
           SELECT body::jsonb -> 'data' AS data, created_at FROM events
           WHERE type = $1 AND created_at >= $2 AND ($3::uuid IS NULL OR project_id = $3)) e
         GROUP BY 1 ORDER BY count(*) DESC, 1`,
        [type, result['from'], projectId],
      );
    const total = async (type: string): Promise<number> => (await count('1 AS one', type))[0]?.['count'] ?? 0;
    const methods = await count(`data ->> 'methods' AS methods`, 'login.succeeded');
    expect(result['totals']).toMatchObject({
      signUps: await total('customer.created'),
      signIns: await total('login.succeeded'),
      failedSignIns: await total('login.failed'),
      lockouts: await total('customer.locked'),
      signInsWithSecondFactor: methods
        .filter(({ methods: text }) => /otp|hwk/.test(text))
        .reduce((sum, each) => sum + each['count'], 0),
    });
    expect(result['byProvider']).toEqual(
      (await count(`data ->> 'provider' AS provider`, 'login.succeeded')).filter(({ provider }) => provider),
    );
    expect(result['byReason']).toEqual(await count(`data ->> 'reason' AS reason`, 'login.failed'));
    const series = result['series'] as Record<string, number>[];
    expect(series.reduce((sum, { signIns }) => sum + signIns!, 0)).toBe(result['totals'].signIns);
    expect(result).toMatchObject({ range, isComplete: true });
  }
}

/** Compares a range's previous period with the events. */
async function comparePreviousWithEvents(range: string, projectId: string | null): Promise<void> {
  const query = `range=${range}&compare=previous${projectId ? `&projectId=${projectId}` : ''}`;
  const { from, bucketSeconds, series, previous } = await getMetrics(query);
  const start = new Date(Date.parse(from) - series.length * bucketSeconds * 1_000).toISOString();
  const counts = await instance.sql<{ type: string; count: number }>(
    `SELECT type, count(*)::int AS count FROM events
     WHERE created_at >= $1 AND created_at < $2 AND ($3::uuid IS NULL OR project_id = $3) GROUP BY 1`,
    [start, from, projectId],
  );
  const total = (type: string): number => counts.find((row) => row.type === type)?.count ?? 0;
  expect(total('login.failed')).toBeGreaterThan(0);
  expect(previous.totals).toMatchObject({
    signUps: total('customer.created'),
    signIns: total('login.succeeded'),
    failedSignIns: total('login.failed'),
    lockouts: total('customer.locked'),
  });
  expect(previous.series).toHaveLength(series.length);
  expect(previous.series[0].at).toBe(start);
  const sum = previous.series.reduce((all: number, point: any) => all + point.failedSignIns, 0);
  expect(sum).toBe(previous.totals.failedSignIns);
}

/** Inserts events from the last 29 days, most of them recent, into two projects. Returns the project ids. */
async function insertEvents(count: number): Promise<string[]> {
  const { organizationId, projectId } = instance.credentials;
  const other = await instance.requestWithSecretKey('POST', '/api/v1/projects', { name: randomUUID() });
  const projectIds = [projectId, other.body.id as string];
  await instance.sql(
    `INSERT INTO events (id, organization_id, project_id, type, body, created_at)
     SELECT gen_random_uuid(), $2, ($3::uuid[])[1 + n % 2], type, json_build_object('data', data)::text,
       now() - ((n::float8 / $1) ^ 5) * interval '29 days'
     FROM generate_series(1, $1::int) n
       CROSS JOIN LATERAL (SELECT (ARRAY['customer.created', 'login.succeeded', 'login.failed', 'customer.locked', 'customer.updated'])[1 + n % 5] AS type) t
       CROSS JOIN LATERAL (SELECT CASE type
         WHEN 'login.succeeded' THEN json_build_object('customer', '{"metadata":{"reason":"x","methods":["x"],"provider":"x"}}'::json,
           'methods', (ARRAY['["fed"]', '["pwd","otp","mfa"]', '["email"]', '["hwk","user"]'])[1 + n % 4]::json,
           'provider', CASE WHEN n % 4 = 0 THEN 'provider-' || n % 3 END)
         WHEN 'login.failed' THEN json_build_object('reason', (ARRAY['locked', 'wrong_code'])[1 + n % 2],
           'methods', '["pwd"]'::json, 'userAgent', '"reason":"locked"')
         ELSE '{}' END AS data) d`,
    [count, organizationId, projectIds],
  );
  // PostgreSQL separates members with spaces, unlike the API.
  await instance.sql(
    `UPDATE events SET body = replace(replace(body, '" : ', '":'), ', "', ',"') WHERE body LIKE '{"data" : %'`,
  );
  return projectIds;
}

describe('the identity overview', () => {
  it('counts real sign-ups, sign-ins, failures and active customers, before and after rollup', async () => {
    const email = uniqueEmail();
    const { body } = await instance.register(email);
    await insertTotpFactor(instance, body.customer.id);
    const plain = uniqueEmail();
    await instance.register(plain);
    for (const [customer, password] of [
      [email, PASSWORD],
      [plain, PASSWORD],
      [plain, 'wrong-password'],
    ])
      await instance.requestWithPublishableKey('POST', '/api/v1/auth/login', { email: customer, password });
    await eventually('the failure', async () => (await getMetrics('range=1h'))['totals'].failedSignIns === 1);
    const before = await getMetrics('range=1h');
    expect(before['totals']).toEqual({
      signUps: 2,
      signIns: 2,
      signInsWithSecondFactor: 0,
      failedSignIns: 1,
      lockouts: 0,
    });
    expect(before['byMethod']).toEqual([{ method: 'password', count: 2 }]);
    expect(before['byReason']).toEqual([{ reason: 'wrong_password', count: 1 }]);
    expect(before['activeCustomers']).toBeNull();

    const worker = await startWorker();
    for (const job of [JOB, JOB, 'rollups']) await worker.runJob(job);
    await worker.stop();
    expect(await instance.sql('SELECT FROM identity_rollups')).not.toEqual([]);
    const after = await getMetrics('range=1h');
    for (const part of ['totals', 'byMethod', 'byReason', 'byProvider'])
      expect(after[part]).toEqual(before[part]);
    expect(after).toMatchObject({ activeCustomers: 2, activeCustomersWithFactor: 1 });
    const day = (await getMetrics(`range=30d&projectId=${instance.credentials.projectId}`))['series'].at(-1);
    expect(day).toMatchObject({ activeCustomers: 2, activeCustomersWithFactor: 1, signUps: 2 });
  });

  it('counts each event once, although a long transaction is open and one of two workers is killed', async () => {
    const projectIds = await insertEvents(12_000);
    const holder = await instance.db.connect();
    const late = await instance.db.connect();
    const [killedWorker, other] = await Promise.all([startWorker(), startWorker()]);
    try {
      // This transaction begins before all later events, and commits after they are counted.
      await late.query('BEGIN');
      await late.query(
        `INSERT INTO events (id, organization_id, project_id, type, body, created_at)
         VALUES (gen_random_uuid(), $1, $2, 'customer.created', '{"data":{}}', now())`,
        [instance.credentials.organizationId, projectIds[0]],
      );
      await instance.register();
      await compareWithEvents(null);
      expect((await getMetrics('range=24h&compare=previous'))['previous']).toBeNull();
      await holder.query('BEGIN; LOCK TABLE identity_rollups IN SHARE MODE');
      const counting = killedWorker.runJob(JOB).catch(() => 'killed');
      await eventually('the first worker to start counting', async () => {
        const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
        return (await instance.sql(waiting)).length > 0;
      });
      // The second worker leaves the count to the first, whose work is rolled back when it is killed.
      const progress = 'SELECT xact::text, id FROM identity_rollup_progress';
      const saved = await instance.sql(progress);
      await other.runJob(JOB);
      await killedWorker.stop('SIGKILL');
      expect(await counting).toBe('killed');
      expect(await instance.sql(progress)).toEqual(saved);
      await holder.query('ROLLBACK');
      await eventually('the second worker to count', async () => {
        await other.runJob(JOB);
        return JSON.stringify(await instance.sql(progress)) !== JSON.stringify(saved);
      });
      await compareWithEvents(null);
      await late.query('COMMIT');
      for (const projectId of [null, ...projectIds]) await compareWithEvents(projectId);
      await other.runJob(JOB);
      for (const projectId of [null, ...projectIds]) await compareWithEvents(projectId);
      for (const range of ['1h', '24h', '7d'])
        for (const projectId of [null, projectIds[0]!]) await comparePreviousWithEvents(range, projectId);
      expect((await getMetrics('range=24h'))['previous']).toBeNull();
      // Events are retained for only 30 days.
      expect((await getMetrics('range=30d&compare=previous'))['previous']).toBeNull();
    } finally {
      await late.query('ROLLBACK');
      await holder.query('ROLLBACK');
      for (const client of [late, holder]) client.release();
      await other.stop();
    }
  });

  it("sums the projects in a limited operator's access scope", async () => {
    const limited = await insertOperator(instance, 'viewer', [instance.credentials.organizationId]);
    const all = await getMetrics('range=24h');
    expect((await getMetrics('range=24h', limited))['totals']).toEqual(all['totals']);
    const elsewhere = await insertOperator(instance, 'viewer', [randomUUID()]);
    expect((await getMetrics('range=24h', elsewhere))['totals'].signUps).toBe(0);
  });
});
