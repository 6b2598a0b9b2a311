import { AsyncLocalStorage } from 'node:async_hooks';

const delays = new AsyncLocalStorage<Promise<unknown>[]>();

/** Delays a response until `end`. Inside `delayingAfter`, which may hold a connection, the wait follows its work. */
export async function delayResponse(end: Promise<unknown>): Promise<void> {
  const postponed = delays.getStore();
  if (postponed) postponed.push(end);
  else await end;
}

/** Runs `work`, and then waits for the ends that it has passed to `delayResponse`. */
export async function delayingAfter<Result>(work: () => Promise<Result>): Promise<Result> {
  const postponed: Promise<unknown>[] = [];
  const result = await delays.run(postponed, work);
  await Promise.all(postponed);
  return result;
}
