import { Inject, Injectable } from '@nestjs/common';
import { RedeliveryProcessingRepository, Transactions } from '@gatehouse/persistence';
import { Config, LOGGER, type Logger } from '@gatehouse/platform';
import { DuePoller } from '../delivery/due-poller.js';
import { PeriodicJob } from '../periodic-job/periodic-job.js';

/**
 * Releases a limited number of planned bulk redeliveries and recoveries twice a second, because 50,000 at once would
 * delay all other deliveries. The progress is stored in the database, so that another worker can continue after a
 * crash.
 */
@Injectable()
export class BulkRedeliveryRunner extends PeriodicJob {
  private readonly releaseIntervalMs: number;

  constructor(
    private readonly redeliveries: RedeliveryProcessingRepository,
    private readonly transactions: Transactions,
    private readonly duePoller: DuePoller,
    { webhooks }: Config,
    @Inject(LOGGER) logger: Logger,
  ) {
    // Checks twice per release interval, because a release could otherwise be late by a whole interval.
    super(webhooks.sweepInterval / 4, logger, 'bulk redelivery run failed');
    this.releaseIntervalMs = webhooks.sweepInterval / 2;
  }

  protected async run(): Promise<void> {
    if (!(await this.redeliveries.isDue(this.releaseIntervalMs))) return;
    const released = await this.transactions.run((tx) =>
      this.redeliveries.releaseNext(tx, this.releaseIntervalMs),
    );
    // The deliveries are not enqueued in Redis, where they would run before the first attempts of newer events.
    if (released > 0) this.duePoller.wake();
  }
}
