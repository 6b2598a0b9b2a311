/**
 * Maximum distance to a slot, in seconds. Without it, later callers would wait longer than other callers take to retry.
 */
const HORIZON_SECONDS = 20;

/**
 * Assigns retry times to rejected callers, at most as many per second as can be served. With the same wait
 * for all, they would retry at the same time, find the server overloaded again, and leave it idle in between.
 */
export class RetrySlots {
  /** Assigned slot counts, by second. */
  private readonly bookedBySecond = new Map<number, number>();

  /**
   * Assigns a slot.
   * @param nowMs a monotonic clock's time, in ms
   * @param minSeconds minimum distance, in seconds from now
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
