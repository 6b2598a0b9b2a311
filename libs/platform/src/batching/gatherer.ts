/** Longest time that an item waits for company, in ms. */
const GATHER_MS = 5;

interface Waiting<In, Out> {
  item: In;
  resolve: (result: Out) => void;
  reject: (error: unknown) => void;
}

/**
 * Gathers what concurrent callers ask for into one call. While no call is under way an item goes at once;
 * while one is, the next gathers for at most 5 ms.
 */
export class Gatherer<In, Out> {
  private waiting: Waiting<In, Out>[] = [];
  private scheduled = false;
  private underWay = 0;

  /** @param run must return one result per item, in order */
  constructor(
    private readonly run: (items: In[]) => Promise<Out[]>,
    private readonly maxItems = 200,
  ) {}

  add(item: In): Promise<Out> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      if (this.scheduled) return;
      this.scheduled = true;
      if (this.underWay === 0) setImmediate(() => void this.flush());
      else setTimeout(() => void this.flush(), GATHER_MS);
    });
  }

  private async flush(): Promise<void> {
    const batch = this.waiting.splice(0, this.maxItems);
    this.scheduled = this.waiting.length > 0;
    if (this.scheduled) setImmediate(() => void this.flush());
    this.underWay += 1;
    try {
      const results = await this.run(batch.map(({ item }) => item));
      batch.forEach(({ resolve }, index) => resolve(results[index]!));
    } catch (error) {
      batch.forEach(({ reject }) => reject(error));
    } finally {
      this.underWay -= 1;
    }
  }
}
