import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ensureBuilt, ensureInstalled, ensurePackagesBuilt } from './build.mjs';
import { main } from './environment.mjs';
import { run } from './processes.mjs';
import { COMPILE_CACHE } from './program-options.mjs';

// Jest also uses the programs' cache of compiled code.
process.env.NODE_COMPILE_CACHE ??= COMPILE_CACHE;

const FLAGS = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];

// These tests often wait for processes, so one worker per core would leave a third of the cores idle.
const WORKERS = '--maxWorkers=4';

// Arguments of the Jest runs: projects in jest.config.mjs (docs/development/tests.md), then options.
const QUICK = ['unit', 'e2e', WORKERS];
/** A single run, because each run starts servers, and some cores are idle while its last files run. */
const ALL = ['unit', 'e2e', 'contract', 'clients', 'dedicated', 'faults', 'browser', WORKERS];
/** These tests measure time, so no other tests run at the same time. */
const NIGHTLY = ['nightly', '--maxWorkers=1'];
/**
 * Tests of code that depends on tables and parsers in Node.js. scripts/check.mjs runs them in parallel with the other
 * tests.
 */
const COMPATIBILITY = [
  'unit',
  '--maxWorkers=1',
  '--testPathPatterns=/libs/(domain/src/(customers|languages|search|targets|urls|values)|platform/src/http)/',
];

/** The Jest runs of each command. Without a command, only the unit and e2e tests run. */
const COMMANDS = {
  undefined: [QUICK],
  '--all': [ALL],
  '--faults': [['faults']],
  '--compatibility': [COMPATIBILITY],
  '--nightly': [ALL, NIGHTLY],
};

/** Maximum number of failed files to run again. More failures than this are not random. */
const MAX_RERUN_FILES = 3;

/** Files that are never run again, because their guarantees must hold every time. */
const NEVER_RERUN = /isolation|credentials|secrets|hostile|tokens|passwords|brute-force/;

await main(async () => {
  await ensureInstalled(process.stderr);
  await ensureBuilt(process.stderr);
  await ensurePackagesBuilt(process.stderr);
  const { reapServers, stopServers } = await import('../test/support/embedded.mjs');
  const { hasRedisServer } = await import('../test/support/redis-process.mjs');
  const { startTestServers } = await import('../test/support/test-servers.mjs');
  // Ctrl-C ends Jest without its teardown, so this process keeps running to clean up.
  process.on('SIGINT', () => {});

  const [command, ...rest] = process.argv.slice(2);
  const sets = COMMANDS[command];
  const isComplete = sets !== undefined && rest.length === 0;
  const runs = sets ? sets.map((set) => [...rest, ...jestArguments(set)]) : [process.argv.slice(2)];
  const folder = fs.mkdtempSync(path.join(tmpdir(), 'gatehouse-results-'));
  // Only complete runs with the installed Node.js version update the fault table.
  if (command === '--nightly' && isComplete && !process.env.TEST_OTHER_NODE) {
    process.env.TEST_FAULT_TABLE = 'docs/reliability.md';
    process.env.TEST_FAULT_ROWS = path.join(folder, 'fault-rows');
  }
  const results = [];
  const flaky = [];
  let servers;
  try {
    // Started once for all Jest runs. Jest starts them for a single run, if its projects need them.
    if (runs.length > 1) servers = await startTestServers();
    for (const args of runs) {
      const result = await jest(args, path.join(folder, `${results.length}.json`));
      results.push(result);
      if (result.interrupted) break;
    }
    if (isComplete && !results.some(({ interrupted }) => interrupted))
      flaky.push(...(await rerunFailedFiles(results, folder)));
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
    if (servers) await stopServers(servers);
    await reapServers();
  }

  if (isComplete) console.log(`\nDelivery suites with Redis: ${describeRedisCoverage(hasRedisServer)}.`);
  const total = { passed: 0, failed: 0, skipped: 0 };
  for (const result of results) for (const key of Object.keys(total)) total[key] += result[key];
  // For check.mjs, which runs several commands and adds the totals.
  if (process.env.TEST_TOTALS) fs.appendFileSync(process.env.TEST_TOTALS, `${JSON.stringify(total)}\n`);
  report(total, flaky);
  return total.failed > 0 || total.passed === 0 ? 1 : 0;
});

