import { Inject, Injectable } from '@nestjs/common';
import { RedeliveryProcessingRepository, Transactions } from '@gatehouse/persistence';
import { Config, LOGGER, type Logger } from '@gatehouse/platform';
import { DuePoller } from '../delivery/due-poller.js';
import { PeriodicJob } from '../periodic-job.js';

/**
 * Brings bulk redeliveries and recoveries on their way, twice a second some of them: 50,000 at once would stand in
 * everybody's way. What it has done stands in the database, so that any worker goes on where another was killed.
 */
@Injectable()
export class BulkRedeliveryRunner extends PeriodicJob {
  private readonly releaseIntervalMs: number;

  constructor(
    private readonly work: RedeliveryProcessingRepository,
    private readonly transactions: Transactions,
    private readonly duePoller: DuePoller,
    { webhooks }: Config,
    @Inject(LOGGER) logger: Logger,
  ) {
    // Looks twice as often as turns come, or each would be late by up to a whole one.
    super(webhooks.sweepInterval / 4, logger, 'bulk redelivery run failed');
    this.releaseIntervalMs = webhooks.sweepInterval / 2;
  }

  protected async run(): Promise<void> {
    if (!(await this.work.isDue(this.releaseIntervalMs))) return;
    const made = await this.transactions.run((tx) => this.work.releaseNext(tx, this.releaseIntervalMs));
    // Not announced: batches do not travel through Redis, where they would stand before first attempts.
    if (made > 0) this.duePoller.wake();
  }
}
