import type { Provider } from '@nestjs/common';
import { Config, LOGGER, Metrics, type Logger } from '@gatehouse/platform';
import { Database } from '../database.js';
import { DatabaseWatch } from './database-watch.js';
import { ProcessProblemsRepository, type ProblemSource } from './process-problems.repository.js';

/** Provides the `DatabaseWatch` of a program. */
export const databaseWatchProvider = (service: ProblemSource['service']): Provider => ({
  provide: DatabaseWatch,
  useFactory: (
    database: Database,
    problems: ProcessProblemsRepository,
    config: Config,
    logger: Logger,
    metrics: Metrics | null,
  ) => new DatabaseWatch(database, problems, config, logger, service, metrics),
  inject: [Database, ProcessProblemsRepository, Config, LOGGER, Metrics],
});
