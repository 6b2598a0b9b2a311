/** Farthest appointment in seconds: later ones would rather be tries of somebody else. */
const HORIZON_SECONDS = 20;

/**
 * Tells those who must come back when to do so: in no second more of them than can be served in it. With one wait
 * for all they would come back together, find the house full again, and leave it idle in between.
 */
export class RetrySlots {
  /** How many are due, by second. */
  private readonly bookedBySecond = new Map<number, number>();

  /**
   * @param nowMs of a clock that never jumps
   * @param minSeconds seconds from now on, at least
   * @param perSecond how many can be served
   * @returns seconds from now on
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
