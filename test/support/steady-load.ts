import { setTimeout as sleep } from 'node:timers/promises';

/** A load's maximum duration, in case a failed test did not stop it. */
const MAX_DURATION_MS = 120_000;

/**
 * Sends a fixed number of requests per second until it is stopped, without waiting for earlier responses, up
 * to `maxInFlight`. Requests that this process misses during a pause are not sent later: a burst would be a
 * different load.
 */
export class SteadyLoad {
  private readonly responses: Promise<unknown>[] = [];
  private inFlight = 0;
  private isStopped = false;
  private readonly running: Promise<void>;

  /**
   * @param send may fail: the exchange history checks the result
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
