import fs from 'node:fs';
import path from 'node:path';
import { main, root } from './environment.mjs';
import { run } from './processes.mjs';

const COMPILER = path.join(root, 'node_modules', 'typescript-7', 'bin', 'tsc');
const EXAMPLES = fs
  .readdirSync(path.join(root, 'examples'))
  .map((name) => `examples/${name}`)
  .filter((folder) => fs.existsSync(path.join(root, folder, 'tsconfig.json')))
  .filter(isInstalled);
const PROJECTS = ['.', 'apps/console', 'packages', ...EXAMPLES];

/** Checks the types of each project, specs included. */
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

/** Returns false for an example with a package-lock.json of its own whose packages are not installed. */
function isInstalled(folder) {
  const has = (name) => fs.existsSync(path.join(root, folder, name));
  if (!has('package-lock.json') || has('node_modules')) return true;
  process.stdout.write(`The types of ${folder} are not checked: its packages are not installed.\n`);
  return false;
}
