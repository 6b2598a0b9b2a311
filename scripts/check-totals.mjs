/**
 * Returns the last lines that `npm run check` prints, and whether all test runs passed.
 * @param {{ passed: number, failed: number, skipped: number }[]} totals totals of the finished test runs
 * @param {number} expected number of test runs
 * @param {string[]} notRun checks that could not run
 */
export function sumTotals(totals, expected, notRun) {
  const sum = (key) => totals.reduce((total, each) => total + each[key], 0);
  const passed = sum('passed');
  const failed = sum('failed') + expected - totals.length;
  const skipped = sum('skipped') > 0 ? `, ${sum('skipped')} skipped` : '';
  return {
    lines: [...notRun.map((name) => `NOT RUN: ${name}`), `${passed} passed, ${failed} failed${skipped}`],
    isPassed: failed === 0 && passed > 0,
  };
}
