import { Problem } from '../http/problem';
import { runAll } from './run-all';

const problem = new Problem({ code: 'conflict', status: 409, title: 'Conflict', detail: '', requestId: '' });

describe('runAll', () => {
  it('sends all items, at most four at a time, and reports progress and rejected items', async () => {
    let [active, mostActive] = [0, 0];
    const progress: number[] = [];
    const send = async (item: number): Promise<void> => {
      active += 1;
      mostActive = Math.max(mostActive, active);
      await Promise.resolve();
      active -= 1;
      if (item % 5 === 0) throw problem;
    };
    const items = Array.from({ length: 12 }, (_, index) => index + 1);
    const result = await runAll(items, send, (done) => progress.push(done), new AbortController().signal);
    expect(result).toEqual({
      done: [1, 2, 3, 4, 6, 7, 8, 9, 11, 12],
      rejected: [
        { item: 5, problem },
        { item: 10, problem },
      ],
      unsent: [],
      interruption: null,
    });
    expect(progress).toEqual(items);
    expect(mostActive).toBe(4);
  });

  it.each([0, 401, 403, 429, 503])('stops after error %d, because it affects all items', async (status) => {
    const error = new Problem({ code: 'error', status, title: 'Error', detail: '', requestId: '' });
    const sent: number[] = [];
    const send = async (item: number): Promise<void> => {
      sent.push(item);
      await Promise.resolve();
      if (item === 2) throw error;
    };
    const { signal } = new AbortController();
    const { done, rejected, unsent, interruption } = await runAll(
      [1, 2, 3, 4, 5, 6, 7, 8, 9],
      send,
      () => undefined,
      signal,
    );
    expect(interruption).toBe(error);
    expect(rejected).toEqual([]);
    // Requests in progress are finished.
    expect([...done, 2].sort()).toEqual(sent);
    expect([...done, ...unsent].sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(unsent).toEqual(expect.arrayContaining([2, 9]));
  });

  it('does not send further items after it is stopped', async () => {
    const controller = new AbortController();
    const sent: number[] = [];
    const send = async (item: number): Promise<void> => {
      sent.push(item);
      if (item === 3) controller.abort();
      await Promise.resolve();
    };
    const { unsent } = await runAll([1, 2, 3, 4, 5], send, () => undefined, controller.signal);
    expect(sent).toEqual([1, 2, 3]);
    expect(unsent).toEqual([4, 5]);
  });
});
