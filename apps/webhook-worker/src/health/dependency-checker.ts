import { Inject, Injectable } from '@nestjs/common';
import { DEPENDENCY_CHECK_INTERVAL_MS, DependencyHealth } from '@gatehouse/persistence';
import { LOGGER, type Logger } from '@gatehouse/platform';
import { PeriodicJob } from '../periodic-job/periodic-job.js';

/** Updates the dependency states once a second, for this process's probes. */
@Injectable()
export class DependencyChecker extends PeriodicJob {
  constructor(
    private readonly dependencies: DependencyHealth,
    @Inject(LOGGER) logger: Logger,
  ) {
    super(DEPENDENCY_CHECK_INTERVAL_MS, logger, 'dependency check failed');
  }

  protected run(): Promise<void> {
    return this.dependencies.check();
  }
}
