import fs from 'node:fs';
import path from 'node:path';
import { ScriptError, root, step } from './environment.mjs';
import { runNpm } from './processes.mjs';

const FOLDER = path.join(root, 'examples');

/** Returns the names of the folders in examples/ that contain an example. */
export function listExamples() {
  return fs.readdirSync(FOLDER).filter((name) => fs.existsSync(path.join(FOLDER, name, 'package.json')));
}

/** Returns an example's folder. */
export const exampleFolder = (name) => path.join(FOLDER, name);

/**
 * Returns whether an example's packages are installed. An example without its own package-lock.json is installed with
 * the repository.
 */
export function isExampleInstalled(name) {
  const lock = path.join(exampleFolder(name), 'package-lock.json');
  const installed = path.join(exampleFolder(name), 'node_modules', '.package-lock.json');
  const modified = (file) => fs.statSync(file).mtimeMs;
  return !fs.existsSync(lock) || (fs.existsSync(installed) && modified(installed) >= modified(lock));
}

/**
 * Installs an example's packages, unless they are installed.
 * @param {string} name
 * @param {NodeJS.WriteStream} report stream for the progress
 * @throws ScriptError if npm fails
 */
export async function ensureExampleInstalled(name, report) {
  if (isExampleInstalled(name)) return;
  await step(report, `Installing the packages of examples/${name} (may take minutes)`, async () => {
    const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
    const { code, output } = await runNpm(args, {
      cwd: exampleFolder(name),
      // Jest's options for Node.js do not apply to npm.
      env: { ...process.env, NODE_OPTIONS: '' },
    });
    if (code !== 0) throw new ScriptError(`${output}\nnpm ci exited with code ${code}.`);
  });
}
