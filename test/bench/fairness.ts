import { setTimeout as sleep } from 'node:timers/promises';
import type { Queue, TestInstance } from '../support/test-instance.js';
import { BenchInstance } from './bench-instance.js';
import { Child } from './child.js';
import { measureCommitDelays, type Delays } from './commit-delays.js';
import { formatNumber, percentile, printProgress, type SectionResult } from './report.js';
import { registerCustomers } from './requests.js';
import { hasRedis } from './servers.js';

const PER_SECOND = 50;
const SECONDS = 20;
const HANGING = 1_000;
const DEAD_LETTERS = 50_000;
/** Time until the hanging and the bulk deliveries use all the slots that they may use. */
const RAMP_UP_MS = 3_000;

interface ContendedRun {
  delays: Delays;
  /** The load during the run. */
  summary: string;
}

/** Measures how a hanging endpoint and a bulk redelivery affect the first attempts of another endpoint. */
export async function measureFairness(): Promise<SectionResult> {
  const queues: Queue[] = hasRedis() ? ['redis', 'postgresql'] : ['postgresql'];
  const rows: string[][] = [];
  const notes = [
    `${PER_SECOND} logins a second for ${SECONDS} s, from PostgreSQL's commit timestamp to the request at the target,`,
    `without other load, and alongside an endpoint that never responds, with ${HANGING} deliveries pending, and a bulk redelivery of`,
    `${formatNumber(DEAD_LETTERS)} dead letters of a third endpoint. All three endpoints belong to one project.`,
  ];
  const targets: SectionResult['targets'] = [];
  for (const queue of queues) {
    printProgress(`queue ${queue}`);
    const { alone, contended } = await measureQueue(queue);
    const name = queue === 'redis' ? 'with Redis' : 'without Redis';
    rows.push(row(`${name}, alone`, alone), row(`${name}, under load`, contended.delays));
    notes.push(`${name}: ${contended.summary}`);
    targets.push({
      name: `first attempts ${name} under load, p99`,
      value: percentile(contended.delays, 0.99),
      bound: 1_000,
      direction: 'at most',
      unit: ' ms',
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

async function measureQueue(queue: Queue): Promise<{ alone: Delays; contended: ContendedRun }> {
  const [receiver, hanging, bulk, load] = [
    new Child('receiver'),
    new Child('receiver'),
    new Child('receiver'),
    new Child('load'),
  ];
  const bench = await BenchInstance.start({ queue, env: { BCRYPT_COST: '4' } });
  try {
    const { instance } = bench;
    const url = await receiver.call<string>('listen');
    const emails = await registerCustomers(instance, 50);
    const paced = { receiver, load, url, emails, perSecond: PER_SECOND, seconds: SECONDS };
    bench.startWorker();
    const alone = await measureCommitDelays(instance, paced);
    await receiver.call('reset');
    await seedDeliveries(instance, await hanging.call<string>('hang'), HANGING, 'pending');
    const failedEndpointId = await seedDeliveries(
      instance,
      await bulk.call<string>('listen'),
      DEAD_LETTERS,
      'failed',
    );
    await redeliverAll(instance, failedEndpointId);
    await sleep(RAMP_UP_MS);
    const delays = await measureCommitDelays(instance, paced);
    const summary =
      `meanwhile ${formatNumber(await hanging.call<number>('count'))} requests hung and ` +
      `${formatNumber(await bulk.call<number>('count'))} of the batch had arrived.`;
    return { alone, contended: { delays, summary } };
  } finally {
    await Promise.all([receiver, hanging, bulk, load].map((child) => child.stop()));
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
