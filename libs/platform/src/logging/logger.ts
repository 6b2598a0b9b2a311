import { types } from 'node:util';
import { pino, type DestinationStream, type Logger } from 'pino';
import type { Config } from '../config/config.js';
import { errorCode, errorMessage } from '../errors.js';
import { tracing } from '../tracing/current-tracing.js';

export type { Logger };

/** Injection token of the process's logger. */
export const LOGGER = Symbol('logger');

/** All loggers of the process share it. */
let standardOutput: DestinationStream | undefined;

/** Creates the logger of the process, which writes one JSON object per line to standard output. */
export const createLogger = (
  config: Pick<Config, 'logLevel'> & Partial<Pick<Config, 'tracing'>>,
  service: string,
): Logger =>
  pino(
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
    (standardOutput ??= createDestination()),
  );

/** Writes the lines of each turn of the event loop to standard output together. */
function createDestination(): DestinationStream {
  const destination = pino.destination({ sync: false });
  let lines = '';
  const flush = (): void => {
    if (lines !== '') destination.write(lines);
    lines = '';
  };
  process.once('exit', () => {
    flush();
    destination.flushSync();
  });
  return {
    write(line) {
      if (lines === '') setImmediate(flush);
      lines += line;
    },
  };
}

/**
 * Returns only named members of an error, because database errors contain statements, parameters and values
 * of rows.
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
