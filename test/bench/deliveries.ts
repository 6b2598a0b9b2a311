import type { DeliveryPointer } from '@gatehouse/platform';
import { createDeliveryQueue } from '../support/delivery-queue.js';
import { eventually } from '../support/eventually.js';
import type { Queue, TestInstance } from '../support/test-instance.js';
import { BenchInstance } from './bench-instance.js';
import { Child } from './child.js';
import {
  formatNumber,
  formatRatio,
  median,
  printProgress,
  type SectionResult,
  type Target,
} from './report.js';
import { hasRedis } from './servers.js';

const ROUNDS = 3;
const BACKLOG = 5_000;
/** Deliveries per worker that are not counted: they include startup, compilation and first connections. */
const WARM_UP = 1_500;
const ENDPOINTS = 10;
/** Concurrency of the bare loop and the worker. It is the worker's default. */
const CONCURRENCY = 256;
const ENQUEUE_BATCH = 200;
const DRAIN_PROBES = 2_400;

type Rates = Record<Queue | 'bare' | 'twoWorkers', number[]>;

/**
 * Measures deliveries per second from a backlog to a fast receiver, compared with a bare loop that uses BullMQ and
 * axios.
 */
export async function measureDeliveries(): Promise<SectionResult> {
  const receiver = new Child('receiver');
  const queues: Queue[] = hasRedis() ? ['redis', 'postgresql'] : ['postgresql'];
  const rates: Rates = { redis: [], postgresql: [], bare: [], twoWorkers: [] };
  try {
    const url = await receiver.call<string>('listen');
    const env = { WEBHOOK_CONCURRENCY: String(CONCURRENCY) };
    const instances = new Map<Queue, BenchInstance>();
    for (const queue of queues) instances.set(queue, await BenchInstance.start({ queue, env }));
    const body = await readSampleBody(instances.get('postgresql')!.instance);
    for (let round = 0; round < ROUNDS; round += 1) {
      printProgress(`round ${round + 1} of ${ROUNDS}`);
      if (hasRedis()) rates.bare.push(await measureBareRate(url, body));
      const drain = (bench: BenchInstance, workers: number): Promise<number> =>
        measureDrainRate(bench, { receiver, url, body, workers });
      for (const [queue, bench] of instances) rates[queue].push(await drain(bench, 1));
      rates.twoWorkers.push(await drain(instances.get(queues[0]!)!, 2));
    }
    await Promise.all([...instances.values()].map((bench) => bench.stop()));
    return report(rates, body.length);
  } finally {
    await receiver.stop();
  }
}

/** Returns a real event's body, which is used for the whole backlog. */
export async function readSampleBody(instance: TestInstance): Promise<string> {
  await instance.register();
  const [row] = await instance.sql<{ body: string }>(
    `SELECT body FROM events WHERE type = 'customer.created'`,
  );
  return row!.body;
}

async function measureBareRate(url: string, body: string): Promise<number> {
  const loop = new Child('bare-loop');
  try {
    const redisUrl = process.env['TEST_REDIS_URL']!;
    return await loop.call<number>('drain', {
      redisUrl,
      url,
      body,
      concurrency: CONCURRENCY,
      total: BACKLOG,
      warmUp: WARM_UP,
    });
  } finally {
    await loop.stop();
  }
}

interface Backlog {
  receiver: Child;
  url: string;
  body: string;
  workers: number;
}

/** Fills the backlog while no worker runs, starts the workers and counts the recorded attempts. */
async function measureDrainRate(
  bench: BenchInstance,
  { receiver, url, body, workers }: Backlog,
): Promise<number> {
  const { instance } = bench;
  await receiver.call('reset');
  const endpointIds: string[] = [];
  while (endpointIds.length < ENDPOINTS) {
    const { id } = await instance.createEndpoint(url, ['session.revoked']);
    endpointIds.push(id.slice(id.indexOf('_') + 1));
  }
  const warmUp = workers * WARM_UP;
  const backlog = BACKLOG - WARM_UP + warmUp;
  await fillBacklog(instance, { endpointIds, body, count: backlog });
  const stopFunctions = Array.from({ length: workers }, () => bench.startWorker());
  await eventually(
    'the backlog to be drained',
    async () => (await receiver.call<number>('count')) >= backlog,
    DRAIN_PROBES,
  );
  await eventually(
    'every attempt in the log',
    async () => (await countLoggedAttempts(instance, endpointIds)) === backlog,
  );
  await Promise.all(stopFunctions.map((stop) => stop()));
  const [row] = await instance.sql<{ seconds: number }>(
    `SELECT extract(epoch FROM max(closed_at) - min(closed_at))::float8 AS seconds FROM (
       SELECT closed_at, row_number() OVER (ORDER BY closed_at) AS nth FROM attempts
       WHERE endpoint_id = ANY ($1) AND success
     ) a WHERE nth >= $2`,
    [endpointIds, warmUp],
  );
  await instance.sql(`UPDATE webhook_endpoints SET status = 'deleted' WHERE id = ANY ($1)`, [endpointIds]);
  return (BACKLOG - WARM_UP) / row!.seconds;
}

