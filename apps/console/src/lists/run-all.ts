import { toProblem, type Problem } from '../http/problem';

/** An item whose request was rejected. */
export interface Rejected<Item> {
  item: Item;
  problem: Problem;
}

export interface RunResult<Item> {
  done: Item[];
  rejected: Rejected<Item>[];
  /** The items for which no request was sent, or whose request failed for a reason unrelated to the item. */
  unsent: Item[];
  /** The error that ended the run, because all further requests would fail in the same way. */
  interruption: Problem | null;
}

/** Number of requests in progress at the same time. */
const CONCURRENCY = 4;

/** Returns true if a request was rejected because of its item, so that requests for other items may succeed. */
const isRejection = ({ status }: Problem): boolean =>
  status >= 400 && status < 500 && ![401, 403, 429].includes(status);

/**
 * Sends a request for each item, a few at a time. A request that is rejected because of its item does not affect the
 * others; any other error ends the run.
 * @param onProgress called with the number of finished items
 * @param signal stops the run before the next request
 */
export async function runAll<Item>(
  items: readonly Item[],
  send: (item: Item) => Promise<unknown>,
  onProgress: (finished: number) => void,
  signal: AbortSignal,
): Promise<RunResult<Item>> {
  const waiting = [...items];
  const result: RunResult<Item> = { done: [], rejected: [], unsent: waiting, interruption: null };
  const { done, rejected } = result;
  const work = async (): Promise<void> => {
    while (waiting.length > 0 && !signal.aborted && !result.interruption) {
      const item = waiting.shift()!;
      try {
        await send(item);
        done.push(item);
      } catch (error) {
        const problem = toProblem(error);
        if (isRejection(problem)) rejected.push({ item, problem });
        else {
          result.interruption ??= problem;
          waiting.push(item);
        }
      }
      onProgress(done.length + rejected.length);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  return result;
}
