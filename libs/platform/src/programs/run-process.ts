import module from 'node:module';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { loadConfig, type Config } from '../config/config.js';
import { ConfigError } from '../config/config-error.js';
import { configWarnings } from '../config/config-warnings.js';
import { errorMessage } from '../runtime/errors.js';
import { monotonicMs, sleep, withTimeout } from '../clock/clock.js';
import { notifyLauncher } from './launcher-channel.js';
import { createLogger, drainLog, type Logger } from '../logging/logger.js';
import { startTracing, tracing } from '../tracing/current-tracing.js';

/** Exit code for an error that a restart cannot fix (sysexits.h, EX_CONFIG). */
const EXIT_CONFIG = 78;

/** Maximum shutdown duration, in ms. After that, the process exits in any case. */
const STOP_TIMEOUT_MS = 15_000;

/**
 * Maximum shutdown duration after an unexpected error, in ms. The process must exit within five seconds so that it can
 * be restarted.
 */
const FATAL_STOP_TIMEOUT_MS = 4_000;

/** Maximum time to send the last spans, in ms. */
const FLUSH_TIMEOUT_MS = 2_000;

/** Maximum time to write the last log lines, in ms. */
const LOG_TIMEOUT_MS = 1_000;

/** Interval in ms between checks of whether the thread pool is idle. */
const IDLE_CHECK_MS = 50;

export interface RunnableService {
  start(): Promise<void>;
  stop(): Promise<void>;
}

interface ProcessOptions {
  /**
   * Heap growth in percent after which V8 collects all garbage. By default, the heap can grow to several times the
   * memory in use (docs/adr/0039-memory.md).
   */
  heapGrowingPercent?: number;
}

/**
 * Runs a service as a process: loads the configuration, starts the service, and stops it on SIGTERM, SIGINT, or when
 * the IPC channel to the launcher closes. An unexpected error is logged, and the process exits within five seconds so
 * that the launcher restarts it.
 */
export async function runProcess(
  name: string,
  create: (config: Config, logger: Logger) => Promise<RunnableService>,
  { heapGrowingPercent }: ProcessOptions = {},
): Promise<void> {
  // The option is set here because NODE_OPTIONS does not accept it.
  if (heapGrowingPercent !== undefined) setFlagsFromString(`--heap-growing-percent=${heapGrowingPercent}`);
  const config = loadConfigOrExit();
  const logger = createLogger(config, name);
  for (const warning of config.warnings)
    logger[warning === 'node_outdated' ? 'error' : 'warn']({ warning }, configWarnings[warning]);
  // Without a listener, a Node.js warning would be an unexpected error if the output is closed or full.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  let service: RunnableService | undefined;
  let isStopping = false;
  let exitCode = 0;
  const stop = (reason: string, code: number): void => {
    const isFirstError = exitCode === 0 && code !== 0;
    exitCode ||= code;
    const timeoutMs = code === 0 ? STOP_TIMEOUT_MS : FATAL_STOP_TIMEOUT_MS;
    // An error shortens a shutdown that is in progress.
    if (!isStopping || isFirstError) setTimeout(() => exitAtOnce(exitCode || 1), timeoutMs).unref();
    if (isStopping) return;
    isStopping = true;
    logger.info({ reason }, 'stopping');
    void stopService(service, logger, timeoutMs)
      .then(waitUntilIdle)
      .finally(() => process.exit(exitCode));
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const previous = process.listeners(signal);
    process.once(signal, () => stop(signal, 0));
    // Removed after the new handler was added, because Node.js drops pending signals when the last handler is removed.
    for (const handler of previous) process.off(signal, handler);
  }
  process.once('disconnect', () => stop('launcher disconnected', 0));
  process.on('uncaughtException', (error) => fail(error));
  process.on('unhandledRejection', (error) => fail(error));
  const fail = (error: unknown): void => {
    // A configuration error's message contains the fix. A stack would only distract from it.
    const isConfigError = error instanceof ConfigError;
    logger.fatal(isConfigError ? {} : { error }, errorMessage(error));
    stop(isConfigError ? 'invalid configuration' : 'unexpected error', isConfigError ? EXIT_CONFIG : 1);
  };
  // If a signal arrives while Node.js 24 loads modules, it is handled in the next complete event loop turn.
  await nextTurn();
  await nextTurn();
  if (isStopping) return;
  try {
    if (config.tracing)
      await startTracing(config.tracing, name, (error) =>
        logger.warn({ reason: errorMessage(error) }, 'trace export failed'),
      );
    service = await create(config, logger);
    if (isStopping) return;
    await service.start();
    notifyLauncher();
    storeCompiledCode();
  } catch (error) {
    fail(error);
  }
}

/** Stores compiled code for the next start, because a process that is killed would not. Requires Node.js 22.10. */
const storeCompiledCode = (): void => (module as { flushCompileCache?: () => void }).flushCompileCache?.();

/** Stops a service and sends the last spans. Spans that the collector does not accept in time are lost. */
async function stopService(
  service: RunnableService | undefined,
  logger: Logger,
  timeoutMs: number,
): Promise<void> {
  const startedMs = monotonicMs();
  try {
    await service?.stop();
  } catch (error) {
    logger.error({ error }, 'shutdown failed');
  }
  if (!tracing) return;
  // Half of the remaining time, so that an unresponsive collector cannot change the exit code.
  const remainingMs = startedMs + timeoutMs - monotonicMs();
  const flushTimeoutMs = Math.min(FLUSH_TIMEOUT_MS, remainingMs / 2);
  await withTimeout(tracing.shutdown(), flushTimeoutMs, 'collector timeout').catch(() => undefined);
}

/** Resolves when the last log lines have been written and `process.exit()` would not wait for the thread pool. */
async function waitUntilIdle(): Promise<void> {
  await withTimeout(drainLog(), LOG_TIMEOUT_MS, 'log timeout').catch(() => undefined);
  while (isThreadPoolBusy()) await sleep(IDLE_CHECK_MS);
}

/** Exits even if a name lookup or a write in the thread pool never returns. `process.exit()` would wait for it. */
function exitAtOnce(exitCode: number): void {
  if (isThreadPoolBusy()) process.kill(process.pid, 'SIGKILL');
  process.exit(exitCode);
}

const isThreadPoolBusy = (): boolean =>
  process.getActiveResourcesInfo().some((name) => /^(FS|GetAddrInfo|GetNameInfo)Req/.test(name));

function loadConfigOrExit(): Config {
  try {
    const config = loadConfig();
    if (!config.database.url)
      throw new ConfigError(['DATABASE_URL is required. npm start sets it for the embedded database']);
    return config;
  } catch (error) {
    process.stderr.write(`${errorMessage(error)}\n`);
    process.exit(EXIT_CONFIG);
  }
}
