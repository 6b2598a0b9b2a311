import { errorMessage, type Logger } from '#platform';

/** Something that is done again and again, never twice at once. A round that fails is logged; the next one comes. */
export abstract class Rounds {
  private timer: NodeJS.Timeout | undefined;
  private underWay: Promise<void> | undefined;
  private readonly stopping = new AbortController();

  /** @param failure what the log says of a round that failed */
  constructor(
    private readonly everyMs: number,
    protected readonly logger: Logger,
    private readonly failure: string,
  ) {}

  start(): void {
    this.timer = setInterval(() => {
      this.underWay ??= this.oneRound().finally(() => (this.underWay = undefined));
    }, this.everyMs);
  }

  /** Begins nothing more. @returns when the round under way has ended */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    this.stopping.abort();
    await this.underWay;
  }

  /** @param signal aborted once it has to stop: what takes long begins nothing more */
  protected abstract round(signal: AbortSignal): Promise<void>;

  private async oneRound(): Promise<void> {
    try {
      await this.round(this.stopping.signal);
    } catch (error) {
      this.logger.warn({ reason: errorMessage(error) }, this.failure);
    }
  }
}
