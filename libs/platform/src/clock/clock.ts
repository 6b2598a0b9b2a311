/** The wall clock. Code outside this file never asks for the time itself. */
export const now = (): Date => new Date();

/** A clock that never jumps, in ms, for measuring. */
export const monotonicMs = (): number => performance.now();

/** Resolves after `ms`. */
export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** The promise's result, or an Error with `message` after `ms`. What was begun goes on unheeded. */
export async function withTimeout<T>(promise: Promise<T>, ms: number, message: string): Promise<T> {
  promise.catch(() => undefined);
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(message)), ms);
  });
  return Promise.race([promise, timeout]).finally(() => clearTimeout(timer));
}