function jestArguments([...projectsAndOptions]) {
  const projects = projectsAndOptions.filter((word) => !word.startsWith('--'));
  const options = projectsAndOptions.filter((word) => word.startsWith('--'));
  const reporters = projects.some((project) => ['faults', 'nightly'].includes(project))
    ? ['--reporters=default', '--reporters=./test/support/fault-table.mjs']
    : [];
  return ['--selectProjects', ...projects, ...options, ...reporters];
}

/**
 * Runs failed files once more, on their own. Tests that pass this time are reported as flaky and count as passed.
 * Fixing them has priority over all other work (docs/development/tests.md).
 */
async function rerunFailedFiles(results, folder) {
  const failed = results.flatMap((result) => result.files.map((file) => ({ ...file, result })));
  if (failed.length === 0 || failed.length > MAX_RERUN_FILES) return [];
  const flaky = [];
  for (const [index, { name, tests, result }] of failed.entries()) {
    if (NEVER_RERUN.test(path.basename(name))) continue;
    console.log(`\nRerun alone: ${path.relative('.', name)}`);
    const rerun = await jest(
      ['--runTestsByPath', name, '--maxWorkers=1'],
      path.join(folder, `rerun-${index}.json`),
    );
    if (rerun.failed > 0) continue;
    result.failed -= tests.length || 1;
    result.passed += tests.length || rerun.passed;
    flaky.push(...tests.map((test) => ({ name, ...test })));
  }
  return flaky;
}

function report({ passed, failed, skipped }, flaky) {
  for (const { name, title, message } of flaky)
    console.log(`flaky: ${path.relative('.', name)} ${title}\n${message.replaceAll(/^/gm, '    ')}`);
  if (flaky.length > 0) console.log(`${flaky.length} flaky: fix them first.`);
  if (passed + failed === 0) console.log('No tests ran.');
  console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
}

function describeRedisCoverage(redisServer) {
  if (process.env.REDIS_URL) return 'included (REDIS_URL)';
  if (redisServer) return 'included (redis-server on PATH)';
  return 'not run, because REDIS_URL is not set and redis-server is not on PATH';
}

async function jest(args, outputFile) {
  const options = ['--passWithNoTests', '--json', `--outputFile=${outputFile}`];
  if (!args.some((arg) => arg.startsWith('--maxWorkers'))) options.push('--maxWorkers=2');
  const { code } = await run(
    process.execPath,
    [...FLAGS, 'node_modules/jest/bin/jest.js', ...options, ...args],
    {
      stdio: 'inherit',
      // FLAGS apply only to Jest's main process; its workers read NODE_OPTIONS.
      env: { ...process.env, NODE_OPTIONS: [process.env.NODE_OPTIONS, ...FLAGS].filter(Boolean).join(' ') },
    },
  );
  const counts = fs.existsSync(outputFile)
    ? count(JSON.parse(fs.readFileSync(outputFile, 'utf8')))
    : count({});
  // A run can fail without a failed test, for example if the setup throws or an option is unknown.
  if (code !== 0 && counts.failed === 0) counts.failed = 1;
  return { ...counts, interrupted: code >= 128 };
}

function count(results) {
  const { numPassedTests = 0, numFailedTests = 0, numPendingTests = 0, numTodoTests = 0 } = results;
  // A suite that cannot be loaded has no tests, but counts as a failure.
  const { numRuntimeErrorTestSuites = 0, testResults = [] } = results;
  return {
    passed: numPassedTests,
    failed: numFailedTests + numRuntimeErrorTestSuites,
    skipped: numPendingTests + numTodoTests,
    files: testResults
      .filter(({ status }) => status === 'failed')
      .map(({ name, message, assertionResults }) => ({
        name,
        tests: assertionResults
          .filter(({ status }) => status === 'failed')
          .map(({ fullName, failureMessages }) => ({
            title: fullName,
            message: failureMessages[0] ?? message,
          })),
      })),
  };
}
