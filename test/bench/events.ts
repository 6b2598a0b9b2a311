import type { Queue } from '../support/test-instance.js';
import { Child } from './child.js';
import { EventsBench, type Measurement, type Targets } from './events-bench.js';
import { eventsReport, type CaseResults } from './events-report.js';
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

/** The parts of the section, for `--only`. */
export const eventParts = [
  'patch',
  'custom',
  'steady',
  'steady-custom',
  'hundred',
  'fan-out',
  'backlog',
] as const;
export type EventPart = (typeof eventParts)[number];

export interface EventOptions {
  /** Duration of the steady load. */
  seconds?: number;
  /** Number of events of each closed loop. */
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
  { name: 'PATCH', part: 'patch', run: publishAll },
  { name: 'custom', part: 'custom', publication: 'custom', run: publishAll },
  { name: `PATCH, ${STEADY_PER_SECOND}/s`, part: 'steady', run: publishSteadily },
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
  { name: 'backlog, 1 worker', part: 'backlog', run: drain(1) },
  { name: 'backlog, 3 workers', part: 'backlog', run: drain(3) },
  { name: `backlog, ${PROJECTS} endpoints`, part: 'backlog', projects: PROJECTS, run: drain(1) },
];

/**
 * Measures the way of an event, from the request to the recorded delivery: the rate, the delay, and the CPU
 * time of each process.
 */
export async function measureEvents(options: EventOptions): Promise<SectionResult> {
  const {
    rounds = ROUNDS,
    only = eventParts,
    queues = hasRedis() ? ['postgresql', 'redis'] : ['postgresql'],
  } = options;
  const sizes = { events: options.samples ?? EVENTS, seconds: options.seconds ?? STEADY_SECONDS };
  const selected = cases.filter(({ part }) => only.includes(part));
  const results: CaseResults[] = [];
  const bareRates: number[] = [];
  const notes: string[] = [];
  for (let round = 0; round < rounds; round += 1) {
    for (const queue of queues) {
      printProgress(`round ${round + 1} of ${rounds}, queue ${queue}`);
      // Each round has its own database: tables and indexes grow with every event.
      const bench = await EventsBench.start(queue);
      try {
        const bareRate = await measureBareInserts(bench);
        bareRates.push(bareRate);
        const hasCustomEvents = await bench.hasCustomEvents();
        for (const each of selected) {
          if (each.publication === 'custom' && !hasCustomEvents) {
            const reason = `${each.name}: skipped, because POST /v1/events does not exist.`;
            if (!notes.includes(reason)) notes.push(reason);
            continue;
          }
          const measurement = await runCase(bench, each, sizes);
          const name = `${each.name}${queue === 'redis' ? ', with Redis' : ''}`;
          let entry = results.find((result) => result.name === name);
          if (!entry) results.push((entry = { name, rounds: [] }));
          entry.rounds.push({ ...measurement, bareRate });
        }
      } finally {
        await bench.stop();
      }
    }
  }
  return eventsReport(results, bareRates, [
    `A round is a new instance of api and worker. ${sizes.events} events by 16 publishers, after a warm-up of ${WARM_UP}, until the`,
    `last outcome is recorded; or ${STEADY_PER_SECOND} events a second for ${sizes.seconds} s; or a backlog of ${BACKLOG} deliveries.`,
    ...notes,
  ]);
}

/** Measures a case after a warm-up of the processes with the same requests. */
async function runCase(bench: EventsBench, each: Case, sizes: Sizes): Promise<Measurement> {
  const { publication = 'patch', projects = 1, fanOut = 1 } = each;
  printProgress(each.name);
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
