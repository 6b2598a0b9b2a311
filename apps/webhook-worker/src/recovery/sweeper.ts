import { Inject, Injectable } from '@nestjs/common';
import { DeliveryProcessingRepository } from '@gatehouse/persistence';
import { LOGGER, WorkerMetrics, type Logger } from '@gatehouse/platform';
import { AttemptRunner } from '../delivery/attempt-runner.js';
import { WorkJob } from '../periodic-job/work-job.js';

/** Maximum number of lost attempts that one run records. */
const MAX_LOST_ATTEMPTS = 200;

/** Repairs the effects of crashes and races. */
@Injectable()
export class Sweeper extends WorkJob {
  constructor(
    private readonly deliveries: DeliveryProcessingRepository,
    private readonly runner: AttemptRunner,
    @Inject(WorkerMetrics) private readonly metrics: WorkerMetrics | null,
    @Inject(LOGGER) logger: Logger,
  ) {
    super('repairs', logger, 'sweep failed');
  }

  /** Records the outcome for attempts whose lease has expired, and cancels pending deliveries to inactive endpoints. */
  protected async run(): Promise<void> {
    const lost = await this.deliveries.findLost(MAX_LOST_ATTEMPTS);
    await Promise.all(lost.map((attempt) => this.runner.recordLost(attempt)));
    // Races can leave such deliveries, and so can disabling an endpoint with very many pending deliveries.
    const cancelled = await this.deliveries.cancelForInactiveEndpoints();
    this.metrics?.recordRepairs('orphan_cancelled', cancelled);
  }
}
