import { appendFileSync } from 'node:fs';

/** What a scenario found out, for the table of faults (fault-table.mjs). */
export interface Measurements {
  /** A label and a value, in words. */
  [label: string]: string | number;
}

/** Notes figures of the test that is running. */
export function recordMeasurements(figures: Measurements): void {
  const file = process.env['TEST_FIGURES'];
  if (!file) return;
  appendFileSync(file, `${JSON.stringify({ test: expect.getState().currentTestName, figures })}\n`);
}

/** A length of time in words. */
export const formatSeconds = (ms: number): string => `${(ms / 1_000).toFixed(ms < 9_950 ? 1 : 0)} s`;
