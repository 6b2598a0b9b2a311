import { appendFileSync } from 'node:fs';

/** A scenario's measurements, for the fault table (fault-table.mjs). */
export interface Measurements {
  /** Values by label, both in readable form. */
  [label: string]: string | number;
}

/** Records measurements for the current test. */
export function recordMeasurements(measurements: Measurements): void {
  const file = process.env['TEST_MEASUREMENTS'];
  if (!file) return;
  appendFileSync(file, `${JSON.stringify({ test: expect.getState().currentTestName, measurements })}\n`);
}

/** Formats a duration in seconds. */
export const formatSeconds = (ms: number): string => `${(ms / 1_000).toFixed(ms < 9_950 ? 1 : 0)} s`;
