import { errorMessage, type Logger } from '@gatehouse/platform';

/** A job that runs again and again, never twice at once. A run that fails is logged; the next one follows. */
export abstract class PeriodicJob {
  private timer: NodeJS.Timeout | undefined;
  private currentRun: Promise<void> | undefined;
  private readonly abortController = new AbortController();

  /**
   * @param intervalMs pause between the starts of two runs
   * @param failureMessage log message of a run that failed
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

  /** Begins nothing more. @returns when the run under way has ended */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    this.abortController.abort();
    await this.currentRun;
  }

  /** One run from its start, after the one under way. @throws what the run throws */
  async runNow(): Promise<void> {
    while (this.currentRun) await this.currentRun;
    const run = this.run(this.abortController.signal);
    this.currentRun = run.catch(() => undefined).finally(() => (this.currentRun = undefined));
    await run;
  }

  /** @param signal aborted once it has to stop: what takes long begins nothing more */
  protected abstract run(signal: AbortSignal): Promise<void>;

  private async runOnce(): Promise<void> {
    try {
      await this.run(this.abortController.signal);
    } catch (error) {
      this.logger.warn({ reason: errorMessage(error) }, this.failureMessage);
    }
  }
}
