import fs from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { sumTotals } from './check-totals.mjs';
import { main } from './environment.mjs';
import { runNpm } from './processes.mjs';

/** The scripts of package.json that only read files, longest first. Each uses one core. */
const STATIC_CHECKS = ['format:check', 'files', 'lint', 'types', 'imports'];

/** `npm test` as in the README, and the tests that `npm run test:all` adds. */
const TEST_RUNS = [
  ['test', '--silent'],
  ['run', '--silent', 'test', '--', '--added'],
];

/** Runs all checks and tests. The last line of the output contains the totals of both test runs. */
await main(async () => {
  const failed = await runStaticChecks();
  if (failed.length > 0) {
    console.error(`Failed: ${failed.join(', ')}.`);
    return 1;
  }
  const folder = fs.mkdtempSync(path.join(tmpdir(), 'gatehouse-check-'));
  const totals = path.join(folder, 'totals');
  try {
    for (const args of TEST_RUNS) {
      const started = performance.now();
      const { code } = await runNpm(args, { stdio: 'inherit', env: { ...process.env, TEST_TOTALS: totals } });
      console.log(`npm ${args.join(' ')}: ${((performance.now() - started) / 1000).toFixed(0)} s\n`);
      if (code >= 128) return code;
    }
    return printTotals(fs.readFileSync(totals, 'utf8'));
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
});

/**
 * Runs the static checks in parallel and prints the output of each in one piece.
 * @returns the names of failed checks
 */
async function runStaticChecks() {
  const waiting = [...STATIC_CHECKS];
  const failed = [];
  const work = async () => {
    for (let name; (name = waiting.shift());) {
      const started = performance.now();
      const { code, output } = await runNpm(['run', '--silent', name]);
      console.log(`${name}: ${((performance.now() - started) / 1000).toFixed(0)} s\n${output.trim()}`);
      if (code !== 0) failed.push(name);
    }
  };
  await Promise.all(Array.from({ length: Math.min(4, availableParallelism()) }, work));
  return failed;
}

/**
 * Prints the totals and returns the exit code.
 * @param {string} text the totals of each run, one per line, as scripts/test.mjs writes them
 */
function printTotals(text) {
  const totals = text.trim().split('\n').map(JSON.parse);
  // Checks that .ci/run could not run.
  const notRun = process.env.CHECKS_NOT_RUN ? process.env.CHECKS_NOT_RUN.split(',') : [];
  const { lines, isPassed } = sumTotals(totals, TEST_RUNS.length, notRun);
  console.log(lines.join('\n'));
  return isPassed ? 0 : 1;
}
