/** Minimum duration of a recorded pause, in ms. */
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
 * Returns this process's pauses since a time (ms since 1970), with durations in ms. Pauses occur while the process or
 * the machine is busy.
 */
export const pausesSince = (since: number): { at: number; ms: number }[] =>
  pauses.filter(({ at }) => at >= since);
