import { Inject, Injectable } from '@nestjs/common';
import { DeliveryProcessingRepository } from '@gatehouse/persistence';
import { Config, LOGGER, WorkerMetrics, type Logger } from '@gatehouse/platform';
import { AttemptRunner } from '../delivery/attempt-runner.js';
import { PeriodicJob } from '../periodic-job/periodic-job.js';

/** Maximum number of lost attempts that one run records. */
const MAX_LOST_ATTEMPTS = 200;

/** Repairs the effects of crashes and races, every second. */
@Injectable()
export class Sweeper extends PeriodicJob {
  constructor(
    private readonly work: DeliveryProcessingRepository,
    private readonly runner: AttemptRunner,
    @Inject(WorkerMetrics) private readonly metrics: WorkerMetrics | null,
    config: Config,
    @Inject(LOGGER) logger: Logger,
  ) {
    super(config.webhooks.sweepInterval, logger, 'sweep failed');
  }

  /** Records the outcome for attempts whose lease has expired, and cancels pending deliveries to inactive endpoints. */
  protected async run(): Promise<void> {
    const lost = await this.work.findLost(MAX_LOST_ATTEMPTS);
    await Promise.all(lost.map((attempt) => this.runner.recordLost(attempt)));
    // Races can leave such deliveries, and so can disabling an endpoint with very many pending deliveries.
    const cancelled = await this.work.cancelForInactiveEndpoints();
    this.metrics?.recordRepairs('orphan_cancelled', cancelled);
  }
}
