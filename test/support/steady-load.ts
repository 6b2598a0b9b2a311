import { setTimeout as sleep } from 'node:timers/promises';

/** A load that nobody has stopped by then has been forgotten, by a test that failed. */
const LONGEST_MS = 120_000;

/**
 * Asks so many times a second until it is stopped, whether or not the answers before have come, unless there is a limit
 * to that. What this process misses in a pause is not made up for: a burst would be another load.
 */
export class SteadyLoad {
  private readonly asked: Promise<unknown>[] = [];
  private inHand = 0;
  private isOver = false;
  private readonly running: Promise<void>;

  /**
   * @param ask may fail: whoever watches the exchanges judges that
   * @param most that may wait for an answer at the same time, for loads that a slow machine could not bear
   */
  constructor(
    private readonly perSecond: number,
    private readonly ask: (count: number) => Promise<unknown>,
    private readonly most = Infinity,
  ) {
    this.running = this.run();
  }

  /** Resolves when everything that was asked has been answered. @returns how much that is */
  async stop(): Promise<number> {
    this.isOver = true;
    await this.running;
    await Promise.all(this.asked);
    return this.asked.length;
  }

  private async run(): Promise<void> {
    const began = performance.now();
    let done = 0;
    while (!this.isOver && performance.now() - began < LONGEST_MS) {
      const due = Math.floor(((performance.now() - began) * this.perSecond) / 1_000) + 1;
      for (
        let now = Math.min(due - done, this.perSecond / 10);
        now > 0 && this.inHand < this.most;
        now -= 1
      ) {
        this.asked.push(this.askOnce());
      }
      done = due;
      await sleep(5);
    }
  }

  private async askOnce(): Promise<void> {
    this.inHand += 1;
    await this.ask(this.asked.length).catch(() => undefined);
    this.inHand -= 1;
  }
}
