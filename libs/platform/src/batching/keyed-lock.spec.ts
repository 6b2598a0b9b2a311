import { setImmediate as turn } from 'node:timers/promises';
import { KeyedLock } from './keyed-lock.js';

/** Work that ends when it is told to. */
function held() {
  let end!: () => void;
  const ended = new Promise<void>((resolve) => (end = resolve));
  return { end, ended };
}

describe('KeyedLock', () => {
  it('runs work of one key one after the other, in the order it came', async () => {
    const lock = new KeyedLock();
    const log: string[] = [];
    const first = held();
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
    expect(log).toEqual(['first begins']);
    first.end();
    await Promise.all(running);
    expect(log).toEqual(['first begins', 'first ends', 'second', 'third']);
  });

  it('does not make another key wait', async () => {
    const lock = new KeyedLock();
    const first = held();
    const blocked = lock.run('a', () => first.ended);
    await expect(lock.run('b', async () => 'done')).resolves.toBe('done');
    first.end();
    await blocked;
  });

  it('I7: makes nobody wait for ever: after its patience work runs beside the others', async () => {
    const lock = new KeyedLock(1);
    const hung = held();
    const first = lock.run('a', () => hung.ended);
    await expect(Promise.all([1, 2, 3].map((each) => lock.run('a', async () => each)))).resolves.toEqual([
      1, 2, 3,
    ]);
    hung.end();
    await first;
  });

  it('hands on the result, and the error to nobody but its own caller', async () => {
    const lock = new KeyedLock();
    const failing = lock.run('a', () => Promise.reject(new Error('mine')));
    const next = lock.run('a', async () => 'fine');
    await expect(failing).rejects.toThrow('mine');
    await expect(next).resolves.toBe('fine');
  });

  it('forgets a key when its last work has ended', async () => {
    const lock = new KeyedLock();
    await Promise.all([
      lock.run('a', async () => 1),
      lock.run('a', async () => 2),
      lock.run('b', async () => 3),
    ]);
    await lock.run('c', () => Promise.reject(new Error('failed'))).catch(() => undefined);
    expect((lock as unknown as { tails: Map<string, unknown> }).tails.size).toBe(0);
  });
});
