import { ensureBuilt, ensureInstalled } from './build.mjs';
import { main } from './environment.mjs';
import { run } from './processes.mjs';

await main(async () => {
  await ensureInstalled(process.stderr);
  await ensureBuilt(process.stderr, { withTools: true });
  const args = ['dist/tools/test/upgrade/run.js', ...process.argv.slice(2)];
  const { code } = await run(process.execPath, args, { stdio: 'inherit' });
  return code;
});
