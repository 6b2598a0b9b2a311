import { setTimeout as sleep } from 'node:timers/promises';

/** Maximum load duration, in case a failed test has not stopped it. */
const MAX_DURATION_MS = 120_000;

/**
 * Sends a fixed number of requests per second until it is stopped. It does not wait for earlier responses while fewer
 * than `maxInFlight` requests are in flight. Requests that were not sent during a pause of this process are skipped,
 * because a burst would be a different load.
 */
export class SteadyLoad {
  private readonly responses: Promise<unknown>[] = [];
  private inFlight = 0;
  private isStopped = false;
  private readonly running: Promise<void>;

  /**
   * @param send sends a request. It may fail, because the exchange history is checked instead
   * @param maxInFlight maximum number of concurrent requests, for loads that would overload a slow machine
   */
  constructor(
    private readonly perSecond: number,
    private readonly send: (count: number) => Promise<unknown>,
    private readonly maxInFlight = Infinity,
  ) {
    this.running = this.run();
  }

  /** Stops the load and waits until every request has finished. @returns the number of requests */
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
        let missing = Math.min(due - done, this.perSecond / 10);
        missing > 0 && this.inFlight < this.maxInFlight;
        missing -= 1
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
