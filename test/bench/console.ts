import { Agent } from 'node:http';
import { eventually } from '../support/eventually.js';
import type { TestInstance } from '../support/test-instance.js';
import { insertOperator, signIn } from '../support/operator-client.js';
import { attemptCount, DAYS, deadLetterCount, seedAttempts, seedBacklog } from './seed-attempts.js';
import { BenchInstance } from './bench-instance.js';
import { seedOrganizations, seedCustomers } from './seed-customers.js';
import { limitedScreens, screens } from './console-screens.js';
import type { BenchData } from './delivery-screens.js';
import { exchange } from './exchange.js';
import { median, percentile, printProgress, type SectionResult } from './report.js';
import {
  seedApiKeys,
  seedAuditLog,
  seedBatches,
  seedFailedSignIns,
  seedBusyCustomer,
  seedMails,
} from './seed-console-data.js';

/** 4.2 million deliveries have five million attempts. */
const DELIVERIES = 4_200_000;
const CUSTOMERS = 1_000_000;
/** Additional organizations. They share a tenth of the customers, and none of them fills a page. */
const ORGANIZATIONS = 5_000;
const CUSTOMERS_EACH = 20;
const AUDIT_ENTRIES = 1_000_000;
const BATCHES = 5_000;
const MAILS = 300_000;
const API_KEYS_EACH = 10;
/** Sign-ins by the customer with the most records. */
const SIGN_INS = 50_000;
/** Customers with failed sign-ins, as during an attack. One in eight of them is locked. */
const FAILED_SIGN_INS = 100_000;
/** Redeliveries in the running batch: nearly the maximum. */
const CREATED_IN_BATCH = 99_000;
/** Deliveries that are waiting for their second attempt. */
const PENDING_DELIVERIES = 100_000;
/** Recent attempts that no worker has rolled up yet, as after an outage of all workers. */
const UNROLLED_ATTEMPTS = 30_000;

const SAMPLES = 100;
const WARM_UP = 20;
/** Warm-up requests before the first screen: compiled code is several times faster. */
const FIRST_WARM_UP = 300;
const ROLLUP_PROBES = 48_000;
/** Required p95 response time for every screen, in ms. */
const TARGET_MS = 200;

/** Measures the requests from the console's screens in a large instance. */
export async function measureConsole({ samples = SAMPLES }: { samples?: number }): Promise<SectionResult> {
  const bench = await BenchInstance.start({ env: { RATE_LIMITS: 'off' } });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  try {
    const { instance } = bench;
    printProgress(`${attemptCount(DELIVERIES)} attempts`);
    await seedAttempts(instance, { deliveries: DELIVERIES, days: DAYS, endpoints: 20 });
    printProgress(`${CUSTOMERS} customers`);
    await seedCustomers(instance, CUSTOMERS - ORGANIZATIONS * CUSTOMERS_EACH);
    await seedOrganizations(instance, ORGANIZATIONS, CUSTOMERS_EACH);
    printProgress(`${AUDIT_ENTRIES} audit log entries, ${BATCHES} batches`);
    await seedAuditLog(instance, AUDIT_ENTRIES, DAYS);
    await seedFailedSignIns(instance, FAILED_SIGN_INS);
    await seedMails(instance, MAILS, DAYS);
    await seedApiKeys(instance, API_KEYS_EACH);
    const busyCustomer = await seedBusyCustomer(instance, SIGN_INS, DAYS);
    printProgress('the worker computes the rollups');
    await waitForRollups(bench);
    // The worker would process these records, so they are inserted after it has stopped.
    await seedBacklog(instance, PENDING_DELIVERIES);
    await seedBatches(instance, BATCHES, CREATED_IN_BATCH);
    await insertUnrolledAttempts(instance);
    const data = { ...(await loadBenchData(instance)), busyCustomer };
    const admin = await signIn(instance);
    const limited = await insertOperator(instance, 'admin', [instance.credentials.organizationId]);
    const small = await insertOperator(instance, 'admin', [data.smallOrganization]);
    const requests = [
      ...screens.map(([name, path]) => ({ name, path, operator: admin })),
      ...limitedScreens.map(([name, path]) => ({ name: `limited: ${name}`, path, operator: limited })),
      ...limitedScreens
        // Paths that are built from `data` contain the large organization's ids.
        .filter(([, path]) => typeof path === 'string')
        .map(([name, path]) => ({ name: `limited to a small organization: ${name}`, path, operator: small })),
    ];
    const timed: [string, number[]][] = [];
    for (const [index, { name, path, operator }] of requests.entries()) {
      const headers = { cookie: operator.cookieHeader() };
      const times: number[] = [];
      for (let round = -(index === 0 ? FIRST_WARM_UP : WARM_UP); round < samples; round += 1) {
        const url = `${instance.baseUrl}/operator/v1${typeof path === 'string' ? path : path(data)}`;
        const { status, ms, body, error } = await exchange(agent, { method: 'GET', url, headers });
        if (status !== 200) throw new Error(`${name}: ${status} ${error ?? body}`);
        if (round >= 0) times.push(ms);
      }
      printProgress(`${name}: ${percentile(times, 0.95).toFixed(1)} ms`);
      timed.push([name, times]);
    }
    return report(timed);
  } finally {
    agent.destroy();
    await bench.stop();
  }
}

