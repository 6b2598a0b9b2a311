import DataLoader from 'dataloader';
import { monotonicMs } from '../clock/clock.js';

/**
 * Combines concurrent callers' items into one call. If the last call started more than an interval ago, items are sent
 * in the current event loop turn. Otherwise they wait until the interval has passed, so batches grow with the load.
 */
export class Batcher<In, Out> {
  private lastCallAt = -Infinity;
  private readonly loader: DataLoader<In, Out>;

  /**
   * @param run must return one result per item, in the same order; an Error rejects only its item
   * @param options `intervalMs` minimum time between the starts of two calls, unless a batch is full; `maxBatchSize`
   * maximum number of items per call
   */
  constructor(run: (items: In[]) => Promise<(Out | Error)[]>, { intervalMs = 5, maxBatchSize = 200 } = {}) {
    const call = async (items: readonly In[]): Promise<(Out | Error)[]> => {
      this.lastCallAt = monotonicMs();
      return run([...items]);
    };
    this.loader = new DataLoader(call, {
      cache: false,
      maxBatchSize,
      batchScheduleFn: (send) => {
        const waitMs = this.lastCallAt + intervalMs - monotonicMs();
        if (waitMs <= 0) setImmediate(send);
        else setTimeout(send, waitMs);
      },
    });
  }

  /** Returns the result for an item, which must not be null. */
  add(item: In): Promise<Out> {
    return this.loader.load(item);
  }
}
