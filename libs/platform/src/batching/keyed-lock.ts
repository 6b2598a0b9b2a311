import { withTimeout } from '../clock/clock.js';

/**
 * Serializes work for the same key within this process. It is an optimization and does not guarantee mutual exclusion:
 * work that has waited for `maxWaitMs` runs concurrently, so that a hung query cannot block the queue.
 */
export class KeyedLock {
  private readonly tails = new Map<string, Promise<unknown>>();

  /** @param maxWaitMs maximum time to wait for previous work for the same key, in ms */
  constructor(private readonly maxWaitMs = 2_000) {}

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const previous = this.tails.get(key) ?? Promise.resolve();
    const current = withTimeout(previous, this.maxWaitMs, 'the previous run took too long').then(work, work);
    this.tails.set(key, current);
    try {
      return await current;
    } finally {
      if (this.tails.get(key) === current) this.tails.delete(key);
    }
  }
}