/** Starts a worker and waits until it has rolled up the existing log. */
async function waitForRollups(bench: BenchInstance): Promise<void> {
  const stop = bench.startWorker();
  await eventually(
    'the rollups',
    async () => {
      // The seed data also contains attempts in the next half hour.
      const [row] = await bench.instance.sql<{ isDone: boolean }>(
        `SELECT least(next_id, endpoint_next_id) > seed_id((extract(epoch FROM now() - interval '2 minutes') * 1000)::bigint, 0, 0) AS "isDone"
         FROM attempts_counted`,
      );
      return row!.isDone;
    },
    ROLLUP_PROBES,
  );
  await stop();
  await bench.instance.sql('VACUUM ANALYZE');
}

const insertUnrolledAttempts = (instance: TestInstance): Promise<unknown> =>
  instance.sql(
    `INSERT INTO attempts
     SELECT (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || substr(replace(id::text, '-', ''), 13))::uuid,
       organization_id, project_id, event_id, event_type, endpoint_id, delivery_id, target_url, attempt, http_status,
       success, error, duration_ms, response_body, retry_after, at, at
     FROM (
       SELECT *, now() - random() * interval '1 minute' AS at FROM (SELECT * FROM attempts ORDER BY id DESC LIMIT $1) newest
     ) again`,
    [UNROLLED_ATTEMPTS],
  );

async function loadBenchData(instance: TestInstance): Promise<Omit<BenchData, 'busyCustomer'>> {
  const { projectId: project, organizationId: organization } = instance.credentials;
  const selectIds = async (sql: string): Promise<string[]> =>
    (await instance.sql<{ id: string }>(`SELECT id FROM ${sql} LIMIT 200`)).map(({ id }) => id);
  return {
    project,
    smallProject: (await selectIds(`projects WHERE id <> '${project}'`))[0]!,
    organization,
    smallOrganization: (await selectIds(`organizations WHERE id <> '${organization}'`))[0]!,
    deliveries: await selectIds('deliveries TABLESAMPLE system (0.1)'),
    endpoints: await selectIds('webhook_endpoints TABLESAMPLE bernoulli (10)'),
    events: await selectIds('events TABLESAMPLE system (1)'),
    customers: await selectIds('customers TABLESAMPLE system (0.1)'),
    apiKeys: await selectIds(`api_keys WHERE project_id = '${project}'`),
    mails: await selectIds('mails TABLESAMPLE system (1)'),
    auditEntries: await selectIds('audit_log TABLESAMPLE system (1)'),
    operator: (await selectIds('operators'))[0]!,
    batch: (await selectIds(`redelivery_batches WHERE state = 'running'`))[0]!,
  };
}

function report(timed: [string, number[]][]): SectionResult {
  return {
    table: [
      ['', 'median ms', 'p95 ms', 'max ms'],
      ...timed.map(([name, times]) => [
        name,
        median(times).toFixed(1),
        percentile(times, 0.95).toFixed(1),
        Math.max(...times).toFixed(1),
      ]),
    ],
    notes: [
      `${attemptCount(DELIVERIES)} attempts from ${DAYS} days, ${deadLetterCount(DELIVERIES)} dead letters, ${PENDING_DELIVERIES} pending deliveries, ${CUSTOMERS} customers, ${ORGANIZATIONS + 1} organizations, ${AUDIT_ENTRIES} audit log entries, ${BATCHES} batches.`,
      `${UNROLLED_ATTEMPTS} attempts from the last minute are not in the metrics yet. Requests are sent one after the other.`,
    ],
    targets: timed.map(([name, times]) => ({
      name,
      value: percentile(times, 0.95),
      bound: TARGET_MS,
      direction: 'at most',
      unit: ' ms',
      isRequired: true,
    })),
  };
}
