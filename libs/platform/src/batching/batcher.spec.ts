import { setImmediate as turn } from 'node:timers/promises';
import { Batcher } from './batcher.js';

describe('Batcher', () => {
  it('combines the items of one turn into calls of limited size, with results in order', async () => {
    const sizes: number[] = [];
    const batcher = new Batcher(
      async (items: number[]) => {
        sizes.push(items.length);
        return items.map((item) => item * 10);
      },
      { maxBatchSize: 3 },
    );
    const items = Array.from({ length: 10 }, (_, index) => index);
    const results = await Promise.all(items.map((item) => batcher.add(item)));
    expect(results).toEqual(items.map((item) => item * 10));
    expect(sizes).toEqual([3, 3, 3, 1]);
  });

  it.each<[string, () => Promise<string[]>]>([
    ['a call that fails', () => Promise.reject(new Error('unavailable'))],
    [
      'a call that throws synchronously',
      () => {
        throw new Error('unavailable');
      },
    ],
  ])('rejects only the callers in the batch of %s', async (_, fail) => {
    let fails = true;
    const batcher = new Batcher((items: string[]) => (fails ? fail() : Promise.resolve(items)));
    const results = await Promise.allSettled([batcher.add('a'), batcher.add('b')]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    fails = false;
    await expect(batcher.add('c')).resolves.toBe('c');
  });

  it('sends the next batch while a call is in flight', async () => {
    const calls: string[][] = [];
    let release!: () => void;
    const slow = new Promise<void>((resolve) => (release = resolve));
    const batcher = new Batcher(async (items: string[]) => {
      calls.push(items);
      if (calls.length === 1) await slow;
      return items;
    });
    const first = batcher.add('a');
    await turn();
    await turn();
    expect(calls).toEqual([['a']]);
    await expect(Promise.all([batcher.add('b'), batcher.add('c')])).resolves.toEqual(['b', 'c']);
    expect(calls).toEqual([['a'], ['b', 'c']]);
    release();
    await expect(first).resolves.toBe('a');
  });
});
