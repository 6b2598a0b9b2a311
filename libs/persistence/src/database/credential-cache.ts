import { LRUCache } from 'lru-cache';
import { monotonicMs } from '@gatehouse/platform';
import type { Tx } from './transactions.js';

/**
 * Maximum age of a value, in ms. A revoked key must be rejected by every API process within a second (requirement
 * AK-08).
 */
const MAX_AGE_MS = 1_000;

const MAX_VALUES = 1_000;

/**
 * Keeps credentials and their projects for a second, so that not every request has to look them up (ADR 0116). A change
 * in this process takes effect when it commits; a change in another process takes effect within a second.
 */
export class CredentialCache<Value extends object = object> {
  private readonly values = new LRUCache<string, Value>({
    max: MAX_VALUES,
    ttl: MAX_AGE_MS,
    perf: { now: monotonicMs },
  });
  /** Number of times that the cache was cleared. */
  private generation = 0;

  get(id: string): Value | undefined {
    return this.values.get(id);
  }

  /**
   * Starts a lookup.
   * @returns a function that stores the result, unless the cache has been cleared since: the lookup may have read the
   * state before the change. The value's age is measured from the start of the lookup
   */
  startLookup(id: string): (value: Value) => void {
    const { generation } = this;
    const start = monotonicMs();
    return (value) => {
      if (generation === this.generation) this.values.set(id, value, { start });
    };
  }

  /** Clears the cache after a transaction that changes cached data has committed. */
  clearAfter(tx: Tx): void {
    tx.afterCommit.push(() => this.clear());
  }

  clear(): void {
    this.generation += 1;
    this.values.clear();
  }
}
