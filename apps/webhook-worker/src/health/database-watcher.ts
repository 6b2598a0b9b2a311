import { Inject, Injectable } from '@nestjs/common';
import { DATABASE_WATCH_INTERVAL_MS, DatabaseWatch } from '@gatehouse/persistence';
import { LOGGER, type Logger } from '@gatehouse/platform';
import { PeriodicJob } from '../periodic-job.js';

/** Checks the clock and the hosts of the database at the start and once a minute. */
@Injectable()
export class DatabaseWatcher extends PeriodicJob {
  constructor(
    private readonly watch: DatabaseWatch,
    @Inject(LOGGER) logger: Logger,
  ) {
    super(DATABASE_WATCH_INTERVAL_MS, logger, 'database check failed');
  }

  override start(): void {
    super.start();
    void this.runNow();
  }

  override async stop(): Promise<void> {
    await super.stop();
    await this.watch.end();
  }

  protected run(): Promise<void> {
    return this.watch.check();
  }
}
