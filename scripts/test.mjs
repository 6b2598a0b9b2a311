import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ensureBuilt, ensureInstalled } from './build.mjs';
import { main } from './environment.mjs';
import { run } from './processes.mjs';

const FLAGS = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];

await main(async () => {
  await ensureInstalled(process.stderr);
  await ensureBuilt(process.stderr);
  const { hasRedisServer, reapServers } = await import('../test/support/embedded.mjs');
  // Ctrl-C ends jest, which runs no teardown then; this process stays to clean up.
  process.on('SIGINT', () => {});

  const given = process.argv.slice(2);
  const faults = [
    '--selectProjects=faults',
    '--reporters=default',
    '--reporters=./test/support/fault-table.mjs',
  ];
  // Of two cores these leave a third idle with two workers; after them what minds how busy the machine is.
  const e2e = ['--selectProjects=e2e', '--maxWorkers=3'];
  const all = [['--selectProjects=unit'], e2e, ['--selectProjects=browser'], faults];
  const isOfFaults = given[0] === '--faults';
  // Only a whole run is worth keeping.
  if (isOfFaults && given.length === 1) process.env.TEST_FAULT_TABLE = 'docs/reliability.md';
  const runs = isOfFaults ? [[...given.slice(1), ...faults]] : given.length > 0 ? [given] : all;
  const total = { passed: 0, failed: 0, skipped: 0 };
  const folder = fs.mkdtempSync(path.join(tmpdir(), 'gatehouse-results-'));
  try {
    for (const [index, args] of runs.entries()) {
      const result = await jest(args, path.join(folder, `${index}.json`));
      for (const key of Object.keys(total)) total[key] += result[key];
      if (result.interrupted) break;
    }
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
    await reapServers();
  }

  if (given.length === 0)
    console.log(`\nThe Redis half of the delivery suites: ${redisHalf(hasRedisServer())}.`);
  if (total.passed + total.failed === 0) console.log('No test ran.');
  const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : '';
  console.log(`${total.passed} passed, ${total.failed} failed${skipped}`);
  return total.failed > 0 || total.passed === 0 ? 1 : 0;
});

function redisHalf(redisServer) {
  if (process.env.REDIS_URL) return 'included (REDIS_URL)';
  if (redisServer) return 'included (redis-server on PATH)';
  return 'not run, because neither REDIS_URL nor a redis-server on PATH was found';
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
  const { numRuntimeErrorTestSuites = 0 } = results;
  return {
    passed: numPassedTests,
    failed: numFailedTests + numRuntimeErrorTestSuites,
    skipped: numPendingTests + numTodoTests,
  };
}
