/**
 * Maximum time until a slot, in seconds. Without it, some callers would have to wait longer than callers that simply
 * retry.
 */
const HORIZON_SECONDS = 20;

/**
 * Assigns retry times to rejected callers, so that each second has at most as many retries as the server can process.
 * If they all waited for the same time, they would retry together and overload the server again, and the server would
 * be idle in between.
 */
export class RetrySlots {
  /** The number of assigned slots, by second. */
  private readonly bookedBySecond = new Map<number, number>();

  /**
   * Assigns a slot.
   * @param nowMs monotonic clock time, in ms
   * @param minSeconds minimum number of seconds from now
   * @param perSecond number of callers that can be served per second
   * @returns seconds from now
   */
  assign(nowMs: number, minSeconds: number, perSecond: number): number {
    const current = Math.floor(nowMs / 1000);
    for (const second of this.bookedBySecond.keys()) if (second < current) this.bookedBySecond.delete(second);
    let wait = minSeconds;
    while (wait < HORIZON_SECONDS && (this.bookedBySecond.get(current + wait) ?? 0) >= perSecond) wait += 1;
    this.bookedBySecond.set(current + wait, (this.bookedBySecond.get(current + wait) ?? 0) + 1);
    return wait;
  }
}
