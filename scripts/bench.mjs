import { ensureBuilt, ensureInstalled, ensurePackagesBuilt } from './build.mjs';
import { main } from './environment.mjs';
import { run } from './processes.mjs';

await main(async () => {
  await ensureInstalled(process.stderr);
  await ensurePackagesBuilt(process.stderr);
  await ensureBuilt(process.stderr, { withTools: true });
  const { code } = await run(process.execPath, ['dist/tools/test/bench/run.js', ...process.argv.slice(2)], {
    stdio: 'inherit',
  });
  return code;
});
