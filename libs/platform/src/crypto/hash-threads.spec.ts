import { setMaxListeners } from 'node:events';
import { jest } from '@jest/globals';
import type { GatehouseError } from '@gatehouse/domain';
import { HashThreads, type HashOptions, type HashTask } from './hash-threads.js';

const MAX_WAIT_MS = 1_200;
const task = { input: 'x', cost: 4 };
const overloaded = expect.objectContaining({
  code: 'overloaded',
  status: 503,
  details: { headers: { 'Retry-After': expect.stringMatching(/^[1-9]\d*$/) } },
});
const clientDisconnected = expect.objectContaining({ code: 'request_timeout' });

/** Creates a task with an imported hash, which does not affect the estimated duration of Gatehouse hashes. */
const imported = (weight: number): HashTask => {
  const hash = { scheme: 'bcrypt' as const, hash: `$2b$04$${'.'.repeat(53)}` };
  return { passwords: ['x'], imported: hash, weight };
};

/**
 * Returns the number of accepted tasks.
 * @throws Error unless all other tasks are rejected with `overloaded`
 */
async function countAccepted(running: Promise<unknown>[]): Promise<number> {
  const results = await Promise.allSettled(running);
  const rejected = results.filter((result) => result.status === 'rejected');
  expect(rejected.map(({ reason }) => reason as unknown)).toEqual(rejected.map(() => overloaded));
  return results.length - rejected.length;
}

