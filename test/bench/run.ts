import { resolve } from 'node:path';
import { inspect, parseArgs } from 'node:util';
import { measureAttempts } from './attempts.js';
import { stopInstances } from './bench-instance.js';
import { measureBodies } from './bodies.js';
import { stopChildren } from './child.js';
import { measureConsole } from './console.js';
import { measureCosts } from './costs.js';
import { measureCustomers } from './customers.js';
import { measureDeliveries } from './deliveries.js';
import { eventParts, measureEvents, type EventOptions } from './events.js';
import { measureFairness } from './fairness.js';
import { measureFlood } from './flood.js';
import { compareImports, type BuildOptions } from './import-builds.js';
import { measureImport } from './import.js';
import { systemNames } from './import-sources.js';
import { measureLatency } from './latency.js';
import {
  isMet,
  printMachine,
  printProgress,
  printSection,
  printTargets,
  type SectionResult,
  type Target,
} from './report.js';
import { measureProviders } from './providers.js';
import { measureRequests } from './requests.js';
import { measureResponses } from './responses.js';
import { startBenchServers } from './servers.js';
import { measureSoak } from './soak.js';
import { measureStarts } from './starts.js';
import { statementSettings } from './statements.js';
import { measureTiming } from './timing.js';
import { measureWeight } from './weight.js';

/** A run's command line options. */
interface Options extends EventOptions, BuildOptions {
  /** Duration of each flood, of the soak, of the load in `weight` and of the steady load in `events`. */
  seconds?: number;
  /** Number of requests per case in `timing`, `customers`, `attempts` and `console`, and number of events. */
  samples?: number;
  /** Prints the query plans for the customer lists. */
  plans?: boolean;
}

interface Section {
  title: string;
  /** Maximum duration. */
  limitMinutes: number;
  /** Additional PostgreSQL settings. */
  postgresql?: Record<string, string>;
  measure: (options: Options) => Promise<SectionResult>;
}

const sections: Record<string, Section> = {
  requests: {
    title: 'Requests: the api compared with plain NestJS routes and raw bcrypt',
    limitMinutes: 3,
    measure: measureRequests,
  },
  deliveries: {
    title: 'Deliveries: a backlog, to a fast target',
    limitMinutes: 5,
    measure: measureDeliveries,
  },
  events: {
    title: 'Events: from the request to the recorded delivery',
    limitMinutes: 60,
    postgresql: statementSettings,
    measure: measureEvents,
  },
  costs: {
    title: 'Costs: statements, round trips, bytes and CPU time of single operations',
    limitMinutes: 5,
    postgresql: statementSettings,
    measure: measureCosts,
  },
  latency: {
    title: 'Latency: from commit to the first attempt',
    limitMinutes: 2,
    measure: measureLatency,
  },
  fairness: {
    title:
      'Fairness: first attempts during a bulk redelivery, with a hanging endpoint, and alongside a hostile tenant',
    limitMinutes: 10,
    measure: measureFairness,
  },
  responses: {
    title: 'Responses: CPU time and result for every kind of response',
    limitMinutes: 10,
    measure: measureResponses,
  },
  providers: {
    title: 'Providers: other requests while an identity provider hangs',
    limitMinutes: 5,
    measure: measureProviders,
  },
  timing: {
    title: 'Timing: whether the duration of a response reveals a customer',
    limitMinutes: 10,
    measure: measureTiming,
  },
  flood: {
    title: 'Flood: far more logins than the machine can hash',
    limitMinutes: 5,
    measure: measureFlood,
  },
  import: {
    title:
      "Import: 100,000 customers as prepared lines while other customers log in, and from other systems' files",
    limitMinutes: 30,
    measure: measureImport,
  },
  'import-builds': {
    title: 'Imports with this build, compared with another build',
    limitMinutes: 60,
    measure: compareImports,
  },
  bodies: {
    title: 'Bodies: 16 parallel imports of 14 MB, with 512 and 256 MiB of memory',
    limitMinutes: 20,
    measure: measureBodies,
  },
  customers: {
    title: 'Customers: a million customers and 10,000 projects, compared with a few',
    limitMinutes: 15,
    measure: measureCustomers,
  },
  attempts: {
    title: 'Attempts: five million attempts and 200,000 dead letters, compared with a few',
    limitMinutes: 15,
    measure: measureAttempts,
  },
  console: {
    title: 'Console: the requests of all screens, with five million attempts and a million customers',
    limitMinutes: 60,
    measure: measureConsole,
  },
  starts: {
    title: 'Starts: the bundled programs, compared with modules',
    limitMinutes: 5,
    measure: measureStarts,
  },
  weight: {
    title: 'Weight: memory, CPU time and wake-ups of the programs, idle and after load',
    limitMinutes: 20,
    measure: measureWeight,
  },
  soak: {
    title: 'Soak: 200 events a second while targets fail, workers are killed and Redis is flushed',
    limitMinutes: 20,
    measure: measureSoak,
  },
};

