import { setTimeout as sleep } from 'node:timers/promises';
import { openSession, registerCustomer } from '../support/customers.js';
import { entryPoints } from '../support/server-process.mjs';
import { bearerHeader, PASSWORD, type Queue, type TestInstance } from '../support/test-instance.js';
import { BenchInstance } from './bench-instance.js';
import { Child } from './child.js';
import type { Load, LoadResult } from './load.js';
import { readMemory, type ProcessMemory } from './memory.js';
import { UsageMeter, type ProcessGroups } from './process-usage.js';
import { formatNumber, median, printProgress, type SectionResult, type Target } from './report.js';
import { mapInGroups } from './requests.js';
import { hasRedis } from './servers.js';
import { startMs } from './starts.js';

const ROUNDS = 3;
const CONNECTIONS = 16;
const LOAD_SECONDS = 30;
/** Time in which a process finishes the work that its start or the load has caused. */
const SETTLE_MS = 15_000;
/** Duration of the measurement while idle. It includes every periodic job except the hourly maintenance. */
const IDLE_MS = 60_000;
const COST = 10;

/** Targets for an API process and a worker together, in MiB. */
const MAX_IDLE = 160;
const MAX_AFTER_LOAD = 220;

const programs = ['api', 'webhook-worker'] as const;
type Program = (typeof programs)[number];

/** Measurements of one process, or the sum for both processes. */
type ProcessMetrics = Record<
  'startMs' | 'cpuPerMinute' | 'wakeUpsPerSecond' | `${'idle' | 'after'}.${keyof ProcessMemory}`,
  number
>;

/** One round's measurements. */
interface Weight {
  programs: Record<Program, ProcessMetrics>;
  /** Transactions per second while idle. */
  transactionsPerSecond: number;
  /** CPU seconds of both processes per 1,000 requests, by route. */
  cpu: Record<string, number>;
}

/**
 * Measures memory, CPU time and wake-ups of an API process and a worker, with and without Redis: idle, and after
 * load on all frequently used routes.
 */
export async function measureWeight({
  seconds = LOAD_SECONDS,
}: {
  seconds?: number;
}): Promise<SectionResult> {
  const [load, receiver] = [new Child('load'), new Child('receiver')];
  const queues: Queue[] = hasRedis() ? ['postgresql', 'redis'] : ['postgresql'];
  const rounds = new Map<Queue, Weight[]>(queues.map((queue) => [queue, []]));
  try {
    const receiverUrl = await receiver.call<string>('listen');
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [queue, weights] of rounds) {
        printProgress(`round ${round + 1} of ${ROUNDS}, queue ${queue}`);
        weights.push(await weigh({ queue, load, receiverUrl, seconds }));
      }
    }
    return report(rounds, seconds);
  } finally {
    await Promise.all([load.stop(), receiver.stop()]);
  }
}

interface Options {
  queue: Queue;
  load: Child;
  receiverUrl: string;
  seconds: number;
}

async function weigh({ queue, load, receiverUrl, seconds }: Options): Promise<Weight> {
  const bench = await BenchInstance.start({ queue, env: { BCRYPT_COST: String(COST), RATE_LIMITS: 'off' } });
  try {
    const { instance } = bench;
    bench.startWorker();
    const pids = { api: bench.pids('api'), 'webhook-worker': bench.pids('worker') };
    await sleep(SETTLE_MS);
    const idle = await measureIdle(instance, pids);
    const cpu = await applyLoad(instance, { load, receiverUrl, seconds, pids });
    await sleep(SETTLE_MS);
    const after = readMemories(pids);
    const env = { ...instance.env, PORT: '0' };
    const starts = {
      api: await startMs(entryPoints.api, env),
      'webhook-worker': await startMs(entryPoints.worker, env),
    };
    return {
      programs: mapPrograms((program) => ({
        startMs: starts[program],
        ...idle.usage[program],
        ...prefixKeys('idle', idle.memory[program]),
        ...prefixKeys('after', after[program]),
      })),
      transactionsPerSecond: idle.transactionsPerSecond,
      cpu,
    };
  } finally {
    await bench.stop();
  }
}

async function measureIdle(instance: TestInstance, pids: ProcessGroups<Program>) {
  const memory = readMemories(pids);
  const meter = new UsageMeter(pids);
  const transactions = await countTransactions(instance);
  await sleep(IDLE_MS);
  const usage = meter.measure();
  return {
    memory,
    usage: mapPrograms((program) => ({
      cpuPerMinute: (usage[program].cpuSeconds / IDLE_MS) * 60_000,
      wakeUpsPerSecond: (usage[program].wakeUps / IDLE_MS) * 1_000,
    })),
    transactionsPerSecond: (((await countTransactions(instance)) - transactions) / IDLE_MS) * 1_000,
  };
}

const readMemories = (pids: ProcessGroups<Program>): Record<Program, ProcessMemory> =>
  mapPrograms((program) => readMemory(pids[program][0]!));

/** Returns the number of transactions that PostgreSQL has committed for an instance. */
async function countTransactions(instance: TestInstance): Promise<number> {
  const [row] = await instance.sql<{ count: number }>(
    'SELECT xact_commit::float8 AS count FROM pg_stat_database WHERE datname = current_database()',
  );
  return row!.count;
}

interface LoadOptions {
  load: Child;
  receiverUrl: string;
  seconds: number;
  pids: ProcessGroups<Program>;
}

