import { monotonicMs } from '../clock/clock.js';

/**
 * A time limit for an operation with several steps. Its signal aborts when the time limit expires, and never earlier.
 */
export class Deadline {
  private readonly controller = new AbortController();
  private readonly started = monotonicMs();
  private timer: NodeJS.Timeout | undefined;
  private lastTurn: NodeJS.Immediate | undefined;
  private hasExpired = false;

  /**
   * @param ms the time limit, which starts now
   * @param beforeExpiry called when the time has passed, one event loop turn before the signal aborts
   */
  constructor(
    private readonly ms: number,
    private readonly beforeExpiry: () => void = () => undefined,
  ) {
    // A timer is used even for 0 ms, so that `beforeExpiry` runs only after the constructor has returned.
    this.timer = setTimeout(() => this.arm(), ms);
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** True if the time limit has expired; false if it is still running, was cleared or was aborted. */
  get isExpired(): boolean {
    return this.hasExpired;
  }

  /** Aborts the signal before the time limit expires. */
  readonly abort = (): void => {
    this.clear();
    this.controller.abort();
  };

  /** Stops the time limit, so that the signal does not abort. */
  clear(): void {
    clearTimeout(this.timer);
    clearImmediate(this.lastTurn);
  }

  /**
   * Expires, or waits again if the timer has fired too early. A timer counts from the start of the current event loop
   * turn, which can be long.
   */
  private arm(): void {
    const left = this.ms - (monotonicMs() - this.started);
    if (left > 0) {
      this.timer = setTimeout(() => this.arm(), Math.ceil(left));
    } else {
      this.beforeExpiry();
      // If the event loop was blocked, a response that arrived in time may not have been read yet. One complete event
      // loop turn reads it.
      this.lastTurn = setImmediate(() => {
        this.lastTurn = setImmediate(() => this.expire());
      });
    }
  }

  private expire(): void {
    this.hasExpired = true;
    this.controller.abort();
  }
}
