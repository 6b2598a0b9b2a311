import { setImmediate as turn } from 'node:timers/promises';
import { KeyedLock } from './keyed-lock.js';

/** Creates work that runs until `end` is called. */
function createPendingWork() {
  let end!: () => void;
  const ended = new Promise<void>((resolve) => (end = resolve));
  return { end, ended };
}

describe('KeyedLock', () => {
  it('runs work for the same key in order and work for another key immediately', async () => {
    const lock = new KeyedLock();
    const log: string[] = [];
    const first = createPendingWork();
    const running = [
      lock.run('a', async () => {
        log.push('first begins');
        await first.ended;
        log.push('first ends');
      }),
      lock.run('a', async () => log.push('second')),
      lock.run('a', async () => log.push('third')),
    ];
    await turn();
    await lock.run('b', async () => log.push('other'));
    expect(log).toEqual(['first begins', 'other']);
    first.end();
    await Promise.all(running);
    expect(log.slice(2)).toEqual(['first ends', 'second', 'third']);
  });

  it('I7: runs work concurrently after the maximum wait', async () => {
    const lock = new KeyedLock(1);
    const hung = createPendingWork();
    const first = lock.run('a', () => hung.ended);
    const others = [1, 2, 3].map((each) => lock.run('a', async () => each));
    await expect(Promise.all(others)).resolves.toEqual([1, 2, 3]);
    hung.end();
    await first;
  });

  it('rejects only the caller whose work failed and removes a key after its last work', async () => {
    const lock = new KeyedLock();
    const failing = lock.run('a', () => Promise.reject(new Error('failed')));
    const next = lock.run('a', async () => 'fine');
    await expect(failing).rejects.toThrow('failed');
    await expect(next).resolves.toBe('fine');
    expect((lock as unknown as { tails: Map<string, unknown> }).tails.size).toBe(0);
  });
});
