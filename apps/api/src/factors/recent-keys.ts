import { monotonicMs } from '@gatehouse/platform';

/** Maximum number of remembered keys; the oldest are forgotten first. */
const MAX_KEYS = 10_000;

/** Remembers for some time which keys have occurred, in the memory of this process. */
export class RecentKeys {
  private readonly expiry = new Map<string, number>();

  constructor(private readonly durationMs: number) {}

  /** Remembers a key. Returns false if it is already remembered, which does not prolong the time. */
  add(key: string): boolean {
    const now = monotonicMs();
    if ((this.expiry.get(key) ?? 0) > now) return false;
    // Deleted first, so that the keys stay in the order in which they expire.
    this.expiry.delete(key);
    this.expiry.set(key, now + this.durationMs);
    for (const [oldest, end] of this.expiry) {
      if (end > now && this.expiry.size <= MAX_KEYS) break;
      this.expiry.delete(oldest);
    }
    return true;
  }
}
