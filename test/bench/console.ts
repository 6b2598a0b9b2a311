import { Agent } from 'node:http';
import { overviewRanges } from '@gatehouse/domain';
import { eventually } from '../support/eventually.js';
import type { TestInstance } from '../support/test-instance.js';
import { insertOperator, signIn } from '../support/operator-client.js';
import { attemptCount, DAYS, deadLetterCount, seedAttempts } from './seed-attempts.js';
import { BenchInstance } from './bench-instance.js';
import { seedOrganizations, EMAIL_PREFIX, seedCustomers, FIRST_NAME, FULL_NAME } from './seed-customers.js';
import { deliveryScreens, pickOne, type BenchData, type Path } from './delivery-screens.js';
import { exchange } from './exchange.js';
import { median, percentile, printProgress, type SectionResult } from './report.js';
import { seedAuditLog, seedBatches, seedFailedSignIns, RARE_ACTION } from './seed-console-data.js';

/** 4.2 million deliveries have five million attempts. */
const DELIVERIES = 4_200_000;
const CUSTOMERS = 1_000_000;
/** Additional organizations, which share a tenth of the customers: none of them fills a page. */
const ORGANIZATIONS = 5_000;
const CUSTOMERS_EACH = 20;
const AUDIT_ENTRIES = 1_000_000;
const BATCHES = 5_000;
/** Failed sign-ins that are still counted, as during an attack: an eighth of them locks a customer. */
const FAILED_SIGN_INS = 100_000;
/** Redeliveries of the running batch: nearly the maximum. */
const CREATED_IN_BATCH = 99_000;
/** Recent attempts that no worker has rolled up yet, as after a failure of all workers. */
const UNROLLED_ATTEMPTS = 30_000;

const SAMPLES = 100;
const WARM_UP = 20;
/** Warm-up requests of the first screen: compiled code is several times as fast. */
const FIRST_WARM_UP = 300;
const ROLLUP_PROBES = 48_000;
/** Required p95 of the responses for every screen, in ms. */
const TARGET_MS = 200;

