import { Inject, Injectable } from '@nestjs/common';
import { Database, DATABASE_CHECK_INTERVAL_MS } from '@gatehouse/persistence';
import { LOGGER, type Logger } from '@gatehouse/platform';
import { PeriodicJob } from '../periodic-job.js';

/** Checks whether PostgreSQL can be used, for the probes of this process. */
@Injectable()
export class DatabaseCheck extends PeriodicJob {
  constructor(
    private readonly database: Database,
    @Inject(LOGGER) logger: Logger,
  ) {
    super(DATABASE_CHECK_INTERVAL_MS, logger, 'database check failed');
  }

  protected run(): Promise<void> {
    return this.database.check();
  }
}
