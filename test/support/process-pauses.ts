/** One that is shorter does not matter, in ms. */
const MIN_PAUSE_MS = 30;
const INTERVAL_MS = 20;

const pauses: { at: number; ms: number }[] = [];
let last = performance.now();
setInterval(() => {
  const now = performance.now();
  const ms = now - last - INTERVAL_MS;
  if (ms > MIN_PAUSE_MS) pauses.push({ at: Date.now() - ms, ms });
  last = now;
}, INTERVAL_MS).unref();

/**
 * When this process stood still since a time (ms since 1970) and for how long, in ms: because it had much to do, or
 * because the machine had.
 */
export const pausesSince = (since: number): { at: number; ms: number }[] =>
  pauses.filter(({ at }) => at >= since);