/** The requests of the console's screens: a name, and a path below `/operator/v1`. */
const screens: [name: string, path: Path][] = [
  ...overviewRanges.flatMap((range): [string, Path][] => [
    [`overview: ${range}`, `/overview?range=${range}`],
    [`overview: ${range}, a project`, ({ project }) => `/overview?range=${range}&projectId=${project}`],
    [
      `overview: ${range}, a small project`,
      (data) => `/overview?range=${range}&projectId=${data.smallProject}`,
    ],
    [
      `endpoint: metrics, ${range}`,
      ({ endpoints }) => `/webhooks/endpoints/ep_${pickOne(endpoints)}/metrics?range=${range}`,
    ],
  ]),
  ...deliveryScreens,
  ['attempts', '/webhooks/attempts'],
  ['attempts: failed', '/webhooks/attempts?success=false'],
  ['attempts: second attempts', '/webhooks/attempts?attempt=2'],
  ['attempts: an error', '/webhooks/attempts?error=timeout'],
  ['attempts: count, an error', '/webhooks/attempts/count?error=timeout'],
  ['attempts: a customer', ({ customers }) => `/webhooks/attempts?customer_id=${pickOne(customers)}`],
  ['attempts: a pasted id', ({ deliveries }) => `/webhooks/attempts?q=dlv_${pickOne(deliveries)}`],
  ["attempts: a customer's address", '/webhooks/attempts?q=anna.7@company-7.example'],
  ['attempts: a URL', '/webhooks/attempts?q=https://'],
  ['attempts: count', '/webhooks/attempts/count'],
  [
    'attempts: count, a project with a status',
    ({ project }) => `/webhooks/attempts/count?project_id=${project}&http_status=500`,
  ],
  ['attempts: a project', ({ smallProject }) => `/webhooks/attempts?project_id=${smallProject}`],
  ['attempts: an endpoint', ({ endpoints }) => `/webhooks/attempts?endpoint_id=ep_${pickOne(endpoints)}`],
  ['attempts: a running batch', ({ batch }) => `/webhooks/attempts?batch_id=rdl_${batch}`],
  ['attempts: count, a running batch', ({ batch }) => `/webhooks/attempts/count?batch_id=rdl_${batch}`],
  ['a delivery', ({ deliveries }) => `/webhooks/deliveries/dlv_${pickOne(deliveries)}`],
  ['a delivery: chain', ({ deliveries }) => `/webhooks/deliveries/dlv_${pickOne(deliveries)}/chain`],
  ['dead letters', '/webhooks/dead-letters'],
  ['dead letters: resolved', '/webhooks/dead-letters?resolution=resolved'],
  ['dead letters: a URL', '/webhooks/dead-letters?q=https://'],
  ['dead letters: count', '/webhooks/dead-letters/count'],
  ['dead letters: a project', ({ project }) => `/webhooks/dead-letters?project_id=${project}`],
  ['dead letters: a customer', ({ customers }) => `/webhooks/dead-letters?customer_id=${pickOne(customers)}`],
  ['batches', '/webhooks/redeliveries'],
  ['batches: running', '/webhooks/redeliveries?state=running'],
  ['batches: count, running', '/webhooks/redeliveries/count?state=running'],
  ['a running batch', ({ batch }) => `/webhooks/redeliveries/rdl_${batch}`],
  ['endpoints', '/webhooks/endpoints'],
  ['endpoints: disabled, a URL', '/webhooks/endpoints?status=disabled&q=https://'],
  ['endpoints: count', '/webhooks/endpoints/count?status=disabled'],
  ['an endpoint', ({ endpoints }) => `/webhooks/endpoints/ep_${pickOne(endpoints)}`],
  ['an endpoint: replays', ({ endpoints }) => `/webhooks/replays?endpoint_id=ep_${pickOne(endpoints)}`],
  [
    'an endpoint: statistics',
    ({ endpoints }) => `/webhooks/endpoints/ep_${pickOne(endpoints)}/stats?window=30d`,
  ],
  ['events', '/events'],
  ['events: a type', '/events?types=customer.deleted'],
  ['events: a customer', ({ customers }) => `/events?customer_id=${pickOne(customers)}`],
  ['events: count', '/events/count'],
  ['an event', ({ events }) => `/events/evt_${pickOne(events)}`],
  ['an event: deliveries', ({ events }) => `/events/evt_${pickOne(events)}/deliveries`],
  ['event types', '/webhooks/event-types'],
  ['organizations', '/organizations'],
  ['organizations: a name', '/organizations?q=o'],
  ['organizations: count of a name', '/organizations/count?q=o'],
  ['projects', '/projects'],
  ['projects: a name', '/projects?q=p'],
  ['projects: count of a name', '/projects/count?q=p&archived=false'],
  ['a project', ({ project }) => `/projects/${project}`],
  ['a project: API keys', ({ project }) => `/projects/${project}/api-keys`],
  ['customers', '/customers'],
  ['customers: count', '/customers/count'],
  ['customers: a project', ({ project }) => `/customers?projectId=${project}`],
  ['customers: search', `/customers?q=${EMAIL_PREFIX}`],
  ['customers: search by both names', `/customers?q=${FULL_NAME}`],
  ['customers: search for a frequent part', '/customers?q=example'],
  ['customers: search for a rare part', '/customers?q=.12345@'],
  ['customers: search for an absent part', '/customers?q=zzzz'],
  ['customers: search for two characters', '/customers?q=an'],
  ['customers: count of a frequent part', '/customers/count?q=example'],
  ['customers: count of a search', `/customers/count?q=${FIRST_NAME}`],
  ['customers: disabled, not verified', '/customers?disabled=true&emailVerified=false'],
  ['customers: locked', '/customers?locked=true'],
  ['customers: locked, of a project', ({ project }) => `/customers?locked=true&projectId=${project}`],
  ['customers: count, locked', '/customers/count?locked=true'],
  ['customers: last logins', '/customers?lastLoginAfter=2020-01-01T00:00:00Z'],
  ['customers: an address', '/customers?email=anna.7@company-7.example'],
  ['customers: an external id', '/customers?externalId=crm-7'],
  ['a customer', ({ customers }) => `/customers/${pickOne(customers)}`],
  ['a customer: sessions', ({ customers }) => `/customers/${pickOne(customers)}/sessions`],
  ['a customer: timeline', ({ customers }) => `/customers/${pickOne(customers)}/timeline`],
  [
    'a customer: timeline, webhooks',
    ({ customers }) => `/customers/${pickOne(customers)}/timeline?kinds=webhook`,
  ],
  ['a customer: audit log', ({ customers }) => `/audit-log?targetId=${pickOne(customers)}`],
  ['audit log', '/audit-log'],
  ['audit log: count', '/audit-log/count'],
  ['audit log: an operator', ({ operator }) => `/audit-log?actorId=${operator}`],
  ['audit log: a rare action', `/audit-log?action=${RARE_ACTION}`],
  ['audit log: count, a rare action', `/audit-log/count?action=${RARE_ACTION}`],
  [
    'audit log: a project, a rare action',
    ({ project }) => `/audit-log?projectId=${project}&action=${RARE_ACTION}`,
  ],
  ['search: an address', `/search?q=${EMAIL_PREFIX}`],
  ['search: a name', `/search?q=${FIRST_NAME}`],
  ['search: a frequent part', '/search?q=com'],
  ['search: a rare part', '/search?q=.12345@'],
  ['search: one character', '/search?q=a'],
  ['endpoints: search', '/webhooks/endpoints?q=example'],
  ['projects: search', '/projects?q=company'],
  ['search: an id', ({ events }) => `/search?q=evt_${pickOne(events)}`],
  ['search: a URL', '/search?q=https://'],
  ['emails', '/mails'],
  ['emails: count', '/mails/count'],
  ['emails: dropped', '/mails?state=dropped'],
  ['mailbox', '/mailbox'],
  ['health', '/health'],
  ['operators', '/operators'],
  ['operators: count', '/operators/count'],
  ["an operator's sessions", ({ operator }) => `/operators/${operator}/sessions`],
  ['the session', '/session'],
  ['saved views', '/session/views'],
];

