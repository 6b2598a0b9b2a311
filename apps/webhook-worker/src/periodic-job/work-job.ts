import type { PendingWork } from '@gatehouse/persistence';
import type { Logger } from '@gatehouse/platform';
import { Job } from './job.js';

/** A job that runs while its kind of work is waiting (work-poller.ts). */
export abstract class WorkJob extends Job {
  /** @param failureMessage log message for a failed run */
  constructor(
    readonly work: keyof PendingWork,
    logger: Logger,
    failureMessage: string,
  ) {
    super(logger, failureMessage);
  }
}
