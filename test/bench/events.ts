import type { Queue } from '../support/test-instance.js';
import { Child } from './child.js';
import { EventsBench, PUBLISHERS, type Measurement, type Targets } from './events-bench.js';
import { EventResults } from './events-report.js';
import type { Publication } from './publishers.js';
import { printProgress, type SectionResult } from './report.js';
import { hasRedis } from './servers.js';

const ROUNDS = 3;
const EVENTS = 6_000;
const WARM_UP = 1_500;
const FAN_OUT = 10;
const PROJECTS = 100;
const STEADY_PER_SECOND = 100;
const STEADY_SECONDS = 20;
const BACKLOG = 20_000;
const BARE_SECONDS = 2;
const BARE_CONNECTIONS = 10;
const BODY_BYTES = 700;

/** Parts of the section that `--only` can select. */
export const eventParts = [
  'patch',
  'custom',
  'steady',
  'steady-custom',
  'hundred',
  'fan-out',
  'backlog',
  'statements',
] as const;
export type EventPart = (typeof eventParts)[number];

export interface EventOptions {
  /** Steady load duration. */
  seconds?: number;
  /** Number of events in each closed loop. */
  samples?: number;
  rounds?: number;
  /** Default: all parts. */
  only?: EventPart[];
  /** Default: without Redis and, if it is installed, with Redis. */
  queues?: Queue[];
}

interface Case {
  name: string;
  part: EventPart;
  publication?: Publication;
  projects?: number;
  fanOut?: number;
  /** True to list this case's statements in a run with all parts. */
  isTracked?: true;
  run: (bench: EventsBench, targets: Targets, sizes: Sizes) => Promise<Measurement>;
}

interface Sizes {
  events: number;
  seconds: number;
}

const publishAll: Case['run'] = (bench, targets, { events }) => bench.publishAll(targets, events);
const publishSteadily: Case['run'] = (bench, targets, { seconds }) =>
  bench.publishSteadily(targets, STEADY_PER_SECOND, seconds);
const drain =
  (workers: number): Case['run'] =>
  (bench, targets) =>
    bench.drainBacklog(targets, workers, BACKLOG);

const cases: Case[] = [
  { name: 'PATCH', part: 'patch', isTracked: true, run: publishAll },
  { name: 'custom', part: 'custom', publication: 'custom', isTracked: true, run: publishAll },
  { name: `PATCH, ${STEADY_PER_SECOND}/s`, part: 'steady', isTracked: true, run: publishSteadily },
  {
    name: `custom, ${STEADY_PER_SECOND}/s`,
    part: 'steady-custom',
    publication: 'custom',
    run: publishSteadily,
  },
  { name: `PATCH, ${PROJECTS} endpoints`, part: 'hundred', projects: PROJECTS, run: publishAll },
  {
    name: `PATCH, fan-out of ${FAN_OUT}`,
    part: 'fan-out',
    fanOut: FAN_OUT,
    run: (bench, targets, { events }) => bench.publishAll(targets, Math.ceil(events / FAN_OUT)),
  },
  { name: 'backlog, 1 worker', part: 'backlog', isTracked: true, run: drain(1) },
  { name: 'backlog, 3 workers', part: 'backlog', run: drain(3) },
  { name: `backlog, ${PROJECTS} endpoints`, part: 'backlog', projects: PROJECTS, run: drain(1) },
];

/**
 * Measures an event's path from the request to the recorded delivery: the rate, the delay, and the CPU time of each
 * process.
 */
export async function measureEvents(options: EventOptions): Promise<SectionResult> {
  const { rounds = ROUNDS, only = eventParts, queues = availableQueues() } = options;
  if (queues.includes('redis') && !hasRedis()) throw new Error('--with-redis requires a redis-server');
  const sizes = { events: options.samples ?? EVENTS, seconds: options.seconds ?? STEADY_SECONDS };
  const selected = cases.filter(({ part }) => only.includes(part));
  const isAll = selected.length === 0 || options.only === undefined;
  const trackedCases = isAll ? cases.filter(({ isTracked }) => isTracked) : selected;
  const results = new EventResults();
  for (let round = 1; selected.length > 0 && round <= rounds; round += 1) {
    for (const queue of queues) {
      printProgress(`round ${round} of ${rounds}, queue ${queue}`);
      await withBench(queue, false, async (bench) => {
        results.startRound(await measureBareInserts(bench));
        await runCases(bench, selected, sizes, (name, measurement) => results.add(name, measurement));
      });
    }
  }
  for (const queue of only.includes('statements') ? queues : []) {
    printProgress(`statements, queue ${queue}`);
    await withBench(queue, true, (bench) =>
      runCases(bench, trackedCases, sizes, (name, measurement) => results.addTracked(name, measurement)),
    );
  }
  return results.report([
    `Bare inserts: single rows of ${BODY_BYTES} bytes, each committed by one of ${BARE_CONNECTIONS} connections.`,
    `Each round starts a new instance with an api and a worker. After a warm-up of ${WARM_UP} events, ${PUBLISHERS} publishers send ${sizes.events} events,`,
    'and the measurement ends when the last outcome is recorded.',
    `Steady load: ${STEADY_PER_SECOND} events a second for ${sizes.seconds} s. Backlog: ${BACKLOG} deliveries.`,
  ]);
}

const availableQueues = (): Queue[] => (hasRedis() ? ['postgresql', 'redis'] : ['postgresql']);

/** Calls `work` with a new instance and database, because tables and indexes grow with every event. */
async function withBench(
  queue: Queue,
  isTracked: boolean,
  work: (bench: EventsBench) => Promise<void>,
): Promise<void> {
  const bench = await EventsBench.start(queue, isTracked);
  try {
    await work(bench);
  } finally {
    await bench.stop();
  }
}

async function runCases(
  bench: EventsBench,
  selected: Case[],
  sizes: Sizes,
  add: (name: string, measurement: Measurement) => void,
): Promise<void> {
  for (const each of selected) {
    printProgress(each.name);
    const name = `${each.name}${bench.hasRedis ? ', with Redis' : ''}`;
    add(name, await runCase(bench, each, sizes));
  }
}

/** Measures a case after the same requests have warmed up the processes. */
async function runCase(bench: EventsBench, each: Case, sizes: Sizes): Promise<Measurement> {
  const { publication = 'patch', projects = 1, fanOut = 1 } = each;
  const targets = await bench.createTargets({ publication, projects, fanOut });
  try {
    if (each.part !== 'backlog') await bench.warmUp(targets, WARM_UP);
    return await each.run(bench, targets, sizes);
  } finally {
    await bench.removeTargets(targets);
  }
}

async function measureBareInserts(bench: EventsBench): Promise<number> {
  const inserts = new Child('bare-inserts');
  try {
    return await inserts.call<number>('measure', {
      databaseUrl: bench.superuserUrl,
      connections: BARE_CONNECTIONS,
      seconds: BARE_SECONDS,
      size: BODY_BYTES,
    });
  } finally {
    await inserts.stop();
  }
}
