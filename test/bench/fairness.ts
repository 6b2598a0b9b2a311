import { setTimeout as sleep } from 'node:timers/promises';
import type { Queue, TestInstance } from '../support/test-instance.js';
import { BenchInstance } from './bench-instance.js';
import { Child } from './child.js';
import { measureCommitDelays, type Delays } from './commit-delays.js';
import { formatNumber, percentile, printProgress, type SectionResult } from './report.js';
import { registerCustomers } from './requests.js';
import { startHostileTenant } from './hostile-tenant.js';
import { hasRedis } from './servers.js';

const PER_SECOND = 50;
const SECONDS = 20;
const HANGING = 1_000;
const DEAD_LETTERS = 50_000;
/** Time until the deliveries to the hanging endpoint and the bulk redelivery use all permitted slots. */
const RAMP_UP_MS = 3_000;

interface ContendedRun {
  delays: Delays;
  /** A description of the load during the run. */
  summary: string;
}

/** Maximum first-attempt p99 alongside a hostile tenant, as a multiple of the p99 without other load. */
const HOSTILE_BOUND = 2;

/**
 * Measures the effect of a hanging endpoint, a bulk redelivery and a hostile tenant on another endpoint's first
 * attempts.
 */
export async function measureFairness(): Promise<SectionResult> {
  const queues: Queue[] = hasRedis() ? ['redis', 'postgresql'] : ['postgresql'];
  const rows: string[][] = [];
  const notes = [
    `Delays for ${PER_SECOND} logins a second over ${SECONDS} s, from PostgreSQL's commit timestamp to the request at the target.`,
    `Under load: one endpoint never responds and has ${HANGING} pending deliveries, and a bulk redelivery sends`,
    `${formatNumber(DEAD_LETTERS)} dead letters to another. All three endpoints belong to one project.`,
    'Hostile tenant: another organization, which receives as many deliveries a second. Its endpoints send the hostile',
    'responses from npm run bench -- responses.',
  ];
  const targets: SectionResult['targets'] = [];
  for (const queue of queues) {
    printProgress(`queue ${queue}`);
    const { alone, contended } = await measureQueue(queue, startOwnLoad);
    const hostile = await measureQueue(queue, startHostileLoad);
    const name = queue === 'redis' ? 'with Redis' : 'without Redis';
    rows.push(row(`${name}, alone`, alone), row(`${name}, under load`, contended.delays));
    rows.push(row(`${name}, alone`, hostile.alone), row(`${name}, hostile tenant`, hostile.contended.delays));
    notes.push(`${name}: ${contended.summary}`, `${name}: ${hostile.contended.summary}`);
    targets.push({
      name: `first attempts ${name} under load, p99`,
      value: percentile(contended.delays, 0.99),
      bound: 1_000,
      direction: 'at most',
      unit: ' ms',
      isRequired: true,
    });
    targets.push({
      name: `first attempts ${name} alongside a hostile tenant, ratio of the p99 to the p99 alone`,
      value: percentile(hostile.contended.delays, 0.99) / percentile(hostile.alone, 0.99),
      bound: HOSTILE_BOUND,
      direction: 'at most',
      unit: ' ×',
      isRequired: true,
    });
  }
  return { table: [['', 'p50 ms', 'p95 ms', 'p99 ms', 'max ms', 'events'], ...rows], notes, targets };
}

const row = (name: string, delays: Delays): string[] => [
  name,
  ...[0.5, 0.95, 0.99, 1].map((share) => formatNumber(percentile(delays, share))),
  String(delays.length),
];

/** Starts additional load. @returns a function that describes the load after the run */
type StartLoad = (instance: TestInstance, receivers: Receivers) => Promise<() => Promise<string>>;

interface Receivers {
  hanging: Child;
  bulk: Child;
  hostile: Child;
}

