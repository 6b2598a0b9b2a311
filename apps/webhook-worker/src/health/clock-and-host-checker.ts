import { Inject, Injectable } from '@nestjs/common';
import { CLOCK_AND_HOST_CHECK_INTERVAL_MS, ClockAndHostMonitor } from '@gatehouse/persistence';
import { LOGGER, type Logger } from '@gatehouse/platform';
import { PeriodicJob } from '../periodic-job/periodic-job.js';

/** Checks the clock and the database hosts at startup and once a minute. */
@Injectable()
export class ClockAndHostChecker extends PeriodicJob {
  constructor(
    private readonly monitor: ClockAndHostMonitor,
    @Inject(LOGGER) logger: Logger,
  ) {
    super(CLOCK_AND_HOST_CHECK_INTERVAL_MS, logger, 'clock and host check failed');
  }

  override start(): void {
    super.start();
    void this.runNow();
  }

  override async stop(): Promise<void> {
    await super.stop();
    await this.monitor.end();
  }

  protected run(): Promise<void> {
    return this.monitor.check();
  }
}
