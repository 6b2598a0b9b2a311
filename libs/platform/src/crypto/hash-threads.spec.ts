import { jest } from '@jest/globals';
import type { GatehouseError } from '@gatehouse/domain';
import { HashThreads, type HashOptions, type HashTask } from './hash-threads.js';

const task = { input: 'x', cost: 4 };
const overloaded = expect.objectContaining({
  code: 'overloaded',
  status: 503,
  details: { headers: { 'Retry-After': expect.stringMatching(/^[1-9]\d*$/) } },
});
const clientDisconnected = expect.objectContaining({ code: 'request_timeout' });

/** An imported hash, which does not change what a hash of ours is guessed to take. */
const imported = (weight: number): HashTask => {
  const hash = { scheme: 'bcrypt' as const, hash: `$2b$04$${'.'.repeat(53)}` };
  return { passwords: ['x'], imported: hash, weight };
};

/** How many of these are accepted. @throws Error unless the others are refused as `overloaded` */
async function accepted(running: Promise<unknown>[]): Promise<number> {
  const results = await Promise.allSettled(running);
  const refused = results.filter((result) => result.status === 'rejected');
  expect(refused.map(({ reason }) => reason as unknown)).toEqual(refused.map(() => overloaded));
  return results.length - refused.length;
}

// With the guess of 60 ms for cost 10, twenty hashes fit into the 1.2 s that may wait behind those which run. Hashes of
// ours correct the guess: a test that counts twice fills the queue with imported ones at first.
describe('HashThreads', () => {
  let threads: HashThreads;
  /** By default one whose patient tasks never lose their patience. */
  const start = async (patienceMs = Infinity): Promise<void> => {
    threads = new HashThreads(1, 10, patienceMs);
    // How long its thread takes to start is not what is measured.
    await threads.run(imported(1));
  };
  beforeEach(() => start());
  afterEach(() => threads.close());

  const flood = (count: number, caller: HashOptions = {}, one: HashTask = task) =>
    Array.from({ length: count }, () => threads.run(one, caller));

  it('ends its threads when all that runs or waits is done', async () => {
    const hashes = Array.from({ length: 5 }, () => threads.run<string>({ input: 'x', cost: 9 }));
    await threads.close();
    await expect(Promise.all(hashes)).resolves.toHaveLength(5);
  });

  it('a task that fails gives its thread back', async () => {
    await expect(threads.run({ input: 'x', cost: 1_000_000, hash: 42 as never })).rejects.toThrow();
    await expect(threads.run(task)).resolves.toEqual(expect.any(String));
  });

  it('RL-03: refuses what would wait too long, serves the others in order, and then accepts work again', async () => {
    const order: number[] = [];
    const running = flood(60).map((each, index) => each.then(() => order.push(index)));
    await expect(accepted(running)).resolves.toBe(1 + 20);
    expect(order).toEqual(Array.from({ length: 21 }, (_, index) => index));
    await expect(threads.run(task)).resolves.toEqual(expect.any(String));
  });

  it('RL-03: two threads accept twice as much, a higher cost less', async () => {
    for (const [pool, expected] of [
      [new HashThreads(2, 10), 2 + 40],
      [new HashThreads(1, 12), 1 + 5],
    ] as const) {
      const running = Array.from({ length: 60 }, () => pool.run(task));
      await expect(accepted(running)).resolves.toBe(expected);
      await pool.close();
    }
  });

  it('RL-03: the start of a thread does not make the queue shorter, quick imported hashes not longer', async () => {
    for (const before of [[task], Array<HashTask>(30).fill(imported(1))]) {
      await threads.close();
      threads = new HashThreads(1, 10);
      for (const one of before) await threads.run(one);
      await expect(accepted(flood(60))).resolves.toBe(1 + 20);
    }
  });

  it('RL-03: Retry-After spreads those who are refused over the seconds that can serve them', async () => {
    const running = flood(21);
    // The clock stands still: all of them come within one of its seconds.
    const clock = jest.spyOn(performance, 'now').mockReturnValue(performance.now());
    const waits = Array.from({ length: 60 }, () => {
      try {
        threads.reserve('a').release();
        return 0;
      } catch (error) {
        return Number((error as GatehouseError).details.headers!['Retry-After']);
      }
    });
    clock.mockRestore();
    // 1.26 s at least, and 17 hashes of 60 ms a second.
    expect(waits.slice(0, 34)).toEqual([...Array<number>(17).fill(2), ...Array<number>(17).fill(3)]);
    expect(Math.max(...waits)).toBe(5);
    await accepted(running);
  });

  describe('the share of a project', () => {
    const expectReserved = (projectId: string | null) =>
      expect(() => threads.reserve(projectId).release()).not.toThrow();
    const expectRefused = (projectId: string | null) =>
      expect(() => threads.reserve(projectId)).toThrow(overloaded);

    it('RL-03: is half of the queue; the server itself has all of it', async () => {
      const results = ['a', 'b', 'c'].map((projectId) => accepted(flood(30, { projectId }, imported(1))));
      // One runs, ten wait.
      await expect(Promise.all(results)).resolves.toEqual([1 + 10, 10, 0]);
      await expect(accepted(flood(30, { projectId: null }))).resolves.toBe(1 + 20);
    });

    it('RL-03: leaves capacity for the next one, and is given back', async () => {
      expectReserved('a');
      const first = flood(30, { projectId: 'a' }, imported(1));
      expectRefused('a');
      expectReserved('b');
      expectReserved(null);
      await accepted(first);
      expectReserved('a');
      await expect(accepted(flood(11, { projectId: 'a' }, imported(1)))).resolves.toBe(11);
      const all = flood(21);
      expectRefused('b');
      expectRefused(null);
      await accepted(all);
    });

    it('RL-03: is given back by a caller who leaves the queue', async () => {
      const caller = new AbortController();
      const running = threads.run(task);
      const waiting = flood(10, { projectId: 'a', signal: caller.signal });
      await expect(threads.run(task, { projectId: 'a' })).rejects.toEqual(overloaded);
      caller.abort();
      for (const result of await Promise.allSettled(waiting))
        expect(result).toMatchObject({ reason: clientDisconnected });
      await expect(accepted(flood(11, { projectId: 'a' }))).resolves.toBe(10);
      await running;
    });

    it('RL-03: counts the weight of an imported hash, of which one may always wait', async () => {
      const running = threads.run(task);
      const first = threads.run(imported(16), { projectId: 'a' });
      await expect(threads.run(task, { projectId: 'a' })).rejects.toEqual(overloaded);
      const second = threads.run(imported(4), { projectId: 'b' });
      // 16 + 4 waiting and one running are more than 1.2 s.
      await expect(threads.run(task)).rejects.toEqual(overloaded);
      await Promise.all([running, first, second]);
      await expect(threads.run(task, { projectId: 'a' })).resolves.toEqual(expect.any(String));
    });

    it('RL-03: counts a permit until it is released, once', async () => {
      const running = flood(11, { projectId: 'a' });
      const [first] = Array.from({ length: 10 }, () => threads.reserve('b'));
      expectRefused('b');
      first!.release();
      first!.release();
      threads.reserve('b');
      expectRefused('b');
      await accepted(running);
    });
  });

  describe('when the caller goes', () => {
    it('a queued task leaves the queue at once, and the next one proceeds', async () => {
      const caller = new AbortController();
      const settled: string[] = [];
      const note = (name: string) => () => settled.push(name);
      const first = threads.run(task).finally(note('first'));
      const leaving = threads.run(task, { signal: caller.signal }).finally(note('gone'));
      const next = threads.run<string>(task).finally(note('next'));
      const late = threads.run(task, { signal: AbortSignal.abort() }).finally(note('late'));
      caller.abort();
      const results = await Promise.allSettled([leaving, late]);
      expect(results).toEqual(
        [1, 2].map(() => expect.objectContaining({ reason: clientDisconnected }) as unknown),
      );
      await expect(next).resolves.toMatch(/^\$2b\$04\$/);
      await first;
      expect(settled.slice(0, 2).sort()).toEqual(['gone', 'late']);
      expect(settled.slice(2)).toEqual(['first', 'next']);
    });

    it('a task that has started runs to its end and gives its thread back', async () => {
      const [first, second] = [new AbortController(), new AbortController()];
      const running = [
        threads.run(task, { signal: first.signal }),
        threads.run(task, { signal: second.signal }),
      ];
      first.abort();
      await running[0];
      second.abort();
      await running[1];
      await expect(threads.run(task)).resolves.toEqual(expect.any(String));
    });
  });

  describe('patient tasks', () => {
    const order: string[] = [];
    beforeEach(() => order.splice(0));
    const note = (name: string) => () => void order.push(name);
    const patient = (name: string, caller: HashOptions = {}) =>
      threads.run(task, { isBackground: true, ...caller }).then(note(name));

    it('RL-03: wait behind all others, take no capacity from them, and are never refused', async () => {
      const first = threads.run(task).then(note('first'));
      const many = Array.from({ length: 60 }, () => patient('patient'));
      const others = flood(60).map((each) => each.then(note('other')));
      await expect(accepted(others)).resolves.toBe(20);
      await Promise.all([first, ...many]);
      expect(order).toEqual(['first', ...Array(20).fill('other'), ...Array(60).fill('patient')]);
    });

    it('RL-03: leave one of several threads to others', async () => {
      const two = new HashThreads(2, 10);
      await Promise.all([two.run(task), two.run(task)]);
      const slow = { input: 'x', cost: 12 };
      const long = [1, 2].map(() => two.run(slow, { isBackground: true }).then(note('patient')));
      await two.run(task).then(note('other'));
      expect(order).toEqual(['other']);
      await Promise.all(long);
      await two.close();
    });

    it('get a thread now and then while others never end', async () => {
      await threads.close();
      await start(50);
      let isOver = false;
      const others = Array.from({ length: 3 }, async () => {
        while (!isOver) await threads.run(task);
      });
      await patient('patient');
      await patient('patient');
      isOver = true;
      await Promise.all(others);
    });

    it('RL-03: other large work can wait until a thread is idle', async () => {
      await threads.waitUntilIdle();
      const others = flood(10).map((each) => each.then(note('other')));
      await threads.waitUntilIdle().then(note('calm'));
      await Promise.all(others);
      expect(order.indexOf('calm')).toBe(10);
    });

    it('leave when their caller goes', async () => {
      const caller = new AbortController();
      const first = threads.run(task);
      const waiting = patient('patient', { signal: caller.signal });
      caller.abort();
      await expect(waiting).rejects.toEqual(clientDisconnected);
      await expect(patient('patient', { signal: caller.signal })).rejects.toEqual(clientDisconnected);
      await Promise.all([first, patient('next')]);
      expect(order).toEqual(['next']);
    });
  });
});
