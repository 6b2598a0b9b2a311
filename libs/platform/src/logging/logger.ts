import { types } from 'node:util';
import { pino, type Logger } from 'pino';
import type { Config } from '../config/config.js';
import { errorCode, errorMessage } from '../runtime/errors.js';
import { tracing } from '../tracing/current-tracing.js';
import { LineOutput } from './line-output.js';

export type { Logger };

/** The logger's injection token. */
export const LOGGER = Symbol('logger');

/** Shared by all loggers of the process. */
let standardOutput: LineOutput | undefined;

/** Returns the number of log lines that were dropped because standard output did not accept them. */
export const droppedLogLines = (): number => standardOutput?.dropped ?? 0;

/** Resolves when all log lines so far have been written. Does not resolve while standard output is full. */
export const drainLog = (): Promise<void> => standardOutput?.drained() ?? Promise.resolve();

/** Creates a logger that writes one JSON object per line to standard output. */
export const createLogger = (
  config: Pick<Config, 'logLevel'> & Partial<Pick<Config, 'tracing'>>,
  service: string,
): Logger => {
  standardOutput ??= new LineOutput(process.stdout, (lines) => logger.error({ lines }, 'log lines dropped'));
  const logger: Logger = pino(
    {
      level: config.logLevel,
      base: { service, pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      messageKey: 'message',
      errorKey: 'error',
      serializers: { error: (error: unknown) => serializeError(error) },
      ...(config.tracing ? { mixin: () => tracing?.logFields ?? {} } : {}),
    },
    standardOutput,
  );
  return logger;
};

/**
 * Returns only certain members of an error, because database errors also contain statements, parameters and row values.
 */
function serializeError(error: unknown, depth = 0): unknown {
  if (!types.isNativeError(error)) return error === undefined ? undefined : { message: errorMessage(error) };
  return {
    type: error.name,
    message: error.message,
    code: errorCode(error) || undefined,
    stack: error.stack,
    cause: error.cause === undefined || depth >= 5 ? undefined : serializeError(error.cause, depth + 1),
  };
}
