import { GatehouseError } from '#domain';
import { HashThreads } from './hash-threads.js';

const overloaded = expect.objectContaining({ code: 'overloaded', status: 503 });

describe('HashThreads', () => {
  let threads: HashThreads;
  beforeEach(() => {
    threads = new HashThreads(1, 10);
  });
  afterEach(() => threads.close());

  it('makes and compares bcrypt hashes', async () => {
    const hash = await threads.run<string>({ input: 'x', cost: 4 });
    expect(hash).toMatch(/^\$2b\$04\$/);
    await expect(threads.run({ input: 'x', hash })).resolves.toBe(true);
    await expect(threads.run({ input: 'y', hash })).resolves.toBe(false);
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

  describe('when the caller goes', () => {
    const task = { input: 'x', cost: 4 };
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
      const gone = refusal(threads.run(task, caller.signal).finally(note('gone')));
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
      const gone = callers.map(({ signal }) => refusal(threads.run(task, signal)));
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
      const error = await refusal(threads.run(task, AbortSignal.abort()));
      expect(error).toBeInstanceOf(GatehouseError);
      expect(error).toMatchObject({ code: 'request_timeout' });
      expect(firstIsDone).toBe(false);
      await first;
    });

    it('a task that has started runs to its end and gives its thread back', async () => {
      const [atOnce, queued] = [new AbortController(), new AbortController()];
      const first = threads.run(task, atOnce.signal);
      const second = threads.run(task, queued.signal);
      atOnce.abort();
      await expect(first).resolves.toEqual(expect.any(String));
      queued.abort();
      await expect(second).resolves.toEqual(expect.any(String));
      await expect(threads.run(task)).resolves.toEqual(expect.any(String));
    });
  });

  it('a task that fails gives its thread back', async () => {
    await expect(threads.run({ input: 'x', cost: 1_000_000, hash: 42 as never })).rejects.toThrow();
    await expect(threads.run({ input: 'x', cost: 4 })).resolves.toEqual(expect.any(String));
  });
});
