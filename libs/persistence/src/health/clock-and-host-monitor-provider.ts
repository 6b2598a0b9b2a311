import type { Provider } from '@nestjs/common';
import { Config, LOGGER, Metrics, type Logger } from '@gatehouse/platform';
import { Database } from '../database/database.js';
import { ClockAndHostMonitor } from './clock-and-host-monitor.js';
import { ProcessProblemsRepository, type ProblemSource } from './process-problems.repository.js';

/** Provides a program's `ClockAndHostMonitor`. */
export const clockAndHostMonitorProvider = (service: ProblemSource['service']): Provider => ({
  provide: ClockAndHostMonitor,
  useFactory: (
    database: Database,
    problems: ProcessProblemsRepository,
    config: Config,
    logger: Logger,
    metrics: Metrics | null,
  ) => new ClockAndHostMonitor(database, problems, config, logger, service, metrics),
  inject: [Database, ProcessProblemsRepository, Config, LOGGER, Metrics],
});
