import { setTimeout as sleep } from 'node:timers/promises';

/** Pause between two probes, in ms. */
const PROBE_INTERVAL_MS = 25;

/**
 * Probes after which it gives up: at least a minute. Probes are counted and not seconds, because on a machine that
 * stands still the seconds pass for both sides, and nothing was given the time to happen.
 */
const MAX_PROBES = 2_400;

/**
 * Calls `probe` until it returns something other than undefined, null or false.
 * @param what what is waited for, for the error
 * @param maxProbes for what takes longer than a minute on a quiet machine
 * @throws Error after that many probes
 */
export async function eventually<T>(
  what: string,
  probe: () => T | null | undefined | false | Promise<T | null | undefined | false>,
  maxProbes = MAX_PROBES,
): Promise<T> {
  for (let probes = 0; probes < maxProbes; probes += 1) {
    const value = await probe();
    if (value !== undefined && value !== null && value !== false) return value;
    await sleep(PROBE_INTERVAL_MS);
  }
  throw new Error(`${what} did not happen within ${maxProbes} probes`);
}
