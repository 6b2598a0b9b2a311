import path from 'node:path';
import { main, root } from './environment.mjs';
import { isExampleInstalled, listExamples } from './examples.mjs';
import { run } from './processes.mjs';

const COMPILER = path.join(root, 'node_modules', 'typescript-7', 'bin', 'tsc');
const EXAMPLES = listExamples()
  .filter(isChecked)
  .map((name) => `examples/${name}`);
const PROJECTS = ['.', 'apps/console', 'packages', ...EXAMPLES];

/** Checks each project's types, including its specs. */
await main(async () => {
  let result = 0;
  for (const project of PROJECTS) {
    const { code, output } = await run(process.execPath, [COMPILER, '--noEmit', '-p', project], {
      cwd: root,
    });
    process.stdout.write(output);
    if (code !== 0) result = 1;
  }
  return result;
});

/** Returns true if an example's types can be checked. */
function isChecked(name) {
  if (isExampleInstalled(name)) return true;
  process.stdout.write(`The types of examples/${name} are not checked: its packages are not installed.\n`);
  return false;
}
