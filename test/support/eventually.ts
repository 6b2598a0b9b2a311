import { setTimeout as sleep } from 'node:timers/promises';

/** Pause between probes, in ms. */
const PROBE_INTERVAL_MS = 25;

/**
 * Maximum number of probes, which take at least a minute. A limit in seconds would not work: while the machine is
 * stalled, time passes, but the code under test makes no progress.
 */
const MAX_PROBES = 2_400;

/**
 * Calls `probe` until it returns something other than undefined, null or false.
 * @param what completes "timed out waiting for …"
 * @param maxProbes for conditions that take longer than a minute on an idle machine
 * @throws Error after this number of probes
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
  throw new Error(`timed out waiting for ${what} (${maxProbes} probes)`);
}
