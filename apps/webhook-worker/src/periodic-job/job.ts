import { errorMessage, type Logger } from '@gatehouse/platform';

/** A job whose runs never overlap. A failed run is logged and does not prevent the next one. */
export abstract class Job {
  private currentRun: Promise<void> | undefined;
  private readonly abortController = new AbortController();

  /** @param failureMessage log message for a failed run */
  constructor(
    protected readonly logger: Logger,
    private readonly failureMessage: string,
  ) {}

  /** Starts a run unless one is in progress or the job has stopped. */
  trigger(): void {
    if (this.abortController.signal.aborted) return;
    this.currentRun ??= this.runOnce().finally(() => (this.currentRun = undefined));
  }

  /** Starts no further runs. Resolves when the current run has ended. */
  async stop(): Promise<void> {
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
