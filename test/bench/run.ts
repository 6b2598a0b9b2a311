import { inspect } from 'node:util';
import { stopHouses } from './bench-house.js';
import { stopChildren } from './children.js';
import { measureDeliveries } from './deliveries.js';
import { measureLatency } from './latency.js';
import {
  printMachine,
  printProgress,
  printSection,
  printTargets,
  type SectionResult,
  type Target,
} from './report.js';
import { measureRequests } from './requests.js';
import { startBenchServers } from './servers.js';

/** Longest time that a run may take, in ms. */
const LIMIT_MS = 5 * 60_000;

const sections: Record<string, { title: string; measure: () => Promise<SectionResult> }> = {
  requests: {
    title: 'Requests: the api beside plain NestJS routes and raw bcrypt',
    measure: measureRequests,
  },
  deliveries: { title: 'Deliveries: a backlog, to a fast target', measure: measureDeliveries },
  latency: { title: 'Latency: from commit to the first attempt', measure: measureLatency },
};

let servers: Promise<() => Promise<void>> | undefined;
let cleaned: Promise<void> | undefined;

/** Leaves nothing running, whatever has happened; the servers go last. */
function cleanUp(): Promise<void> {
  cleaned ??= (async () => {
    await Promise.all([stopChildren(), stopHouses()]);
    await servers?.then(
      (stop) => stop(),
      () => undefined,
    );
  })();
  return cleaned;
}

function endEarly(reason: string, code: number): void {
  process.stderr.write(`\n${reason}, cleaning up …\n`);
  void cleanUp().finally(() => process.exit(code));
}

async function main(names: string[]): Promise<number> {
  const unknown = names.filter((name) => !Object.hasOwn(sections, name));
  if (unknown.length > 0) {
    process.stderr.write(
      `Unknown: ${unknown.join(', ')}. npm run bench [${Object.keys(sections).join(' | ')}]…\n`,
    );
    return 2;
  }
  printMachine();
  servers = startBenchServers();
  await servers;
  const targets: Target[] = [];
  for (const name of names.length > 0 ? names : Object.keys(sections)) {
    const { title, measure } = sections[name]!;
    printProgress(title);
    const result = await measure();
    printSection(title, result);
    targets.push(...result.targets);
  }
  printTargets(targets);
  return 0;
}

process.once('SIGINT', () => endEarly('Interrupted', 130));
process.once('SIGTERM', () => endEarly('Terminated', 143));
setTimeout(() => endEarly(`Not done after ${LIMIT_MS / 60_000} minutes`, 1), LIMIT_MS).unref();

process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) => {
  // After an interruption the failures are only its echo.
  if (!cleaned) process.stderr.write(`\n${inspect(error)}\n`);
  return 1;
});
await cleanUp();
