const LONGEST_PAUSE_MS = 15_000;

/**
 * Returns the pause after failed attempts, in ms: 1 s after the first one, doubled for each further one, at most 15 s.
 */
export const pauseAfter = (failures: number): number =>
  Math.min(1_000 * 2 ** (failures - 1), LONGEST_PAUSE_MS);
