/** Maximum attempts per delivery (specification, section 6). */
export const MAX_ATTEMPTS = 5;

/** Uniform jitter around each scheduled delay, as a fraction of the delay (contract, section 5). */
export const RETRY_JITTER = 0.1;

/**
 * Returns the delay in ms between the end of the previous attempt and attempt number `attempt`, or null if
 * `attempt` exceeds the maximum.
 * @param schedule exactly five delays in ms; the first is the delay before attempt 1
 * @param random uniform in [0, 1)
 */
export function retryDelay(schedule: readonly number[], attempt: number, random: number): number | null {
  const delay = schedule[attempt - 1];
  if (attempt > MAX_ATTEMPTS || delay === undefined) return null;
  return Math.round(delay * (1 + RETRY_JITTER * (2 * random - 1)));
}
