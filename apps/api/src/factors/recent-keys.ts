import { monotonicMs } from '@gatehouse/platform';

/** Maximum number of stored keys. The oldest are evicted first. */
const MAX_KEYS = 10_000;

/** Stores recently seen keys in this process's memory. */
export class RecentKeys {
  private readonly expiry = new Map<string, number>();

  constructor(private readonly durationMs: number) {}

  /** Adds a key. Returns false if it is already stored, without extending its expiry. */
  add(key: string): boolean {
    const now = monotonicMs();
    if ((this.expiry.get(key) ?? 0) > now) return false;
    // Deleted first, so that the keys stay in expiry order.
    this.expiry.delete(key);
    this.expiry.set(key, now + this.durationMs);
    for (const [oldest, end] of this.expiry) {
      if (end > now && this.expiry.size <= MAX_KEYS) break;
      this.expiry.delete(oldest);
    }
    return true;
  }
}
