/** Returns the current time. Code outside this file never reads the wall clock directly. */
// oxlint-disable-next-line gatehouse/clock -- the only place that reads it
export const now = (): Date => new Date();

/** The current time, in ms since 1970, where a `Date` for each call would take too long. */
// oxlint-disable-next-line gatehouse/clock -- as above
export const nowMs = (): number => Date.now();

/** Returns a monotonic clock's time in ms, for measuring durations. */
// oxlint-disable-next-line no-restricted-globals -- the only place that reads it
export const monotonicMs = (): number => performance.now();

/** Resolves after `ms`. */
export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Returns the result of the promise, or rejects with an Error with `message` after `ms`. The operation itself
 * is not canceled.
 */
export async function withTimeout<T>(promise: Promise<T>, ms: number, message: string): Promise<T> {
  promise.catch(() => undefined);
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(message)), ms);
  });
  return Promise.race([promise, timeout]).finally(() => clearTimeout(timer));
}
