import fs from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { ensureBuilt, ensurePackagesBuilt } from './build.mjs';
import { sumTotals } from './check-totals.mjs';
import { main } from './environment.mjs';
import { installNode } from './node-versions.mjs';
import { runNpm } from './processes.mjs';

/** The scripts in package.json that only read files, slowest first. Each uses one core. */
const STATIC_CHECKS = ['format:check', 'files', 'lint', 'types', 'imports'];

const ALL_TESTS = ['run', '--silent', 'test:all'];

/** Major Node.js version in the image. */
const IMAGE_NODE = 24;

/** Oldest supported major Node.js version. */
const OLDEST_NODE = 20;

/**
 * The oldest version if the image's version is installed, otherwise the image's version. Unicode tables and parsers
 * differ between versions, so some tests run with both (docs/adr/0099-unicode-tables.md).
 */
const OTHER_NODE = process.versions.node.startsWith(`${IMAGE_NODE}.`) ? OLDEST_NODE : IMAGE_NODE;

/** The tests for the other version, which run in parallel because the main tests often wait. */
const OTHER_RUN = ['run', '--silent', 'test:node', '--', String(OTHER_NODE), '--compatibility'];

/** Runs all checks and tests. The last line of output contains the totals of all test runs. */
await main(async () => {
  const installing = installNode(OTHER_NODE);
  const failed = await runStaticChecks();
  if (failed.length > 0) {
    console.error(`Failed: ${failed.join(', ')}.`);
    return 1;
  }
  const folder = fs.mkdtempSync(path.join(tmpdir(), 'gatehouse-check-'));
  const totals = path.join(folder, 'totals');
  try {
    await ensureBuilt(process.stderr);
    await ensurePackagesBuilt(process.stderr);
    const hasOther = (await installing) !== null;
    const other = hasOther ? runTests(OTHER_RUN, totals, {}) : null;
    const { code } = await runTests(ALL_TESTS, totals, { stdio: 'inherit' });
    if (code >= 128) return code;
    console.log((await other)?.output ?? '');
    // The checks that .ci/run could not run.
    const notRun = process.env.CHECKS_NOT_RUN ? process.env.CHECKS_NOT_RUN.split(',') : [];
    if (!hasOther) notRun.push(`tests with Node.js ${OTHER_NODE}`);
    return printTotals(fs.readFileSync(totals, 'utf8'), hasOther ? 2 : 1, notRun);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
});

/**
 * Runs the static checks in parallel, and prints each check's output when it ends.
 * @returns the names of the failed checks
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

/** Runs tests, which append their totals to a file, and prints the duration. */
async function runTests(args, totals, options) {
  const started = performance.now();
  const result = await runNpm(args, { ...options, env: { ...process.env, TEST_TOTALS: totals } });
  console.log(`npm ${args.join(' ')}: ${((performance.now() - started) / 1000).toFixed(0)} s\n`);
  return result;
}

/**
 * Prints the totals and returns the exit code.
 * @param {string} text each run's totals, one per line, from scripts/test.mjs
 * @param {number} expected number of runs
 * @param {string[]} notRun checks that could not run
 */
function printTotals(text, expected, notRun) {
  const totals = text.trim().split('\n').map(JSON.parse);
  const { lines, isPassed } = sumTotals(totals, expected, notRun);
  console.log(lines.join('\n'));
  return isPassed ? 0 : 1;
}
