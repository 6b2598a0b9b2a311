/** Returns the current time. Code outside this file never reads the wall clock directly. */
// oxlint-disable-next-line gatehouse/clock -- the only place that reads it
export const now = (): Date => new Date();

/** Returns the current time in ms since 1970. For code in which creating a `Date` per call would be too slow. */
// oxlint-disable-next-line gatehouse/clock -- as above
export const nowMs = (): number => Date.now();

/** Returns the monotonic clock time in ms, for measuring durations. */
// oxlint-disable-next-line no-restricted-globals -- the only place that reads it
export const monotonicMs = (): number => performance.now();

/** Resolves after `ms`. */
export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Returns the promise's result, or rejects with an Error after `ms`. The operation itself is not canceled. */
export async function withTimeout<T>(promise: Promise<T>, ms: number, message: string): Promise<T> {
  promise.catch(() => undefined);
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(message)), ms);
  });
  return Promise.race([promise, timeout]).finally(() => clearTimeout(timer));
}
