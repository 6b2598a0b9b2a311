import fs from 'node:fs';
import path from 'node:path';
import { ScriptError, root } from './environment.mjs';
import { runNpm } from './processes.mjs';

/**
 * Returns the npm packages in packages/, each after the packages that it imports.
 * @returns {{ name: string, folder: string, manifest: Record<string, any> }[]} `folder` is relative to the root
 */
export function listPackages() {
  const found = fs
    .readdirSync(path.join(root, 'packages'))
    .map((name) => ({ folder: `packages/${name}`, file: path.join(root, 'packages', name, 'package.json') }))
    .filter(({ file }) => fs.existsSync(file))
    .map(({ folder, file }) => ({ folder, manifest: JSON.parse(fs.readFileSync(file, 'utf8')) }))
    .map((each) => ({ name: each.manifest.name, ...each }));
  const sorted = new Set();
  const add = (each) => {
    const imported = { ...each.manifest.dependencies, ...each.manifest.peerDependencies };
    found.filter(({ name }) => imported[name]).forEach(add);
    sorted.add(each);
  };
  found.forEach(add);
  return [...sorted];
}

/**
 * Packs the packages in folders like `npm publish`, but without running their scripts.
 * @param {string[]} folders relative to the root, or absolute
 * @param {string} destination an existing folder
 * @returns {Promise<{ file: string, contents: string[] }[]>} the tarballs, with the paths of their files
 * @throws ScriptError if npm fails
 */
export async function packFolders(folders, destination) {
  const paths = folders.map((folder) => path.resolve(root, folder));
  const args = ['pack', ...paths, '--json', '--ignore-scripts', '--loglevel=error'];
  const { code, output } = await runNpm([...args, `--pack-destination=${destination}`], { cwd: root });
  if (code !== 0) throw new ScriptError(`npm pack ${folders.join(' ')} failed with code ${code}.\n${output}`);
  return JSON.parse(output).map((packed) => ({
    file: path.join(destination, packed.filename),
    contents: packed.files.map((each) => each.path).sort(),
  }));
}
