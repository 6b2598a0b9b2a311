import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ensureBuilt, ensureInstalled } from './build.mjs';
import { main, root } from './environment.mjs';
import { run } from './processes.mjs';

/** Node.js from version 22.1 on keeps here what it has compiled. */
process.env.NODE_COMPILE_CACHE ??= path.join(root, 'node_modules', '.cache', 'compiled');

const FLAGS = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];

/** The projects of jest.config.mjs that run together, in this order (CONTRIBUTING.md, "Which tests run when"). */
const SETS = {
  // Of two cores these leave a third idle with two workers.
  quick: [['unit'], ['e2e', '--maxWorkers=3']],
  added: [
    ['dedicated', 'faults', '--maxWorkers=3'],
    ['browser', '--maxWorkers=2'],
    // Judged by the time that something takes: nothing runs beside them.
    ['timed', '--maxWorkers=1'],
  ],
  nightly: [['nightly', '--maxWorkers=1']],
};

/** What a newcomer runs, and what else there is. */
const COMMANDS = {
  undefined: SETS.quick,
  '--added': SETS.added,
  '--all': [...SETS.quick, ...SETS.added],
  '--faults': [['faults'], ['timed', '--maxWorkers=1', '--testPathPatterns=test/faults']],
  '--nightly': [...SETS.quick, ...SETS.added, ...SETS.nightly],
};

/** More failed files than this are no chance. */
const MAX_RERUN_FILES = 3;

/** A failure here is never chance: what they promise must hold every time. */
const NEVER_RERUN = /isolation|credentials|secrets|hostile|tokens|passwords|brute-force/;

await main(async () => {
  await ensureInstalled(process.stderr);
  await ensureBuilt(process.stderr);
  const { reapServers, stopServers } = await import('../test/support/embedded.mjs');
  const { hasRedisServer } = await import('../test/support/redis-process.mjs');
  const { startTestServers } = await import('../test/support/test-servers.mjs');
  // Ctrl-C ends jest, which runs no teardown then; this process stays to clean up.
  process.on('SIGINT', () => {});

  const [command, ...rest] = process.argv.slice(2);
  const sets = COMMANDS[command];
  const isWhole = sets !== undefined && rest.length === 0;
  const runs = sets ? sets.map((set) => [...jestArguments(set), ...rest]) : [process.argv.slice(2)];
  const folder = fs.mkdtempSync(path.join(tmpdir(), 'gatehouse-results-'));
  // Only a whole run is worth keeping.
  if (command === '--nightly' && isWhole) {
    process.env.TEST_FAULT_TABLE = 'docs/reliability.md';
    process.env.TEST_FAULT_ROWS = path.join(folder, 'fault-rows');
  }
  const results = [];
  const flaky = [];
  let servers;
  try {
    // Once for all runs of jest.
    if (sets) servers = await startTestServers();
    for (const args of runs) {
      const result = await jest(args, path.join(folder, `${results.length}.json`));
      results.push(result);
      if (result.interrupted) break;
    }
    if (isWhole && !results.some(({ interrupted }) => interrupted))
      flaky.push(...(await rerunFailedFiles(results, folder)));
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
    if (servers) await stopServers(servers);
    await reapServers();
  }

  if (isWhole) console.log(`\nDelivery suites with Redis: ${describeRedisCoverage(hasRedisServer)}.`);
  const total = { passed: 0, failed: 0, skipped: 0 };
  for (const result of results) for (const key of Object.keys(total)) total[key] += result[key];
  // For whoever runs several commands and adds them up (check.mjs).
  if (process.env.TEST_TOTALS) fs.appendFileSync(process.env.TEST_TOTALS, `${JSON.stringify(total)}\n`);
  report(total, flaky);
  return total.failed > 0 || total.passed === 0 ? 1 : 0;
});

function jestArguments([...projectsAndOptions]) {
  const projects = projectsAndOptions.filter((word) => !word.startsWith('--'));
  const options = projectsAndOptions.filter((word) => word.startsWith('--'));
  const reporters = projects.some((project) => ['faults', 'timed', 'nightly'].includes(project))
    ? ['--reporters=default', '--reporters=./test/support/fault-table.mjs']
    : [];
  return ['--selectProjects', ...projects, ...options, ...reporters];
}

/**
 * Runs failed files once more, alone: a failure that does not come again is shown as flaky, and its tests count as
 * passed. Mending it comes before everything else (CONTRIBUTING.md).
 */
async function rerunFailedFiles(results, folder) {
  const failed = results.flatMap((result) => result.files.map((file) => ({ ...file, result })));
  if (failed.length === 0 || failed.length > MAX_RERUN_FILES) return [];
  const flaky = [];
  for (const [index, { name, tests, result }] of failed.entries()) {
    if (NEVER_RERUN.test(path.basename(name))) continue;
    console.log(`\nRerun alone: ${path.relative('.', name)}`);
    const again = await jest(
      ['--runTestsByPath', name, '--maxWorkers=1'],
      path.join(folder, `again-${index}.json`),
    );
    if (again.failed > 0) continue;
    result.failed -= tests.length || 1;
    result.passed += tests.length || again.passed;
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
  const own = ['--passWithNoTests', '--json', `--outputFile=${outputFile}`];
  if (!args.some((arg) => arg.startsWith('--maxWorkers'))) own.push('--maxWorkers=2');
  const { code } = await run(process.execPath, [...FLAGS, 'node_modules/jest/bin/jest.js', ...own, ...args], {
    stdio: 'inherit',
    // The flags above are jest's own; its workers read NODE_OPTIONS.
    env: { ...process.env, NODE_OPTIONS: [process.env.NODE_OPTIONS, ...FLAGS].filter(Boolean).join(' ') },
  });
  const counted = fs.existsSync(outputFile)
    ? count(JSON.parse(fs.readFileSync(outputFile, 'utf8')))
    : count({});
  // A run may fail without a failed test: a setup that throws, an unknown option.
  if (code !== 0 && counted.failed === 0) counted.failed = 1;
  return { ...counted, interrupted: code >= 128 };
}

function count(results) {
  const { numPassedTests = 0, numFailedTests = 0, numPendingTests = 0, numTodoTests = 0 } = results;
  // A suite that cannot be loaded has no tests to count.
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
