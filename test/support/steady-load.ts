import { setTimeout as sleep } from 'node:timers/promises';

/** A load that nobody has stopped by then has been forgotten, by a test that failed. */
const MAX_DURATION_MS = 120_000;

/**
 * Asks so many times a second until it is stopped, whether or not the answers before have come, unless there is a limit
 * to that. What this process misses in a pause is not made up for: a burst would be another load.
 */
export class SteadyLoad {
  private readonly responses: Promise<unknown>[] = [];
  private inFlight = 0;
  private isStopped = false;
  private readonly running: Promise<void>;

  /**
   * @param send may fail: whoever watches the exchanges judges that
   * @param maxInFlight that may wait for an answer at the same time, for loads that a slow machine could not bear
   */
  constructor(
    private readonly perSecond: number,
    private readonly send: (count: number) => Promise<unknown>,
    private readonly maxInFlight = Infinity,
  ) {
    this.running = this.run();
  }

  /** Resolves when everything that was asked has been answered. @returns how much that is */
  async stop(): Promise<number> {
    this.isStopped = true;
    await this.running;
    await Promise.all(this.responses);
    return this.responses.length;
  }

  private async run(): Promise<void> {
    const began = performance.now();
    let done = 0;
    while (!this.isStopped && performance.now() - began < MAX_DURATION_MS) {
      const due = Math.floor(((performance.now() - began) * this.perSecond) / 1_000) + 1;
      for (
        let now = Math.min(due - done, this.perSecond / 10);
        now > 0 && this.inFlight < this.maxInFlight;
        now -= 1
      ) {
        this.responses.push(this.sendOne());
      }
      done = due;
      await sleep(5);
    }
  }

  private async sendOne(): Promise<void> {
    this.inFlight += 1;
    await this.send(this.responses.length).catch(() => undefined);
    this.inFlight -= 1;
  }
}
