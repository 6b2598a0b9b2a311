import { Inject, Injectable } from '@nestjs/common';
import { PendingWorkRepository } from '@gatehouse/persistence';
import { Config, LOGGER, type Logger } from '@gatehouse/platform';
import { PeriodicJob } from './periodic-job.js';
import type { WorkJob } from './work-job.js';

/** Injection token for the jobs that run while their kind of work is waiting. */
export const WORK_JOBS = Symbol('work jobs');

/**
 * Runs each job whose work is waiting: every half sweep interval, or every sweep interval while no work is waiting.
 * An idle worker sends only one statement for all of them.
 */
@Injectable()
export class WorkPoller extends PeriodicJob {
  private isIdle = false;
  private isSkipped = false;

  constructor(
    private readonly pendingWork: PendingWorkRepository,
    @Inject(WORK_JOBS) private readonly jobs: WorkJob[],
    { webhooks }: Config,
    @Inject(LOGGER) logger: Logger,
  ) {
    super(webhooks.sweepInterval / 2, logger, 'check for work failed');
  }

  protected async run(): Promise<void> {
    this.isSkipped = this.isIdle && !this.isSkipped;
    if (this.isSkipped) return;
    const pending = await this.pendingWork.read();
    const due = this.jobs.filter(({ work }) => pending[work]);
    this.isIdle = due.length === 0;
    for (const job of due) job.trigger();
  }
}
