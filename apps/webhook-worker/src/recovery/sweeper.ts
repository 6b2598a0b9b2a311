import { Inject, Injectable } from '@nestjs/common';
import { DeliveryProcessingRepository } from '@gatehouse/persistence';
import { Config, LOGGER, WorkerMetrics, type Logger } from '@gatehouse/platform';
import { AttemptRunner } from '../delivery/attempt-runner.js';
import { PeriodicJob } from '../periodic-job.js';

const LOST_LIMIT = 200;

/** Puts right what crashes and races leave behind, every second. */
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

  /** Closes attempts whose lease has run out, and cancels what waits for an endpoint that is gone. */
  protected async run(): Promise<void> {
    const lost = await this.work.findLost(LOST_LIMIT);
    await Promise.all(lost.map((attempt) => this.runner.recordLost(attempt)));
    // Races leave them behind, and endpoints that were disabled with a very long line.
    const cancelled = await this.work.cancelForInactiveEndpoints();
    this.metrics?.recordRepairs('orphan_cancelled', cancelled);
  }
}
