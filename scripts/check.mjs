import { availableParallelism } from 'node:os';
import { main } from './environment.mjs';
import { run } from './processes.mjs';

/** The scripts of package.json that only read, the longest first. Each keeps one core busy. */
const waiting = ['lint', 'format:check', 'types', 'imports'];

/** Everything that has to pass before the tests, side by side; the output of each is shown in one piece. */
await main(async () => {
  const failed = [];
  const lane = async () => {
    for (let name; (name = waiting.shift());) {
      const started = performance.now();
      const { code, output } = await run('npm', ['run', '--silent', name], {
        shell: process.platform === 'win32',
      });
      console.log(`${name}: ${((performance.now() - started) / 1000).toFixed(0)} s\n${output.trim()}`);
      if (code !== 0) failed.push(name);
    }
  };
  await Promise.all(Array.from({ length: Math.min(4, availableParallelism()) }, lane));
  if (failed.length > 0) console.error(`Failed: ${failed.join(', ')}.`);
  return failed.length > 0 ? 1 : 0;
});
