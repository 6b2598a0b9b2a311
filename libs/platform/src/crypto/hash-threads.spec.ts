import { jest } from '@jest/globals';
import { GatehouseError } from '#domain';
import { HashThreads, type HashCaller, type HashTask } from './hash-threads.js';

const task = { input: 'x', cost: 4 };
const overloaded = expect.objectContaining({ code: 'overloaded', status: 503 });
/** An imported hash, which has no part in what a hash of the house is guessed to take. */
const dear = (weight: number): HashTask => {
  const hash = { scheme: 'bcrypt' as const, hash: `$2b$04$${'.'.repeat(53)}` };
  return { passwords: ['x'], imported: hash, weight };
};

describe('HashThreads', () => {
  let threads: HashThreads;
  beforeEach(async () => {
    threads = new HashThreads(1, 10);
    // Its thread has begun: how long that takes is not what is measured.
    await threads.run(dear(1));
  });
  afterEach(() => threads.close());

  it('makes and compares bcrypt hashes', async () => {
    const hash = await threads.run<string>({ input: 'x', cost: 4 });
    expect(hash).toMatch(/^\$2b\$04\$/);
    await expect(threads.run({ input: 'x', hash })).resolves.toBe(true);
    await expect(threads.run({ input: 'y', hash })).resolves.toBe(false);
  });

  it('ends its threads when all that runs or waits is done', async () => {
    const hashes = Array.from({ length: 5 }, () => threads.run<string>({ input: 'x', cost: 9 }));
    await threads.close();
    await expect(Promise.all(hashes)).resolves.toHaveLength(5);
  });

  it('RL-03: a queue that would wait too long is refused at once, with Retry-After', async () => {
    const accepted: Promise<unknown>[] = [];
    let refusal: { details?: { headers?: Record<string, string> } } | undefined;
    for (let count = 0; count < 100 && !refusal; count += 1) {
      const running = threads.run({ input: 'x', cost: 4 });
      accepted.push(running.catch((error: typeof refusal) => (refusal = error)));
      await Promise.resolve();
      await Promise.resolve();
    }
    expect(refusal).toEqual(overloaded);
    expect(refusal!.details!.headers).toEqual({ 'Retry-After': expect.stringMatching(/^[1-9]\d*$/) });
    // With the guess for cost 10, 60 ms each, twenty fit into the 1.2 s behind the first.
    expect(accepted.length).toBe(22);
    await Promise.all(accepted);
  });

  it('RL-03: takes work again when the queue has gone down, first come first served', async () => {
    const order: number[] = [];
    let refused = 0;
    const flood = Array.from({ length: 60 }, (_, index) =>
      threads.run({ input: 'x', cost: 4 }).then(
        () => order.push(index),
        (error: unknown) => {
          refused += 1;
          expect(error).toEqual(overloaded);
        },
      ),
    );
    await Promise.all(flood);
    expect(order).toEqual(Array.from({ length: 21 }, (_, index) => index));
    expect(refused).toBe(39);
    await expect(threads.run({ input: 'x', cost: 4 })).resolves.toEqual(expect.any(String));
  });

  it('RL-03: two threads take twice as much, a dearer cost less', async () => {
    const accepted = async (pool: HashThreads): Promise<number> => {
      const flood = await Promise.allSettled(
        Array.from({ length: 60 }, () => pool.run({ input: 'x', cost: 4 })),
      );
      await pool.close();
      return flood.filter(({ status }) => status === 'fulfilled').length;
    };
    await expect(accepted(new HashThreads(2, 10))).resolves.toBe(2 + 40);
    await expect(accepted(new HashThreads(1, 12))).resolves.toBe(1 + 5);
  });

  describe('the share of a project', () => {
    /** Starts `count` tasks at once; with the guess of 60 ms for cost 10, ten fit into 600 ms and twenty into 1.2 s. */
    const flood = (count: number, caller: HashCaller, one: HashTask = task) =>
      Array.from({ length: count }, () =>
        threads.run(one, caller).then(
          () => true,
          (error: unknown) => {
            expect(error).toEqual(overloaded);
            return false;
          },
        ),
      );
    const accepted = async (results: Promise<boolean>[]) =>
      (await Promise.all(results)).filter(Boolean).length;

    it('RL-03: one project gets half of the queue, another the other half', async () => {
      const results = ['a', 'b', 'c'].map((projectId) => flood(30, { projectId }));
      const [a, b, c] = await Promise.all(results.map(accepted));
      // One runs, ten wait.
      expect([a, b, c]).toEqual([1 + 10, 10, 0]);
    });

    it('RL-03: the house itself has no share', async () => {
      await expect(accepted(flood(30, { projectId: null }))).resolves.toBe(1 + 20);
    });

    it('RL-03: a project at its limit leaves room for the next one, and gets its share back', async () => {
      const first = flood(30, { projectId: 'a' }, dear(1));
      expect(() => threads.reserve('a')).toThrow(GatehouseError);
      expect(() => threads.reserve('b').release()).not.toThrow();
      expect(() => threads.reserve(null).release()).not.toThrow();
      await accepted(first);
      expect(() => threads.reserve('a').release()).not.toThrow();
      await expect(accepted(flood(11, { projectId: 'a' }))).resolves.toBe(11);
    });

    it('RL-03: who leaves the queue gives back the share', async () => {
      const gone = new AbortController();
      const running = threads.run(task);
      const waiting = Array.from({ length: 10 }, () =>
        threads.run(task, { projectId: 'a', signal: gone.signal }).catch((error: unknown) => error),
      );
      await expect(threads.run(task, { projectId: 'a' })).rejects.toEqual(overloaded);
      gone.abort();
      for (const error of await Promise.all(waiting))
        expect(error).toMatchObject({ code: 'request_timeout' });
      await expect(accepted(flood(11, { projectId: 'a' }))).resolves.toBe(10);
      await running;
    });

    it('RL-03: nothing is refused while a thread is free, and everything beyond the whole queue is', async () => {
      expect(() => threads.reserve('a').release()).not.toThrow();
      const house = flood(21, {});
      expect(() => threads.reserve('a')).toThrow(GatehouseError);
      expect(() => threads.reserve(null)).toThrow(GatehouseError);
      await expect(accepted(house)).resolves.toBe(21);
      expect(() => threads.reserve('a').release()).not.toThrow();
    });

    it('RL-03: a dear imported hash takes its weight of the share, but one may always wait', async () => {
      const running = threads.run(task);
      const first = threads.run(dear(16), { projectId: 'a' });
      await expect(threads.run(task, { projectId: 'a' })).rejects.toEqual(overloaded);
      const second = threads.run(dear(4), { projectId: 'b' });
      // 16 + 4 waiting and one running are more than 1.2 s.
      await expect(threads.run(task)).rejects.toEqual(overloaded);
      await Promise.all([running, first, second]);
      await expect(threads.run(task, { projectId: 'a' })).resolves.toEqual(expect.any(String));
    });

    it('RL-03: the start of a thread does not make the queue shorter', async () => {
      await threads.close();
      threads = new HashThreads(1, 10);
      await threads.run(task);
      await expect(accepted(flood(60, {}))).resolves.toBe(1 + 20);
    });

    it('RL-03: quick imported hashes do not make the queue longer', async () => {
      for (let count = 0; count < 30; count += 1) await threads.run(dear(1));
      await expect(accepted(flood(60, {}))).resolves.toBe(1 + 20);
    });

    it('RL-03: Retry-After spreads those who are refused over the seconds that can serve them', async () => {
      const house = flood(21, {});
      // The clock stands still: all of them ask within one of its seconds.
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
      expect(waits.slice(0, 17)).toEqual(Array(17).fill(2));
      expect(waits.slice(17, 34)).toEqual(Array(17).fill(3));
      expect(Math.max(...waits)).toBe(5);
      await accepted(house);
    });

    it('RL-03: a place that is kept counts until it is released, once', async () => {
      const house = flood(11, { projectId: 'a' });
      const other = threads.reserve('b');
      for (let count = 1; count < 10; count += 1) threads.reserve('b');
      expect(() => threads.reserve('b')).toThrow(GatehouseError);
      other.release();
      other.release();
      expect(() => threads.reserve('b')).not.toThrow();
      expect(() => threads.reserve('b')).toThrow(GatehouseError);
      await accepted(house);
    });
  });

  describe('when the caller goes', () => {
    const refusal = (running: Promise<unknown>) =>
      running.then(
        () => null,
        (error: unknown) => error,
      );

    it('a queued task leaves the queue, and the next one proceeds', async () => {
      const caller = new AbortController();
      const settled: string[] = [];
      const note = (name: string) => () => settled.push(name);
      const first = threads.run(task).finally(note('first'));
      const gone = refusal(threads.run(task, { signal: caller.signal }).finally(note('gone')));
      const next = threads.run<string>(task).finally(note('next'));
      caller.abort();
      const error = await gone;
      expect(error).toBeInstanceOf(GatehouseError);
      expect(error).toMatchObject({ code: 'request_timeout' });
      await expect(next).resolves.toMatch(/^\$2b\$04\$/);
      await first;
      expect(settled).toEqual(['gone', 'first', 'next']);
    });

    it('its place is free again', async () => {
      const callers = Array.from({ length: 20 }, () => new AbortController());
      const accepted = [threads.run(task)];
      const gone = callers.map(({ signal }) => refusal(threads.run(task, { signal })));
      await expect(threads.run(task)).rejects.toEqual(overloaded);
      for (const caller of callers) caller.abort();
      for (const error of await Promise.all(gone)) expect(error).toMatchObject({ code: 'request_timeout' });
      accepted.push(threads.run(task));
      await expect(Promise.all(accepted)).resolves.toHaveLength(2);
      await expect(threads.run(task)).resolves.toEqual(expect.any(String));
    });

    it('a signal aborted beforehand is refused at once when all threads are busy', async () => {
      let firstIsDone = false;
      const first = threads.run(task).finally(() => (firstIsDone = true));
      const error = await refusal(threads.run(task, { signal: AbortSignal.abort() }));
      expect(error).toBeInstanceOf(GatehouseError);
      expect(error).toMatchObject({ code: 'request_timeout' });
      expect(firstIsDone).toBe(false);
      await first;
    });

    it('a task that has started runs to its end and gives its thread back', async () => {
      const [atOnce, queued] = [new AbortController(), new AbortController()];
      const first = threads.run(task, { signal: atOnce.signal });
      const second = threads.run(task, { signal: queued.signal });
      atOnce.abort();
      await expect(first).resolves.toEqual(expect.any(String));
      queued.abort();
      await expect(second).resolves.toEqual(expect.any(String));
      await expect(threads.run(task)).resolves.toEqual(expect.any(String));
    });
  });

  describe('patient tasks', () => {
    const order: string[] = [];
    beforeEach(() => order.splice(0));
    /** By default one whose patient tasks never lose their patience. */
    const startOver = async (patienceMs = Infinity): Promise<void> => {
      await threads.close();
      threads = new HashThreads(1, 10, patienceMs);
      await threads.run(dear(1));
    };
    const note = (name: string) => () => void order.push(name);
    const patient = (name: string, signal?: AbortSignal) =>
      threads.run(task, { isPatient: true, ...(signal ? { signal } : {}) }).then(note(name));

    it('RL-03: wait behind everybody else, and are never refused', async () => {
      await startOver();
      const first = threads.run(task).then(note('first'));
      const many = Array.from({ length: 60 }, () => patient('patient'));
      const others = Array.from({ length: 5 }, () => threads.run(task).then(note('other')));
      await Promise.all([first, ...many, ...others]);
      expect(order).toEqual(['first', ...Array(5).fill('other'), ...Array(60).fill('patient')]);
    });

    it('RL-03: take no room from others', async () => {
      const first = threads.run(task);
      const many = Array.from({ length: 60 }, () => patient('patient'));
      const flood = await Promise.allSettled(Array.from({ length: 60 }, () => threads.run(task)));
      expect(flood.filter(({ status }) => status === 'fulfilled')).toHaveLength(20);
      await Promise.all([first, ...many]);
    });

    it('RL-03: leave one of several threads to others', async () => {
      const two = new HashThreads(2, 10);
      await Promise.all([two.run(task), two.run(task)]);
      const slow = { input: 'x', cost: 12 };
      const long = [1, 2].map(() => two.run(slow, { isPatient: true }).then(note('patient')));
      await two.run(task).then(note('other'));
      expect(order).toEqual(['other']);
      await Promise.all(long);
      await two.close();
    });

    it('get a thread now and then while others never end', async () => {
      await startOver(50);
      let isOver = false;
      const flood = Array.from({ length: 3 }, async () => {
        while (!isOver) await threads.run(task);
      });
      await patient('patient');
      await patient('patient');
      isOver = true;
      await Promise.all(flood);
      expect(order).toEqual(['patient', 'patient']);
    });

    it('RL-03: other large work can wait until a thread is idle', async () => {
      await startOver();
      await threads.calm();
      const flood = Array.from({ length: 10 }, () => threads.run(task).then(note('other')));
      await threads.calm().then(note('calm'));
      await Promise.all(flood);
      expect(order.indexOf('calm')).toBe(10);
    });

    it('leave when their caller goes', async () => {
      const gone = new AbortController();
      const first = threads.run(task);
      const waiting = patient('patient', gone.signal);
      gone.abort();
      await expect(waiting).rejects.toMatchObject({ code: 'request_timeout' });
      await expect(patient('patient', gone.signal)).rejects.toMatchObject({ code: 'request_timeout' });
      await first;
      await patient('next');
      expect(order).toEqual(['next']);
    });
  });

  it('a task that fails gives its thread back', async () => {
    await expect(threads.run({ input: 'x', cost: 1_000_000, hash: 42 as never })).rejects.toThrow();
    await expect(threads.run({ input: 'x', cost: 4 })).resolves.toEqual(expect.any(String));
  });
});
