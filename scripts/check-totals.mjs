/**
 * Returns the last line of `npm run check`, and whether the checks have passed.
 * @param {{ passed: number, failed: number, skipped: number }[]} totals of the test runs that have ended
 * @param {number} expected number of test runs
 * @param {string[]} notRun checks that could not run; each counts as skipped
 */
export function sumTotals(totals, expected, notRun) {
  const sum = (key) => totals.reduce((total, each) => total + each[key], 0);
  const passed = sum('passed');
  const failed = sum('failed') + expected - totals.length;
  const skipped = sum('skipped') + notRun.length;
  const names = notRun.length > 0 ? ` (not run: ${notRun.join(', ')})` : '';
  return {
    line: `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped${names}` : ''}`,
    isPassed: failed === 0 && passed > 0,
  };
}