/** Inserts due deliveries to the endpoints in turn, and enqueues them as the api does after a commit. */
export async function fillBacklog(
  instance: TestInstance,
  { endpointIds, body, count }: { endpointIds: string[]; body: string; count: number },
): Promise<void> {
  const rows = await instance.sql<DeliveryPointer>(
    `WITH due AS MATERIALIZED (
       SELECT uuidv7() AS event_id, w.id AS endpoint_id, w.url, w.organization_id, w.project_id
       FROM generate_series(1, $2::int) nth
         JOIN webhook_endpoints w ON w.id = ($3::uuid[])[nth % cardinality($3::uuid[]) + 1]
     ), inserted AS (
       INSERT INTO events (id, organization_id, project_id, type, body, created_at)
       SELECT event_id, organization_id, project_id, 'customer.created', $1, now() FROM due
     )
     INSERT INTO deliveries (id, organization_id, project_id, event_id, event_type, endpoint_id, target_url, next_attempt_at)
     SELECT uuidv7(), organization_id, project_id, event_id, 'customer.created', endpoint_id, url, now() FROM due
     RETURNING id AS "deliveryId", endpoint_id AS "endpointId", project_id AS "projectId"`,
    [body, count, endpointIds],
  );
  if (instance.env['REDIS_URL']) await enqueue(instance.env['REDIS_URL'], rows);
}

/** Enqueues deliveries in bulk, as the api does after a commit. */
async function enqueue(redisUrl: string, deliveries: DeliveryPointer[]): Promise<void> {
  const { queue } = await createDeliveryQueue(redisUrl);
  try {
    await eventually('a connection to Redis', () => queue.isReady());
    for (let first = 0; first < deliveries.length; first += ENQUEUE_BATCH) {
      const batch = deliveries.slice(first, first + ENQUEUE_BATCH);
      await queue.add(batch.map((delivery) => ({ ...delivery, attempt: 1, delayMs: 0 })));
    }
  } finally {
    await queue.close();
  }
}

async function countLoggedAttempts(instance: TestInstance, endpointIds: string[]): Promise<number> {
  const [row] = await instance.sql<{ count: number }>(
    'SELECT count(*)::int AS count FROM attempts WHERE endpoint_id = ANY ($1) AND success',
    [endpointIds],
  );
  return row!.count;
}

function report(rates: Rates, bodyLength: number): SectionResult {
  const toBare = (values: number[]): number => ratio(values, rates.bare);
  const hasBare = rates.bare.length > 0;
  const measured = [
    { name: 'bare BullMQ + axios', values: rates.bare },
    { name: 'deliveries with Redis', values: rates.redis },
    { name: 'deliveries without Redis', values: rates.postgresql },
    { name: `two workers, ${hasBare ? 'with' : 'without'} Redis`, values: rates.twoWorkers },
  ].filter(({ values }) => values.length > 0);
  const notes = [
    `Each run drains a backlog of ${BACKLOG} deliveries to ${ENDPOINTS} endpoints, ${CONCURRENCY} at a time. The first ${WARM_UP} do not count.`,
    `A body has ${bodyLength} bytes.`,
    'Deliveries are counted in the log, which contains one attempt for each.',
  ];
  if (!hasBare)
    notes.push('No redis-server was found: neither the bare loop nor the Redis queue was measured.');
  return {
    table: [
      ['', 'per second', 'rounds', 'to bare loop'],
      ...measured.map(({ name, values }) => [
        name,
        formatNumber(median(values)),
        values.map(formatNumber).join(', '),
        hasBare ? formatRatio(toBare(values)) : '',
      ]),
    ],
    notes,
    targets: [
      ...measured
        .filter(({ values }) => hasBare && [rates.redis, rates.postgresql].includes(values))
        .map(({ name, values }) => target(`${name}, ratio to the bare loop`, toBare(values), 0.6)),
      target(
        'ratio of two workers to one',
        ratio(rates.twoWorkers, hasBare ? rates.redis : rates.postgresql),
        1,
      ),
    ],
  };
}

/** Returns the median ratio. A machine's speed varies, so each ratio compares rates from the same round. */
const ratio = (values: number[], comparison: number[]): number =>
  median(values.map((rate, round) => rate / comparison[round]!));

const target = (name: string, value: number, bound: number): Target => ({
  name,
  value,
  bound,
  direction: 'at least',
  unit: '',
  isRequired: true,
});
