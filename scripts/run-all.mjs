import { setImmediate as nextTurn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { DEFAULT_START_TIMEOUT, parseDuration } from '../libs/platform/dist/config/duration.js';
import { CONFIG_EXIT_CODE, openLog, Programs, stopWithNpm } from './supervisor.mjs';

// Runs the api and the webhook-worker as two processes in one container (docs/adr/0056-one-container.md). The build
// bundles this script with the programs. The programs read and validate the configuration.

// A closed or full output must not terminate this process before its programs.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
const log = await openLog();
const programs = new Programs({
  folder: fileURLToPath(new URL('.', import.meta.url)),
  log,
  onConfigError: () => stop(CONFIG_EXIT_CODE),
  // While a program waits for PostgreSQL, the timeout starts over, because platforms limit how often they restart a
  // service.
  onWaiting: () => timer.refresh(),
});
let isStopping = false;

for (const signal of ['SIGTERM', 'SIGINT']) {
  const previous = process.listeners(signal);
  process.on(signal, () => stop(0));
  // The previous handlers are removed last: Node.js would lose a signal that arrived while there was no handler.
  for (const handler of previous) process.off(signal, handler);
}
stopWithNpm(() => isStopping);
// The parent process has exited.
process.once('disconnect', () => stop(0));
// As in runProcess(): if a signal arrived while Node.js 24 loaded modules, its handler runs in the next complete event
// loop turn. After that, no program may start.
await nextTurn();
await nextTurn();
if (!isStopping) programs.start(process.env);
const timer = setTimeout(() => {
  log.write('error', 'programs not ready within START_TIMEOUT');
  stop(1);
}, readStartTimeout());
await programs.ready;
clearTimeout(timer);
log.write('info', 'ready');

async function stop(exitCode) {
  if (isStopping) return;
  isStopping = true;
  log.write('info', 'stopping');
  await programs.stop();
  await log.close();
  process.exit(exitCode);
}

function readStartTimeout() {
  const text = process.env.START_TIMEOUT?.trim() || DEFAULT_START_TIMEOUT;
  try {
    return parseDuration(text);
  } catch {
    // Both programs reject the setting and report the problem.
    return parseDuration(DEFAULT_START_TIMEOUT);
  }
}
