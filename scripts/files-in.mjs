import fs from 'node:fs';
import path from 'node:path';

/**
 * Returns the paths of all files and folders in a folder and its subfolders, with slashes.
 * @param {string} folder
 * @returns {string[]}
 */
export const filesIn = (folder) =>
  fs
    .readdirSync(folder, { recursive: true })
    .map((name) => path.posix.join(folder, name.replaceAll(path.sep, '/')));