/** Requests of an operator who is limited to the organization with the largest project. */
const limitedScreens: typeof screens = [
  ['overview: a project', ({ project }) => `/overview?projectId=${project}`],
  ['deliveries', '/webhooks/deliveries'],
  ['deliveries: count, an error', '/webhooks/deliveries/count?error=timeout'],
  ['deliveries: a customer', ({ customers }) => `/webhooks/deliveries?customer_id=${pickOne(customers)}`],
  ['dead letters', '/webhooks/dead-letters'],
  ['dead letters: count', '/webhooks/dead-letters/count'],
  ['batches', '/webhooks/redeliveries'],
  ['endpoints', '/webhooks/endpoints'],
  ['events', '/events'],
  ['events: a type', '/events?types=customer.deleted'],
  ['events: count', '/events/count'],
  ['customers: search', `/customers?q=${EMAIL_PREFIX}`],
  ['audit log', '/audit-log'],
  ['audit log: a rare action', `/audit-log?action=${RARE_ACTION}`],
  ['search: a name', `/search?q=${FIRST_NAME}`],
  ['search: an id', ({ events }) => `/search?q=evt_${pickOne(events)}`],
  ['emails', '/mails'],
];

/** Measures the requests of the console's screens in a large instance. */
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
    printProgress(`${AUDIT_ENTRIES} entries of the audit log, ${BATCHES} batches`);
    await seedAuditLog(instance, AUDIT_ENTRIES, DAYS);
    await seedFailedSignIns(instance, FAILED_SIGN_INS);
    printProgress('the worker computes the rollups');
    await waitForRollups(bench);
    // Inserted after the worker has stopped, because the worker would complete the batch.
    await seedBatches(instance, BATCHES, CREATED_IN_BATCH);
    await insertUnrolledAttempts(instance);
    const data = await loadBenchData(instance);
    const admin = await signIn(instance);
    const limited = await insertOperator(instance, 'admin', [instance.credentials.organizationId]);
    const requests = [
      ...screens.map(([name, path]) => ({ name, path, operator: admin })),
      ...limitedScreens.map(([name, path]) => ({ name: `limited: ${name}`, path, operator: limited })),
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

/** Starts a worker and waits until it has computed the rollups of the existing log. */
async function waitForRollups(bench: BenchInstance): Promise<void> {
  const stop = bench.startWorker();
  await eventually(
    'the rollups',
    async () => {
      // The seed data also has attempts in the next half hour.
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

async function loadBenchData(instance: TestInstance): Promise<BenchData> {
  const { projectId: project, organizationId: organization } = instance.credentials;
  const selectIds = async (sql: string): Promise<string[]> =>
    (await instance.sql<{ id: string }>(`SELECT id FROM ${sql} LIMIT 200`)).map(({ id }) => id);
  return {
    project,
    smallProject: (await selectIds(`projects WHERE id <> '${project}'`))[0]!,
    organization,
    deliveries: await selectIds('deliveries TABLESAMPLE system (0.1)'),
    endpoints: await selectIds('webhook_endpoints TABLESAMPLE bernoulli (10)'),
    events: await selectIds('events TABLESAMPLE system (1)'),
    customers: await selectIds('customers TABLESAMPLE system (0.1)'),
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
      `${attemptCount(DELIVERIES)} attempts of ${DAYS} days, ${deadLetterCount(DELIVERIES)} dead letters, ${CUSTOMERS} customers, ${ORGANIZATIONS + 1} organizations, ${AUDIT_ENTRIES} entries of the audit log, ${BATCHES} batches.`,
      `${UNROLLED_ATTEMPTS} attempts of the last minute are not in the metrics yet. One request after the other.`,
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
