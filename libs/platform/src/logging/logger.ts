import { types } from 'node:util';
import { pino, type DestinationStream, type Logger } from 'pino';
import type { Config } from '../config/config.js';
import { errorCode, errorMessage } from '../errors.js';

export type { Logger };

/** Injection token of the process's logger. */
export const LOGGER = Symbol('logger');

/** Maximum time in ms that a line waits for others. A system call for each line would cost more than the line. */
const FLUSH_INTERVAL_MS = 50;

/** Size in bytes at which lines are written at once. */
const BUFFER_SIZE = 4_096;

/** Creates the logger of the process, which writes one JSON object per line to standard output. */
export const createLogger = (config: Pick<Config, 'logLevel'>, service: string): Logger =>
  pino(
    {
      level: config.logLevel,
      base: { service, pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      messageKey: 'message',
      errorKey: 'error',
      serializers: { error: (error: unknown) => serializeError(error) },
    },
    createDestination(),
  );

/** Writes lines to standard output, several at once. What is buffered is also written when the process exits. */
function createDestination(): DestinationStream {
  const destination = pino.destination({ minLength: BUFFER_SIZE, sync: false });
  let timer: NodeJS.Timeout | undefined;
  return {
    write(line) {
      destination.write(line);
      timer ??= setTimeout(() => {
        timer = undefined;
        destination.flush();
      }, FLUSH_INTERVAL_MS).unref();
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
