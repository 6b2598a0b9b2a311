import fs from 'node:fs';
import path from 'node:path';
import { root } from './environment.mjs';
import { ensureFolderInstalled, isFolderInstalled } from './install-folder.mjs';

const FOLDER = path.join(root, 'examples');

/** Returns the names of the folders in examples/ that contain an example. */
export function listExamples() {
  return fs.readdirSync(FOLDER).filter((name) => fs.existsSync(path.join(FOLDER, name, 'package.json')));
}

/** Returns an example's folder. */
export const exampleFolder = (name) => path.join(FOLDER, name);

/**
 * Returns true if an example's packages are installed. An example without its own package-lock.json is installed with
 * the repository.
 */
export const isExampleInstalled = (name) => isFolderInstalled(exampleFolder(name));

/**
 * Installs an example's packages, unless they are already installed.
 * @param {string} name
 * @param {NodeJS.WriteStream} report stream for progress messages
 * @throws ScriptError if npm fails
 */
export const ensureExampleInstalled = (name, report) =>
  ensureFolderInstalled(
    exampleFolder(name),
    `Installing the packages of examples/${name} (may take minutes)`,
    report,
  );