/** The sections that run by default. They take minutes. All sections take an hour. */
const defaultSections = ['requests', 'deliveries', 'latency', 'fairness'];

const USAGE = `npm run bench -- [${Object.keys(sections).join(' | ')}]… [--seconds=<each flood, the soak, the load of weight, or a steady load of events>] [--samples=<each case of timing, customers, attempts and console, or events>] [--plans] [--profile=<folder for CPU profiles of api and worker>]
  events: [--rounds=<number>] [--only=${eventParts.join(',')}] [--with-redis | --without-redis]
  import-builds: --against=<checkout> [--rounds=<number>] [--samples=<customers>] [--systems=${systemNames.join(',')}]
    The checkout needs npm ci, npm run build and npm run packages first.`;

let servers: Promise<() => Promise<void>> | undefined;
let cleanup: Promise<void> | undefined;

/** Stops everything that was started, the servers last. */
function cleanUp(): Promise<void> {
  cleanup ??= (async () => {
    await Promise.all([stopChildren(), stopInstances()]);
    await servers?.then(
      (stop) => stop(),
      () => undefined,
    );
  })();
  return cleanup;
}

function abort(reason: string, code: number): void {
  process.stderr.write(`\n${reason}, cleaning up …\n`);
  void cleanUp().finally(() => process.exit(code));
}

/** Parses the command line. @throws Error for an unknown section or an invalid option */
function readArguments(): { names: string[]; options: Options } {
  const { values, positionals } = parseArgs({
    options: {
      seconds: { type: 'string' },
      samples: { type: 'string' },
      plans: { type: 'boolean' },
      profile: { type: 'string' },
      rounds: { type: 'string' },
      only: { type: 'string' },
      against: { type: 'string' },
      systems: { type: 'string' },
      'with-redis': { type: 'boolean' },
      'without-redis': { type: 'boolean' },
    },
    allowPositionals: true,
  });
  const unknown = positionals.find((name) => !Object.hasOwn(sections, name));
  if (unknown !== undefined) throw new Error(`Unknown: ${unknown}`);
  const options: Options = values.plans ? { plans: true } : {};
  for (const name of ['seconds', 'samples', 'rounds'] as const) {
    if (values[name] === undefined) continue;
    options[name] = Number(values[name]);
    if (!Number.isInteger(options[name]) || options[name] < 1)
      throw new Error(`--${name} takes a whole number`);
  }
  if (values.only !== undefined) options.only = readList('only', values.only, eventParts);
  if (values.systems !== undefined) options.systems = readList('systems', values.systems, systemNames);
  if (values['with-redis'] !== values['without-redis'])
    options.queues = [values['with-redis'] ? 'redis' : 'postgresql'];
  if (values.against !== undefined) options.against = resolve(values.against);
  if (values.profile !== undefined) process.env['BENCH_CPU_PROFILES'] = resolve(values.profile);
  return { names: positionals.length > 0 ? positionals : defaultSections, options };
}

/** Parses a comma-separated list. @throws Error for an unknown name */
function readList<Name extends string>(option: string, list: string, names: readonly Name[]): Name[] {
  return list.split(',').map((text) => {
    const name = names.find((each) => each === text);
    if (name === undefined) throw new Error(`--${option} takes ${names.join(', ')}; unknown: ${text}`);
    return name;
  });
}

/** Runs the benchmark. @returns the exit code: 1 if a required target was missed */
async function main(): Promise<number> {
  let input: ReturnType<typeof readArguments>;
  try {
    input = readArguments();
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n${USAGE}\n`);
    return 2;
  }
  const { names, options } = input;
  const minutes = names.reduce((sum, name) => sum + sections[name]!.limitMinutes, 0);
  setTimeout(() => abort(`Not done after ${minutes} minutes`, 1), minutes * 60_000).unref();
  printMachine();
  servers = startBenchServers(Object.assign({}, ...names.map((name) => sections[name]!.postgresql)));
  await servers;
  const targets: Target[] = [];
  for (const name of names) {
    const { title, measure } = sections[name]!;
    printProgress(title);
    const result = await measure(options);
    printSection(title, result);
    targets.push(...result.targets);
  }
  printTargets(targets);
  return targets.every((target) => !target.isRequired || isMet(target)) ? 0 : 1;
}

process.once('SIGINT', () => abort('Interrupted', 130));
process.once('SIGTERM', () => abort('Terminated', 143));

process.exitCode = await main().catch((error: unknown) => {
  // Errors are expected after an interruption.
  if (!cleanup) process.stderr.write(`\n${inspect(error)}\n`);
  return 1;
});
await cleanUp();
