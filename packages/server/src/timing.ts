/** A clock and timer that tests replace. */
export interface Timing {
  /** Returns the time in ms since 1970. */
  now: () => number;
  /** Waits for `ms` milliseconds. Resolves early when `signal` is aborted. */
  wait: (ms: number, signal?: AbortSignal) => Promise<void>;
}

export const TIMING: Timing = {
  now: () => Date.now(),
  wait: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const end = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      signal?.addEventListener('abort', end);
    }),
};
