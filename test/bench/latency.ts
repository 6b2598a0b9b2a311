import { eventually } from '../support/eventually.js';
import { PASSWORD, type Carrier } from '../support/house.js';
import { BenchHouse } from './bench-house.js';
import { Child } from './children.js';
import type { PacedResult } from './load.js';
import { formatNumber, percentile, printProgress, type SectionResult } from './report.js';
import { registerCustomers } from './requests.js';
import { hasRedis } from './servers.js';

const PER_SECOND = 100;
const SECONDS = 20;
const BARE_SECONDS = 10;
/** The first ones are not counted: compilation and first connections. */
const WARM_UP_MS = 2_000;
const CONCURRENCY = 100;

/** Milliseconds from a commit to the first request at the target. */
type Delays = number[];

/** How long after its commit an event reaches the target at a steady rate. */
export async function measureLatency(): Promise<SectionResult> {
  const receiver = new Child('receiver');
  const load = new Child('load');
  try {
    const url = await receiver.ask<string>('listen');
    const measured: [string, Delays][] = [];
    if (hasRedis()) {
      measured.push(['bare BullMQ + axios', await bareDelays(receiver, url)]);
      measured.push(['with Redis', await houseDelays('redis', receiver, load, url)]);
    }
    measured.push(['without Redis', await houseDelays('postgresql', receiver, load, url)]);
    return report(measured);
  } finally {
    await Promise.all([receiver.stop(), load.stop()]);
  }
}

async function bareDelays(receiver: Child, url: string): Promise<Delays> {
  const loop = new Child('bare-loop');
  try {
    await receiver.ask('reset');
    const added = await loop.ask<[string, number][]>('pace', {
      redisUrl: process.env['TEST_REDIS_URL']!,
      url,
      body: JSON.stringify({ text: 'x'.repeat(700) }),
      concurrency: CONCURRENCY,
      perSecond: PER_SECOND,
      seconds: BARE_SECONDS,
    });
    return delays(added, await arrivals(receiver));
  } finally {
    await loop.stop();
  }
}

/** Logins with cheap hashes make the events: the endpoint hears one of the two types that each login emits. */
async function houseDelays(carrier: Carrier, receiver: Child, load: Child, url: string): Promise<Delays> {
  printProgress(`carrier ${carrier}`);
  const env = { BCRYPT_COST: '4', WEBHOOK_CONCURRENCY: String(CONCURRENCY) };
  const bench = await BenchHouse.start({ carrier, env });
  try {
    const { house } = bench;
    bench.startWorker();
    await receiver.ask('reset');
    const emails = await registerCustomers(house, 50);
    await house.createEndpoint(url, ['login.succeeded']);
    const answers = await load.ask<PacedResult>('pace', {
      url: `${house.baseUrl}/api/v1/auth/login`,
      headers: { 'x-publishable-key': house.credentials.publishableKey },
      bodies: emails.map((email) => JSON.stringify({ email, password: PASSWORD })),
      perSecond: PER_SECOND,
      seconds: SECONDS,
    });
    // On a machine that is busy otherwise the api refuses some: the measured rate is lower by as much.
    const { 200: accepted = 0, ...refused } = answers;
    if (Object.keys(refused).length > 0) printProgress(`refused, by status: ${JSON.stringify(refused)}`);
    const count = (): Promise<number> => receiver.ask<number>('count');
    await eventually('every event at the target', async () => (await count()) >= accepted, 20_000);
    const commits = await house.sql<{ id: string; at: number }>(
      `SELECT 'evt_' || id AS id, (extract(epoch FROM pg_xact_commit_timestamp(xmin)) * 1000)::float8 AS at
       FROM events WHERE type = 'login.succeeded'`,
    );
    return delays(
      commits.map(({ id, at }) => [id, at]),
      await arrivals(receiver),
    );
  } finally {
    await bench.stop();
  }
}

const arrivals = async (receiver: Child): Promise<Map<string, number>> =>
  new Map(await receiver.ask<[string, number][]>('arrivals'));

function delays(starts: [string, number][], ends: Map<string, number>): Delays {
  const warmUntil = Math.min(...starts.map(([, at]) => at)) + WARM_UP_MS;
  return starts.filter(([, at]) => at >= warmUntil).map(([id, at]) => ends.get(id)! - at);
}

function report(measured: [string, Delays][]): SectionResult {
  const shares = [0.5, 0.95, 0.99, 1];
  const row = ([name, values]: [string, Delays]): string[] => [
    name,
    ...shares.map((share) => formatNumber(percentile(values, share))),
    String(values.length),
  ];
  return {
    table: [['', 'p50 ms', 'p95 ms', 'p99 ms', 'max ms', 'events'], ...measured.map(row)],
    notes: [
      `${PER_SECOND} logins a second, from PostgreSQL's commit timestamp to the request at the target;`,
      'of the bare loop from the answer of Redis, which can come after the request has.',
    ],
    targets: measured
      .filter(([name]) => !name.startsWith('bare'))
      .map(([name, values]) => ({
        name: `commit to first attempt ${name}, p95`,
        value: percentile(values, 0.95),
        bound: 100,
        direction: 'at most',
        unit: ' ms',
      })),
  };
}
