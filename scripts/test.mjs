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
  const runs = given.length > 0 ? [given] : [['--selectProjects=unit'], ['--selectProjects=e2e']];
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
  const own = ['--maxWorkers=2', '--passWithNoTests', '--json', `--outputFile=${outputFile}`];
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