const startOwnLoad: StartLoad = async (instance, { hanging, bulk }) => {
  await seedDeliveries(instance, await hanging.call<string>('hang'), HANGING, 'pending');
  const failedEndpointId = await seedDeliveries(
    instance,
    await bulk.call<string>('listen'),
    DEAD_LETTERS,
    'failed',
  );
  await redeliverAll(instance, failedEndpointId);
  return async () =>
    `in the meantime, ${formatNumber(await hanging.call<number>('count'))} requests hung, and ` +
    `${formatNumber(await bulk.call<number>('count'))} requests of the bulk redelivery arrived.`;
};

const startHostileLoad: StartLoad = async (instance, { hostile }) => {
  const stop = await startHostileTenant(instance, await hostile.call<string>('listen'));
  return async () => {
    stop();
    return `in the meantime, the hostile tenant received ${formatNumber(await hostile.call<number>('count'))} requests.`;
  };
};

async function measureQueue(
  queue: Queue,
  startLoad: StartLoad,
): Promise<{ alone: Delays; contended: ContendedRun }> {
  const [receiver, load] = [new Child('receiver'), new Child('load')];
  const receivers = {
    hanging: new Child('receiver'),
    bulk: new Child('receiver'),
    hostile: new Child('response-receiver'),
  };
  const bench = await BenchInstance.start({ queue, env: { BCRYPT_COST: '4' } });
  try {
    const { instance } = bench;
    const url = await receiver.call<string>('listen');
    const emails = await registerCustomers(instance, 50);
    const paced = { receiver, load, url, emails, perSecond: PER_SECOND, seconds: SECONDS };
    bench.startWorker();
    // The first run compiles the code.
    await measureCommitDelays(instance, paced);
    await receiver.call('reset');
    const alone = await measureCommitDelays(instance, paced);
    await receiver.call('reset');
    const describeLoad = await startLoad(instance, receivers);
    await sleep(RAMP_UP_MS);
    const delays = await measureCommitDelays(instance, paced);
    return { alone, contended: { delays, summary: await describeLoad() } };
  } finally {
    const children = [receiver, load, ...Object.values(receivers)];
    await Promise.all(children.map((child) => child.stop()));
    await bench.stop();
  }
}

/** Inserts deliveries to a new endpoint, as after an outage. @returns the endpoint's id in API format */
async function seedDeliveries(
  instance: TestInstance,
  url: string,
  count: number,
  state: 'pending' | 'failed',
): Promise<string> {
  const { organizationId, projectId } = instance.credentials;
  const { id } = await instance.createEndpoint(url, ['session.revoked']);
  await instance.sql(
    `WITH inserted AS (
       INSERT INTO events (id, organization_id, project_id, type, body, created_at)
       SELECT uuidv7(), $1, $2, 'session.revoked', '{"data":{}}', now() FROM generate_series(1, $3::int) RETURNING id
     )
     INSERT INTO deliveries (id, organization_id, project_id, event_id, event_type, endpoint_id, target_url, state,
       attempt, next_attempt_at, finished_at, last_http_status, last_error)
     SELECT uuidv7(), $1, $2, inserted.id, 'session.revoked', w.id, w.url, $5,
       CASE $5 WHEN 'failed' THEN 5 ELSE 0 END, CASE $5 WHEN 'pending' THEN now() END,
       CASE $5 WHEN 'failed' THEN now() END, CASE $5 WHEN 'failed' THEN 500 END,
       CASE $5 WHEN 'failed' THEN 'http_error' END
     FROM inserted, webhook_endpoints w WHERE w.id = $4`,
    [organizationId, projectId, count, id.slice(id.indexOf('_') + 1), state],
  );
  return id;
}

async function redeliverAll(instance: TestInstance, endpointId: string): Promise<void> {
  const planned = await instance.requestWithSecretKey('POST', '/v1/webhooks/redeliveries', {
    filter: { endpoint_id: endpointId },
  });
  const started = await instance.requestWithSecretKey(
    'POST',
    `/v1/webhooks/redeliveries/${planned.body.data.id}/start`,
    {
      reason: 'benchmark',
    },
  );
  if (started.status !== 200) throw new Error(`the batch did not start: ${JSON.stringify(started.body)}`);
}
