import { errorMessage, type Logger } from '@gatehouse/platform';

/** A job that runs periodically. Runs never overlap, and a failed run is logged and does not prevent the next one. */
export abstract class PeriodicJob {
  private timer: NodeJS.Timeout | undefined;
  private currentRun: Promise<void> | undefined;
  private readonly abortController = new AbortController();

  /**
   * @param intervalMs time between the starts of two runs
   * @param failureMessage log message for a failed run
   */
  constructor(
    private readonly intervalMs: number,
    protected readonly logger: Logger,
    private readonly failureMessage: string,
  ) {}

  start(): void {
    this.timer = setInterval(() => {
      this.currentRun ??= this.runOnce().finally(() => (this.currentRun = undefined));
    }, this.intervalMs);
  }

  /** Starts no further runs. Resolves when the current run has ended. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    this.abortController.abort();
    await this.currentRun;
  }

  /** Performs a complete run after the current one has ended. @throws the error from the run */
  async runNow(): Promise<void> {
    while (this.currentRun) await this.currentRun;
    const run = this.run(this.abortController.signal);
    this.currentRun = run.catch(() => undefined).finally(() => (this.currentRun = undefined));
    await run;
  }

  /**
   * Performs one run.
   * @param signal aborted when the job must stop; a long run must then start no further steps
   */
  protected abstract run(signal: AbortSignal): Promise<void>;

  private async runOnce(): Promise<void> {
    try {
      await this.run(this.abortController.signal);
    } catch (error) {
      this.logger.warn({ reason: errorMessage(error) }, this.failureMessage);
    }
  }
}
