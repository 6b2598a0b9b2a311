import type { LoggerService } from '@nestjs/common';
import type { Logger } from 'pino';

/**
 * Forwards Nest's messages to the process's logger. Messages below warnings are logged at debug level, because they
 * only describe how modules are wired.
 */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log = (message: unknown, ...rest: unknown[]): void => this.write('debug', message, rest);
  debug = (message: unknown, ...rest: unknown[]): void => this.write('debug', message, rest);
  verbose = (message: unknown, ...rest: unknown[]): void => this.write('debug', message, rest);
  warn = (message: unknown, ...rest: unknown[]): void => this.write('warn', message, rest);
  error = (message: unknown, ...rest: unknown[]): void => this.write('error', message, rest);
  fatal = (message: unknown, ...rest: unknown[]): void => this.write('fatal', message, rest);

  private write(level: 'debug' | 'warn' | 'error' | 'fatal', message: unknown, rest: unknown[]): void {
    this.logger[level](
      { context: rest.at(-1), error: message instanceof Error ? message : undefined },
      String(message),
    );
  }
}
