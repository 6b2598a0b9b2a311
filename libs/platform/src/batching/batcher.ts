import DataLoader from 'dataloader';

/** Maximum time that an item waits for others while a call is in flight, in ms. */
const BATCH_WINDOW_MS = 5;

/**
 * Combines the items of concurrent callers into one call. While no call is in flight, items are sent in the
 * current turn of the event loop. While one is, the next batch is collected for at most 5 ms.
 */
export class Batcher<In, Out> {
  private inFlight = 0;
  private readonly loader: DataLoader<In, Out>;

  /** @param run must return one result per item, in order */
  constructor(run: (items: In[]) => Promise<Out[]>, maxBatchSize = 200) {
    const track = async (items: readonly In[]): Promise<Out[]> => {
      this.inFlight += 1;
      try {
        return await run([...items]);
      } finally {
        this.inFlight -= 1;
      }
    };
    this.loader = new DataLoader(track, {
      cache: false,
      maxBatchSize,
      batchScheduleFn: (send) => {
        if (this.inFlight === 0) setImmediate(send);
        else setTimeout(send, BATCH_WINDOW_MS);
      },
    });
  }

  /** Returns the result for an item, which must not be null. */
  add(item: In): Promise<Out> {
    return this.loader.load(item);
  }
}
