import { toProblem, type Problem } from '../http/problem';

/** An item whose request was rejected. */
export interface Refused<Item> {
  item: Item;
  problem: Problem;
}

/** Number of requests in progress at the same time. */
const CONCURRENCY = 4;

/**
 * Sends a request for each item, a few at a time. A rejected request does not prevent the others.
 * @param onProgress called with the number of finished items
 * @param signal stops before the next request
 * @returns the items that were rejected, and those that were not sent
 */
export async function runAll<Item>(
  items: readonly Item[],
  send: (item: Item) => Promise<unknown>,
  onProgress: (done: number) => void,
  signal: AbortSignal,
): Promise<{ refused: Refused<Item>[]; unsent: Item[] }> {
  const waiting = [...items];
  const refused: Refused<Item>[] = [];
  let done = 0;
  const work = async (): Promise<void> => {
    while (waiting.length > 0 && !signal.aborted) {
      const item = waiting.shift()!;
      await send(item).catch((error: unknown) => refused.push({ item, problem: toProblem(error) }));
      done += 1;
      onProgress(done);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  return { refused, unsent: waiting };
}
