import { monotonicMs } from '#platform';

/** One stretch of wall-clock time over several steps, whose signal aborts at its end and never before. */
export class Deadline {
  private readonly controller = new AbortController();
  private readonly started = monotonicMs();
  private timer: NodeJS.Timeout | undefined;

  /** @param ms how long it is, from now */
  constructor(private readonly ms: number) {
    this.arm();
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Whole ms since the beginning. */
  get elapsedMs(): number {
    return Math.round(monotonicMs() - this.started);
  }

  /** Ends it before its time. */
  abort(): void {
    this.clear();
    this.controller.abort();
  }

  clear(): void {
    clearTimeout(this.timer);
  }

  /** A timer counts from the beginning of the event loop's turn, so after a long one it comes too early. */
  private arm(): void {
    const left = this.ms - (monotonicMs() - this.started);
    if (left <= 0) this.controller.abort();
    else this.timer = setTimeout(() => this.arm(), Math.ceil(left));
  }
}
