import type { Logger } from '@gatehouse/platform';
import { Job } from './job.js';

/** A job that runs periodically. */
export abstract class PeriodicJob extends Job {
  private timer: NodeJS.Timeout | undefined;

  /**
   * @param intervalMs time between the starts of two runs
   * @param failureMessage log message for a failed run
   */
  constructor(
    private readonly intervalMs: number,
    logger: Logger,
    failureMessage: string,
  ) {
    super(logger, failureMessage);
  }

  start(): void {
    this.timer = setInterval(() => this.trigger(), this.intervalMs);
  }

  override stop(): Promise<void> {
    clearInterval(this.timer);
    return super.stop();
  }
}
