import { Inject, Injectable } from '@nestjs/common';
import { RedeliveryWorkRepository, Transactions } from '@gatehouse/persistence';
import { Config, LOGGER, type Logger } from '@gatehouse/platform';
import { DueSource } from '../delivery/due-source.js';
import { PeriodicJob } from '../periodic-job.js';

/**
 * Brings bulk redeliveries and recoveries on their way, twice a second some of them: 50,000 at once would stand in
 * everybody's way. What it has done stands in the database, so that any worker goes on where another was killed.
 */
@Injectable()
export class BatchRunner extends PeriodicJob {
  private readonly turnMs: number;

  constructor(
    private readonly work: RedeliveryWorkRepository,
    private readonly transactions: Transactions,
    private readonly source: DueSource,
    { webhooks }: Config,
    @Inject(LOGGER) logger: Logger,
  ) {
    // Looks twice as often as turns come, or each would be late by up to a whole one.
    super(webhooks.sweepInterval / 4, logger, 'bulk redelivery run failed');
    this.turnMs = webhooks.sweepInterval / 2;
  }

  protected async run(): Promise<void> {
    if (!(await this.work.isDue(this.turnMs))) return;
    const made = await this.transactions.run((tx) => this.work.takeTurn(tx, this.turnMs));
    // Not announced: batches do not travel through Redis, where they would stand before first attempts.
    if (made > 0) this.source.wake();
  }
}