// With the initial estimate of 60 ms per hash at cost 10, twenty hashes fit into the maximum wait of 1.2 s. Finished
// Gatehouse hashes change this estimate, so a test that counts accepted tasks twice first fills the queue with imported
// hashes.
describe('HashThreads', () => {
  let threads: HashThreads;
  /** Starts threads. By default, background tasks never get a thread while other tasks wait. */
  const start = async (backgroundIntervalMs = Infinity): Promise<void> => {
    threads = new HashThreads(1, 10, MAX_WAIT_MS, backgroundIntervalMs);
    // Starts the thread now, so that tests do not measure its start.
    await threads.run(imported(1));
  };
  beforeEach(() => start());
  afterEach(() => threads.close());

  const runMany = (count: number, caller: HashOptions = {}, one: HashTask = task) =>
    Array.from({ length: count }, () => threads.run(one, caller));

  it('completes all tasks before it ends its threads', async () => {
    const hashes = Array.from({ length: 5 }, () => threads.run<string>({ input: 'x', cost: 9 }));
    await threads.close();
    await expect(Promise.all(hashes)).resolves.toHaveLength(5);
  });

  it('releases the thread after a task that fails', async () => {
    await expect(threads.run({ input: 'x', cost: 1_000_000, hash: 42 as never })).rejects.toThrow();
    await expect(threads.run(task)).resolves.toEqual(expect.any(String));
  });

  it('RL-03: rejects tasks that would wait too long, and accepts tasks again later', async () => {
    const order: number[] = [];
    const running = runMany(60).map((each, index) => each.then(() => order.push(index)));
    await expect(countAccepted(running)).resolves.toBe(1 + 20);
    expect(order).toEqual(Array.from({ length: 21 }, (_, index) => index));
    await expect(threads.run(task)).resolves.toEqual(expect.any(String));
  });

  it('RL-03: accepts twice as many tasks with two threads and fewer with a higher cost', async () => {
    for (const [pool, expected] of [
      [new HashThreads(2, 10, MAX_WAIT_MS), 2 + 40],
      [new HashThreads(1, 12, MAX_WAIT_MS), 1 + 5],
    ] as const) {
      const running = Array.from({ length: 60 }, () => pool.run(task));
      await expect(countAccepted(running)).resolves.toBe(expected);
      await pool.close();
    }
  });

  it('RL-03: ignores thread starts and imported hashes in its estimate', async () => {
    for (const before of [[task], Array<HashTask>(30).fill(imported(1))]) {
      await threads.close();
      threads = new HashThreads(1, 10, MAX_WAIT_MS);
      for (const one of before) await threads.run(one);
      await expect(countAccepted(runMany(60))).resolves.toBe(1 + 20);
    }
  });

  it('RL-03: spreads rejected callers over the following seconds with Retry-After', async () => {
    const running = runMany(21);
    // The clock is frozen, so all calls fall within one second.
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
    // The wait is at least 1.26 s, and 17 hashes of 60 ms fit into a second.
    expect(waits.slice(0, 34)).toEqual([...Array<number>(17).fill(2), ...Array<number>(17).fill(3)]);
    expect(Math.max(...waits)).toBe(5);
    await countAccepted(running);
  });

  describe('the estimated hash duration', () => {
    let now = 1_000;
    beforeEach(async () => {
      await threads.close();
      threads = new HashThreads(2, 10, 4_000);
      // Starts the threads now, so that the measured durations do not include their start.
      await Promise.all(runMany(2));
      jest.spyOn(performance, 'now').mockImplementation(() => now);
    });
    afterEach(() => void jest.restoreAllMocks());

    /** Runs tasks sequentially, each of which takes `ms` on the mocked clock. */
    const runFor = async (ms: number, count: number): Promise<void> => {
      threads.beforeTask = () => void (now += ms);
      for (let index = 0; index < count; index += 1) await threads.run(task);
    };
    const submitAndCountAccepted = (count: number): Promise<number> =>
      countAccepted(runMany(count, { projectId: 'a' }));

    it('RL-03: adapts to the speed of the machine', async () => {
      await runFor(480, 60);
      await expect(submitAndCountAccepted(16)).resolves.toBe(16);
      await runFor(960, 60);
      await expect(submitAndCountAccepted(16)).resolves.toBe(2 + 7);
      await runFor(60, 60);
      await expect(submitAndCountAccepted(100)).resolves.toBe(100);
    });

    it('RL-03: hardly changes after the process was suspended', async () => {
      await runFor(10_000, 1);
      await expect(submitAndCountAccepted(64)).resolves.toBe(64);
    });
  });

  describe('the share of a project', () => {
    const expectReserved = (projectId: string | null) =>
      expect(() => threads.reserve(projectId).release()).not.toThrow();
    const expectRejected = (projectId: string | null) =>
      expect(() => threads.reserve(projectId)).toThrow(overloaded);

    it("RL-03: never exceeds seven eighths of the queue, but the server's own tasks may fill it", async () => {
      const results = ['a', 'b', 'c', 'd'].map((projectId) =>
        countAccepted(runMany(30, { projectId }, imported(1))),
      );
      // One task runs and twenty wait.
      await expect(Promise.all(results)).resolves.toEqual([1 + 17, 2, 1, 0]);
      await expect(countAccepted(runMany(30, { projectId: null }))).resolves.toBe(1 + 20);
    });

    it('RL-03: leaves capacity for the next project, and is released with finished tasks', async () => {
      expectReserved('a');
      const first = runMany(30, { projectId: 'a' }, imported(1));
      expectRejected('a');
      expectReserved('b');
      expectReserved(null);
      await countAccepted(first);
      expectReserved('a');
      await expect(countAccepted(runMany(11, { projectId: 'a' }, imported(1)))).resolves.toBe(11);
      const all = runMany(21);
      expectRejected('b');
      expectRejected(null);
      await countAccepted(all);
    });

    it('RL-03: becomes available again when a caller leaves the queue', async () => {
      const caller = new AbortController();
      setMaxListeners(17, caller.signal);
      const running = threads.run(task);
      const waiting = runMany(17, { projectId: 'a', signal: caller.signal });
      await expect(threads.run(task, { projectId: 'a' })).rejects.toEqual(overloaded);
      caller.abort();
      for (const result of await Promise.allSettled(waiting))
        expect(result).toMatchObject({ reason: clientDisconnected });
      await expect(countAccepted(runMany(18, { projectId: 'a' }))).resolves.toBe(17);
      await running;
    });

    it('RL-03: shrinks to half while another project waits, and counts imported hashes by weight', async () => {
      const running = [threads.run(task), threads.run(imported(1), { projectId: 'b' })];
      const first = threads.run(imported(10), { projectId: 'a' });
      await expect(threads.run(task, { projectId: 'a' })).rejects.toEqual(overloaded);
      const second = threads.run(imported(16), { projectId: 'c' });
      // A waiting weight of 1 + 10 + 16 and one running task exceed 1.2 s.
      await expect(threads.run(task)).rejects.toEqual(overloaded);
      await Promise.all([...running, first, second]);
      await expect(threads.run(task, { projectId: 'a' })).resolves.toEqual(expect.any(String));
    });

    it('RL-03: includes permits until they are released; a second release has no effect', async () => {
      const running = runMany(11, { projectId: 'a' });
      const [first] = Array.from({ length: 8 }, () => threads.reserve('b'));
      expectRejected('b');
      first!.release();
      first!.release();
      threads.reserve('b');
      expectRejected('b');
      await countAccepted(running);
    });
  });

  describe('when the caller disconnects', () => {
    it('removes a queued task immediately, and runs the next one', async () => {
      const caller = new AbortController();
      const settled: string[] = [];
      const record = (name: string) => () => settled.push(name);
      const first = threads.run(task).finally(record('first'));
      const leaving = threads.run(task, { signal: caller.signal }).finally(record('left'));
      const next = threads.run<string>(task).finally(record('next'));
      const late = threads.run(task, { signal: AbortSignal.abort() }).finally(record('late'));
      caller.abort();
      const results = await Promise.allSettled([leaving, late]);
      expect(results).toEqual(
        [1, 2].map(() => expect.objectContaining({ reason: clientDisconnected }) as unknown),
      );
      await expect(next).resolves.toMatch(/^\$2b\$04\$/);
      await first;
      expect(settled.slice(0, 2).sort()).toEqual(['late', 'left']);
      expect(settled.slice(2)).toEqual(['first', 'next']);
    });

    it('finishes a running task, and releases its thread', async () => {
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

  describe('background tasks', () => {
    const order: string[] = [];
    beforeEach(() => order.splice(0));
    const record = (name: string) => () => void order.push(name);
    const runInBackground = (name: string, caller: HashOptions = {}) =>
      threads.run(task, { isBackground: true, ...caller }).then(record(name));

    it('RL-03: wait for all other tasks, use none of their capacity, and are never rejected', async () => {
      const first = threads.run(task).then(record('first'));
      const many = Array.from({ length: 60 }, () => runInBackground('background'));
      const others = runMany(60).map((each) => each.then(record('other')));
      await expect(countAccepted(others)).resolves.toBe(20);
      await Promise.all([first, ...many]);
      expect(order).toEqual(['first', ...Array(20).fill('other'), ...Array(60).fill('background')]);
    });

    it('RL-03: leave one of several threads to other tasks', async () => {
      const twoThreads = new HashThreads(2, 10, MAX_WAIT_MS);
      await Promise.all([twoThreads.run(task), twoThreads.run(task)]);
      const slow = { input: 'x', cost: 12 };
      const long = [1, 2].map(() => twoThreads.run(slow, { isBackground: true }).then(record('background')));
      await twoThreads.run(task).then(record('other'));
      expect(order).toEqual(['other']);
      await Promise.all(long);
      await twoThreads.close();
    });

    it('get a thread regularly even if other tasks keep arriving', async () => {
      await threads.close();
      await start(50);
      let isOver = false;
      const others = Array.from({ length: 3 }, async () => {
        while (!isOver) await threads.run(task);
      });
      await runInBackground('background');
      await runInBackground('background');
      isOver = true;
      await Promise.all(others);
    });

    it('RL-03: do not delay waitUntilIdle, although it waits for all other tasks', async () => {
      await threads.waitUntilIdle();
      const others = runMany(10).map((each) => each.then(record('other')));
      await threads.waitUntilIdle().then(record('idle'));
      await Promise.all(others);
      expect(order.indexOf('idle')).toBe(10);
    });

    it('leave the queue when their caller disconnects', async () => {
      const caller = new AbortController();
      const first = threads.run(task);
      const waiting = runInBackground('background', { signal: caller.signal });
      caller.abort();
      await expect(waiting).rejects.toEqual(clientDisconnected);
      await expect(runInBackground('background', { signal: caller.signal })).rejects.toEqual(
        clientDisconnected,
      );
      await Promise.all([first, runInBackground('next')]);
      expect(order).toEqual(['next']);
    });
  });
});
