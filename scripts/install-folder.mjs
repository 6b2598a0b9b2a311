import fs from 'node:fs';
import path from 'node:path';
import { ScriptError, step } from './environment.mjs';
import { runNpm } from './processes.mjs';

/**
 * Returns true if the packages in a folder's package-lock.json are installed.
 * @param {string} folder
 */
export function isFolderInstalled(folder) {
  const modified = (name) => fs.statSync(path.join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return modified('node_modules/.package-lock.json') >= modified('package-lock.json');
}

/**
 * Installs the packages in a folder's package-lock.json, unless they are already installed.
 * @param {string} folder
 * @param {string} title message to show during the installation
 * @param {NodeJS.WriteStream} report stream for progress messages
 * @throws ScriptError if npm fails
 */
export async function ensureFolderInstalled(folder, title, report) {
  if (isFolderInstalled(folder)) return;
  await step(report, title, async () => {
    // `--include=dev`, because npm omits dev dependencies if NODE_ENV is production.
    const args = ['ci', '--include=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
    const { code, output } = await runNpm(args, {
      cwd: folder,
      // Jest's options for Node.js do not apply to npm.
      env: { ...process.env, NODE_OPTIONS: '' },
    });
    if (code !== 0) throw new ScriptError(`${output}\nnpm ci exited with code ${code}.`);
  });
}
