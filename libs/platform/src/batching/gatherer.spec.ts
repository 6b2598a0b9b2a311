import { setImmediate as turn } from 'node:timers/promises';
import { Gatherer } from './gatherer.js';

describe('Gatherer', () => {
  it('makes one call of what is added in one turn, up to its limit, and resolves each in order', async () => {
    const sizes: number[] = [];
    const gatherer = new Gatherer(async (items: number[]) => {
      sizes.push(items.length);
      return items.map((item) => item * 10);
    }, 3);
    const items = Array.from({ length: 10 }, (_, index) => index);
    const results = await Promise.all(items.map((item) => gatherer.add(item)));
    expect(results).toEqual(items.map((item) => item * 10));
    expect(sizes).toEqual([3, 3, 3, 1]);
  });

  it.each<[string, () => Promise<string[]>]>([
    ['a call that fails', () => Promise.reject(new Error('away'))],
    [
      'a call that throws synchronously',
      () => {
        throw new Error('away');
      },
    ],
  ])('%s rejects all of its callers, and only them', async (_, fail) => {
    let fails = true;
    const gatherer = new Gatherer((items: string[]) => (fails ? fail() : Promise.resolve(items)));
    const results = await Promise.allSettled([gatherer.add('a'), gatherer.add('b')]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    fails = false;
    await expect(gatherer.add('c')).resolves.toBe('c');
  });

  it('continues while a call runs, without waiting for its end', async () => {
    const calls: string[][] = [];
    let release!: () => void;
    const slow = new Promise<void>((resolve) => (release = resolve));
    const gatherer = new Gatherer(async (items: string[]) => {
      calls.push(items);
      if (calls.length === 1) await slow;
      return items;
    });
    const first = gatherer.add('a');
    await turn();
    await turn();
    expect(calls).toEqual([['a']]);
    await expect(Promise.all([gatherer.add('b'), gatherer.add('c')])).resolves.toEqual(['b', 'c']);
    expect(calls).toEqual([['a'], ['b', 'c']]);
    release();
    await expect(first).resolves.toBe('a');
  });
});
