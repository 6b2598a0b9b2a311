import { setImmediate as turn } from 'node:timers/promises';
import { Gatherer } from './gatherer.js';

describe('Gatherer', () => {
  it('gathers what is asked for in one turn into one call, and answers each caller in order', async () => {
    const calls: number[][] = [];
    const gatherer = new Gatherer(async (items: number[]) => {
      calls.push(items);
      return items.map((item) => item * 10);
    });
    await expect(Promise.all([3, 1, 2].map((item) => gatherer.add(item)))).resolves.toEqual([30, 10, 20]);
    expect(calls).toEqual([[3, 1, 2]]);
  });

  it('a failed call rejects all of its callers, and only them', async () => {
    let fails = true;
    const gatherer = new Gatherer(async (items: string[]) => {
      if (fails) throw new Error('away');
      return items;
    });
    const results = await Promise.allSettled([gatherer.add('a'), gatherer.add('b')]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    fails = false;
    await expect(gatherer.add('c')).resolves.toBe('c');
  });

  it('a call that throws at once rejects its callers too', async () => {
    const gatherer = new Gatherer<string, string>(() => {
      throw new Error('at once');
    });
    await expect(gatherer.add('a')).rejects.toThrow('at once');
  });

  it('never asks for more than its most, and leaves nobody behind', async () => {
    const sizes: number[] = [];
    const gatherer = new Gatherer(async (items: number[]) => {
      sizes.push(items.length);
      return items;
    }, 3);
    const asked = Array.from({ length: 10 }, (_, index) => index);
    await expect(Promise.all(asked.map((item) => gatherer.add(item)))).resolves.toEqual(asked);
    expect(sizes).toEqual([3, 3, 3, 1]);
  });

  it('goes on gathering while a call is under way, and does not wait for its end', async () => {
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

  it('what is null or undefined is a result like any other', async () => {
    const gatherer = new Gatherer(async (items: (null | undefined)[]) => items);
    await expect(Promise.all([gatherer.add(null), gatherer.add(undefined)])).resolves.toEqual([
      null,
      undefined,
    ]);
  });
});