/** Sends requests to one route after the other. @returns CPU seconds per 1,000 requests, by route */
async function applyLoad(
  instance: TestInstance,
  { load, receiverUrl, seconds, pids }: LoadOptions,
): Promise<Record<string, number>> {
  await instance.createEndpoint(receiverUrl);
  const customers = await mapInGroups(Array.from({ length: 2 * CONNECTIONS }), () =>
    registerCustomer(instance),
  );
  const emails = customers.map(({ email }) => email);
  const sessions = await mapInGroups(emails.slice(0, CONNECTIONS), (email) => openSession(instance, email));
  const withKey = { 'x-publishable-key': instance.credentials.publishableKey };
  const auth = `${instance.baseUrl}/api/v1/auth`;
  const loads: Record<string, Pick<Load, 'url' | 'headers' | 'bodies'>> = {
    'GET /me': { url: `${instance.baseUrl}/api/v1/me`, headers: bearerHeader(sessions[0]!.accessToken) },
    'POST refresh': {
      url: `${auth}/refresh`,
      bodies: { kind: 'refresh', tokens: sessions.map(({ refreshToken }) => refreshToken) },
    },
    'POST login': {
      url: `${auth}/login`,
      headers: withKey,
      bodies: { kind: 'login', password: PASSWORD, emails },
    },
    'POST register': {
      url: `${auth}/register`,
      headers: withKey,
      bodies: { kind: 'register', password: PASSWORD },
    },
    'PATCH customer': {
      url: `${instance.baseUrl}/api/v1/customers`,
      headers: bearerHeader(instance.credentials.secretKey),
      bodies: { kind: 'update', ids: customers.map(({ id }) => id) },
    },
    'POST event': {
      url: `${instance.baseUrl}/v1/events`,
      headers: bearerHeader(instance.credentials.secretKey),
      bodies: { kind: 'event' },
    },
  };
  const cpu: Record<string, number> = {};
  const secondsEach = seconds / Object.keys(loads).length;
  for (const [route, input] of Object.entries(loads)) {
    const meter = new UsageMeter(pids);
    const result = await load.call<LoadResult>('measure', {
      ...input,
      connections: CONNECTIONS,
      seconds: secondsEach,
    });
    const usage = meter.measure();
    const cpuSeconds = usage.api.cpuSeconds + usage['webhook-worker'].cpuSeconds;
    cpu[route] = (cpuSeconds / (result.perSecond * secondsEach)) * 1_000;
  }
  return cpu;
}

const mapPrograms = <T>(map: (program: Program) => T): Record<Program, T> => ({
  api: map('api'),
  'webhook-worker': map('webhook-worker'),
});

const prefixKeys = <Prefix extends 'idle' | 'after'>(prefix: Prefix, memory: ProcessMemory) =>
  Object.fromEntries(Object.entries(memory).map(([name, value]) => [`${prefix}.${name}`, value])) as Record<
    `${Prefix}.${keyof ProcessMemory}`,
    number
  >;

const columns: [name: keyof ProcessMetrics, title: string][] = [
  ['startMs', 'start ms'],
  ['cpuPerMinute', 'CPU s/min'],
  ['wakeUpsPerSecond', 'wake-ups/s'],
  ['idle.resident', 'idle RSS'],
  ['idle.proportional', 'PSS'],
  ['idle.privateDirty', 'own'],
  ['after.resident', 'after load RSS'],
  ['after.proportional', 'PSS'],
  ['after.privateDirty', 'own'],
  ['after.peak', 'peak RSS'],
];

function report(rounds: Map<Queue, Weight[]>, seconds: number): SectionResult {
  const table = [['', ...columns.map(([, title]) => title), 'transactions/s']];
  const notes = [
    `Medians of ${ROUNDS} rounds. Memory is in MiB, and "own" is private and dirty memory. Idle: ${IDLE_MS / 1_000} s, from ${SETTLE_MS / 1_000} s after the start.`,
    `After load: ${SETTLE_MS / 1_000} s after ${seconds} s of requests over ${CONNECTIONS} connections, divided equally among the routes below.`,
  ];
  const targets: Target[] = [];
  for (const [queue, weights] of rounds) {
    const suffix = queue === 'redis' ? ', with Redis' : '';
    const sumMedian = (name: keyof ProcessMetrics, ...summed: Program[]): number =>
      median(
        weights.map((weight) => summed.reduce((sum, program) => sum + weight.programs[program][name], 0)),
      );
    for (const program of programs)
      table.push([`${program}${suffix}`, ...columns.map(([name]) => formatNumber(sumMedian(name, program)))]);
    table.push([
      `both${suffix}`,
      ...columns.map(([name]) => formatNumber(sumMedian(name, ...programs))),
      formatNumber(median(weights.map(({ transactionsPerSecond }) => transactionsPerSecond))),
    ]);
    const cpu = Object.keys(weights[0]!.cpu).map(
      (route) => `${route} ${formatNumber(median(weights.map((weight) => weight.cpu[route]!)))}`,
    );
    notes.push(`CPU seconds of both processes per 1,000 requests${suffix}: ${cpu.join(', ')}.`);
    const target = (name: string, value: number, bound: number): Target => ({
      ...{ name: `${name}${suffix}`, value, bound, direction: 'at most', unit: ' MiB' },
    });
    targets.push(
      target('RSS of both processes when idle', sumMedian('idle.resident', ...programs), MAX_IDLE),
      target('RSS of both processes after load', sumMedian('after.resident', ...programs), MAX_AFTER_LOAD),
    );
  }
  return { table, notes, targets };
}
