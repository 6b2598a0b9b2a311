import type { Queue } from '../support/test-instance.js';
import { BenchInstance } from './bench-instance.js';
import { Child } from './child.js';
import { readArrivals, measureCommitDelays, computeDelays, type Delays } from './commit-delays.js';
import { formatNumber, percentile, printProgress, type SectionResult } from './report.js';
import { registerCustomers } from './requests.js';
import { hasRedis } from './servers.js';

const PER_SECOND = 200;
const SECONDS = 20;
const BARE_SECONDS = 10;
const CONCURRENCY = 256;

/** Measures the delay from an event's commit to its arrival at the receiver, at a steady rate. */
export async function measureLatency(): Promise<SectionResult> {
  const receiver = new Child('receiver');
  const load = new Child('load');
  try {
    const url = await receiver.call<string>('listen');
    const measured: [string, Delays][] = [];
    if (hasRedis()) {
      measured.push(['bare BullMQ + axios', await measureBareLoop(receiver, url)]);
      measured.push(['with Redis', await measureGatehouse('redis', receiver, load, url)]);
    }
    measured.push(['without Redis', await measureGatehouse('postgresql', receiver, load, url)]);
    return report(measured);
  } finally {
    await Promise.all([receiver.stop(), load.stop()]);
  }
}

async function measureBareLoop(receiver: Child, url: string): Promise<Delays> {
  const loop = new Child('bare-loop');
  try {
    await receiver.call('reset');
    const added = await loop.call<[string, number][]>('pace', {
      redisUrl: process.env['TEST_REDIS_URL']!,
      url,
      body: JSON.stringify({ text: 'x'.repeat(700) }),
      concurrency: CONCURRENCY,
      perSecond: PER_SECOND,
      seconds: BARE_SECONDS,
    });
    return computeDelays(added, await readArrivals(receiver));
  } finally {
    await loop.stop();
  }
}

/**
 * Measures the delivery delays of login events. Password hashes are cheap, so that hashing does not limit the rate.
 */
async function measureGatehouse(queue: Queue, receiver: Child, load: Child, url: string): Promise<Delays> {
  printProgress(`queue ${queue}`);
  const env = { BCRYPT_COST: '4', WEBHOOK_CONCURRENCY: String(CONCURRENCY) };
  const bench = await BenchInstance.start({ queue, env });
  try {
    const { instance } = bench;
    bench.startWorker();
    await receiver.call('reset');
    const emails = await registerCustomers(instance, 50);
    const paced = { receiver, load, url, emails, perSecond: PER_SECOND, seconds: SECONDS };
    return await measureCommitDelays(instance, paced);
  } finally {
    await bench.stop();
  }
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
      `${PER_SECOND} logins a second. Delays begin at PostgreSQL's commit timestamp and end at the request at the target;`,
      'for the bare loop, they begin at the response from Redis, which can arrive after the request.',
    ],
    targets: measured
      .filter(([name]) => !name.startsWith('bare'))
      .map(([name, values]) => ({
        name: `commit to first attempt ${name}, p95`,
        value: percentile(values, 0.95),
        bound: 60,
        direction: 'at most',
        unit: ' ms',
        isRequired: true,
      })),
  };
}
