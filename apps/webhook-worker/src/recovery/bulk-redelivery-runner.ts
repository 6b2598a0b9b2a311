import { Inject, Injectable } from '@nestjs/common';
import { RedeliveryProcessingRepository, Transactions } from '@gatehouse/persistence';
import { Config, LOGGER, type Logger } from '@gatehouse/platform';
import { DuePoller } from '../delivery/due-poller.js';
import { WorkJob } from '../periodic-job/work-job.js';

/**
 * Releases a limited number of planned bulk redeliveries and recoveries twice a second, because 50,000 at once would
 * delay all other deliveries. The progress is stored in the database, so that another worker can continue after a
 * crash.
 */
@Injectable()
export class BulkRedeliveryRunner extends WorkJob {
  /** Minimum time between two releases of all workers, in ms. */
  private readonly minIntervalMs: number;

  constructor(
    private readonly redeliveries: RedeliveryProcessingRepository,
    private readonly transactions: Transactions,
    private readonly duePoller: DuePoller,
    { webhooks }: Config,
    @Inject(LOGGER) logger: Logger,
  ) {
    super('redeliveryBatches', logger, 'bulk redelivery run failed');
    // Slightly less than half a sweep interval, so that the next run of the WorkPoller is never too early.
    this.minIntervalMs = webhooks.sweepInterval * 0.45;
  }

  protected async run(): Promise<void> {
    const released = await this.transactions.run((tx) =>
      this.redeliveries.releaseNext(tx, this.minIntervalMs),
    );
    // The deliveries are not enqueued in Redis, where they would run before the first attempts of newer events.
    if (released > 0) this.duePoller.wake();
  }
}
