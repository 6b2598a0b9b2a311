import { AsyncLocalStorage } from 'node:async_hooks';

const delays = new AsyncLocalStorage<Promise<unknown>[]>();

/** Keeps an answer back until `end`: at once, or where `delayingAfter` runs what holds a connection, after that. */
export async function delayAnswer(end: Promise<unknown>): Promise<void> {
  const postponed = delays.getStore();
  if (postponed) postponed.push(end);
  else await end;
}

/** Runs `work`, and waits only then for the answers that it wants to be kept back. */
export async function delayingAfter<Result>(work: () => Promise<Result>): Promise<Result> {
  const postponed: Promise<unknown>[] = [];
  const result = await delays.run(postponed, work);
  await Promise.all(postponed);
  return result;
}
