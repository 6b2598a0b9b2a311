import { createLogger, DeliveryQueue } from '#platform';
import { eventually } from '../support/eventually.js';
import type { Carrier, House } from '../support/house.js';
import { BenchHouse } from './bench-house.js';
import { Child } from './children.js';
import { formatNumber, formatRatio, median, printProgress, type SectionResult } from './report.js';
import { hasRedis } from './servers.js';

const ROUNDS = 3;
const BACKLOG = 5_000;
/** The first ones are not counted: boot, compilation, first connections. */
const WARM_UP = 1_500;
const CONCURRENCY = 100;
const ADD_AT_ONCE = 200;
const DRAIN_MS = 60_000;

/** Deliveries a second from a backlog to a fast target, beside a bare loop of BullMQ and axios. */
export async function measureDeliveries(): Promise<SectionResult> {
  const receiver = new Child('receiver');
  const carriers: Carrier[] = hasRedis() ? ['redis', 'postgresql'] : ['postgresql'];
  const rates: Record<Carrier | 'bare', number[]> = { redis: [], postgresql: [], bare: [] };
  try {
    const url = await receiver.ask<string>('listen');
    const env = { WEBHOOK_CONCURRENCY: String(CONCURRENCY) };
    const houses = new Map<Carrier, BenchHouse>();
    for (const carrier of carriers) houses.set(carrier, await BenchHouse.start({ carrier, env }));
    const body = await sampleBody(houses.get('postgresql')!.house);
    for (let round = 0; round < ROUNDS; round += 1) {
      printProgress(`round ${round + 1} of ${ROUNDS}`);
      if (hasRedis()) rates.bare.push(await bareRate(url, body));
      for (const [carrier, bench] of houses) rates[carrier].push(await drainRate(bench, receiver, url, body));
    }
    await Promise.all([...houses.values()].map((bench) => bench.stop()));
    return report(rates, body.length);
  } finally {
    await receiver.stop();
  }
}

/** The body of a real event, for all of the backlog. */
async function sampleBody(house: House): Promise<string> {
  await house.register();
  const [row] = await house.sql<{ body: string }>(`SELECT body FROM events WHERE type = 'customer.created'`);
  return row!.body;
}

async function bareRate(url: string, body: string): Promise<number> {
  const loop = new Child('bare-loop');
  try {
    const redisUrl = process.env['TEST_REDIS_URL']!;
    return await loop.ask<number>('drain', {
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

/** Fills the backlog while no worker runs, starts one, and counts the attempts that it has written. */
async function drainRate(bench: BenchHouse, receiver: Child, url: string, body: string): Promise<number> {
  const { house } = bench;
  await receiver.ask('reset');
  const { id } = await house.createEndpoint(url, ['session.revoked']);
  const endpointId = id.slice(id.indexOf('_') + 1);
  await fillBacklog(house, endpointId, body);
  const stopWorker = bench.startWorker();
  await eventually(
    'the backlog being drained',
    async () => (await receiver.ask<number>('count')) >= BACKLOG,
    DRAIN_MS,
  );
  await eventually(
    'every attempt being in the log',
    async () => (await loggedAttempts(house, endpointId)) === BACKLOG,
  );
  await stopWorker();
  const [row] = await house.sql<{ seconds: number }>(
    `SELECT extract(epoch FROM max(closed_at) - min(closed_at))::float8 AS seconds FROM (
       SELECT closed_at, row_number() OVER (ORDER BY closed_at) AS place FROM attempts WHERE endpoint_id = $1 AND success
     ) a WHERE place >= $2`,
    [endpointId, WARM_UP],
  );
  return (BACKLOG - WARM_UP) / row!.seconds;
}

async function fillBacklog(house: House, endpointId: string, body: string): Promise<void> {
  const { organizationId, projectId } = house.credentials;
  const rows = await house.sql<{ id: string }>(
    `WITH made AS (
       INSERT INTO events (id, organization_id, project_id, type, body, created_at)
       SELECT uuidv7(), $1, $2, 'customer.created', $3, now() FROM generate_series(1, $4::int) RETURNING id
     )
     INSERT INTO deliveries (id, organization_id, project_id, event_id, event_type, endpoint_id, target_url, next_attempt_at)
     SELECT uuidv7(), $1, $2, made.id, 'customer.created', w.id, w.url, now()
     FROM made, webhook_endpoints w WHERE w.id = $5 RETURNING id`,
    [organizationId, projectId, body, BACKLOG, endpointId],
  );
  if (house.env['REDIS_URL'])
    await enqueue(
      house.env['REDIS_URL'],
      rows.map(({ id }) => id),
    );
}

/** As the api does after a commit, in bulk. */
async function enqueue(redisUrl: string, deliveryIds: string[]): Promise<void> {
  const queue = new DeliveryQueue(redisUrl, createLogger({ logLevel: 'silent' }, 'bench'));
  try {
    await eventually('a connection to Redis', () => queue.ready());
    for (let first = 0; first < deliveryIds.length; first += ADD_AT_ONCE) {
      const ids = deliveryIds.slice(first, first + ADD_AT_ONCE);
      await queue.add(ids.map((deliveryId) => ({ deliveryId, attempt: 1, delayMs: 0 })));
    }
  } finally {
    await queue.close();
  }
}

async function loggedAttempts(house: House, endpointId: string): Promise<number> {
  const [row] = await house.sql<{ count: number }>(
    'SELECT count(*)::int AS count FROM attempts WHERE endpoint_id = $1 AND success',
    [endpointId],
  );
  return row!.count;
}

function report(rates: Record<Carrier | 'bare', number[]>, bodyLength: number): SectionResult {
  const toBare = (values: number[]): number => median(values.map((rate, round) => rate / rates.bare[round]!));
  const hasBare = rates.bare.length > 0;
  const measured = [
    { name: 'bare BullMQ + axios', values: rates.bare },
    { name: 'deliveries with Redis', values: rates.redis },
    { name: 'deliveries without Redis', values: rates.postgresql },
  ].filter(({ values }) => values.length > 0);
  const notes = [
    `${BACKLOG - WARM_UP} of a backlog of ${BACKLOG}, body of ${bodyLength} bytes, ${CONCURRENCY} at a time, one worker.`,
    'Counted by the attempts in the log, which every delivery entered.',
  ];
  if (!hasBare)
    notes.push('No redis-server was found: neither the bare loop nor the carrier Redis was measured.');
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
    targets: measured
      .filter(({ values }) => hasBare && values !== rates.bare)
      .map(({ name, values }) => ({
        name: `${name}, to the bare loop`,
        value: toBare(values),
        bound: 0.5,
        direction: 'at least',
        unit: '',
      })),
  };
}
