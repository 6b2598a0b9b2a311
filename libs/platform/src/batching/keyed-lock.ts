import { withTimeout } from '../clock/clock.js';

/**
 * Runs work of the same key one after the other within this process. It saves work and guards nothing: whoever has
 * waited too long runs beside the others, so that a database that hangs holds nobody up in a line of hung ones.
 */
export class KeyedLock {
  private readonly tails = new Map<string, Promise<unknown>>();

  /** @param maxWaitMs longest wait for the others of a key, in ms */
  constructor(private readonly maxWaitMs = 2_000) {}

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.tails.get(key) ?? Promise.resolve();
    const mine = withTimeout(before, this.maxWaitMs, 'the previous run took too long').then(work, work);
    this.tails.set(key, mine);
    try {
      return await mine;
    } finally {
      if (this.tails.get(key) === mine) this.tails.delete(key);
    }
  }
}
