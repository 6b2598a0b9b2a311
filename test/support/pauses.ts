/** One that is shorter does not matter, in ms. */
const SHORTEST_MS = 30;
const BEAT_MS = 20;

const seen: { at: number; ms: number }[] = [];
let last = performance.now();
setInterval(() => {
  const now = performance.now();
  const ms = now - last - BEAT_MS;
  if (ms > SHORTEST_MS) seen.push({ at: Date.now() - ms, ms });
  last = now;
}, BEAT_MS).unref();

/**
 * When this process stood still since a time (ms since 1970) and for how long, in ms: because it had much to do, or
 * because the machine had.
 */
export const pausesSince = (since: number): { at: number; ms: number }[] =>
  seen.filter(({ at }) => at >= since);
