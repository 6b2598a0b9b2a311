import { AsyncLocalStorage } from 'node:async_hooks';

const pendingDelays = new AsyncLocalStorage<Promise<unknown>[]>();

/**
 * Delays a response until `end`. Inside `deferDelays`, the wait begins only after the work, which may hold a
 * connection.
 */
export async function delayResponse(end: Promise<unknown>): Promise<void> {
  const delays = pendingDelays.getStore();
  if (delays) delays.push(end);
  else await end;
}

/** Runs `work`, and then waits for the delays that `work` has passed to `delayResponse`. */
export async function deferDelays<Result>(work: () => Promise<Result>): Promise<Result> {
  const delays: Promise<unknown>[] = [];
  const result = await pendingDelays.run(delays, work);
  await Promise.all(delays);
  return result;
}
