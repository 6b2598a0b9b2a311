import { errorMessage, type Logger } from '@gatehouse/platform';

/** A job that runs again and again, never twice at once. A run that fails is logged; the next one follows. */
export abstract class PeriodicJob {
  private timer: NodeJS.Timeout | undefined;
  private underWay: Promise<void> | undefined;
  private readonly stopping = new AbortController();

  /**
   * @param everyMs pause between the starts of two runs
   * @param failure log message of a run that failed
   */
  constructor(
    private readonly everyMs: number,
    protected readonly logger: Logger,
    private readonly failure: string,
  ) {}

  start(): void {
    this.timer = setInterval(() => {
      this.underWay ??= this.runOnce().finally(() => (this.underWay = undefined));
    }, this.everyMs);
  }

  /** Begins nothing more. @returns when the run under way has ended */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    this.stopping.abort();
    await this.underWay;
  }

  /** One run from its start, after the one under way. @throws what the run throws */
  async runNow(): Promise<void> {
    while (this.underWay) await this.underWay;
    const run = this.run(this.stopping.signal);
    this.underWay = run.catch(() => undefined).finally(() => (this.underWay = undefined));
    await run;
  }

  /** @param signal aborted once it has to stop: what takes long begins nothing more */
  protected abstract run(signal: AbortSignal): Promise<void>;

  private async runOnce(): Promise<void> {
    try {
      await this.run(this.stopping.signal);
    } catch (error) {
      this.logger.warn({ reason: errorMessage(error) }, this.failure);
    }
  }
}
