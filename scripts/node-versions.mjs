import fs from 'node:fs';
import path from 'node:path';
import { root } from './environment.mjs';
import { run } from './processes.mjs';

/**
 * The Node.js versions to test besides the installed version, by major version. 20 is the oldest supported version, and
 * the image contains 24.
 */
export const nodeVersions = {
  20: '20.20.2',
  22: '22.23.3',
  24: /^ARG NODE_IMAGE=node:([\d.]+)/m.exec(fs.readFileSync(path.join(root, 'Dockerfile'), 'utf8'))[1],
};

/**
 * Installs a Node.js version from npm, unless it is already installed. The versions are not development dependencies,
 * because each would add 185 MB to every `npm ci`.
 * @param {20 | 22 | 24} major
 * @returns {Promise<string | null>} the program's folder, or null if it cannot be installed on this machine
 */
export async function installNode(major) {
  const version = nodeVersions[major];
  const name = `node-${process.platform}-${process.arch}`;
  const target = path.join(root, 'node_modules', '.cache', `node-${version}`);
  const folder = path.join(target, 'node_modules', name, 'bin');
  if (fs.existsSync(folder)) return folder;
  const options = ['--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'];
  const args = ['install', '--prefix', target, ...options, `${name}@${version}`];
  const { code, output } = await run('npm', args, { shell: process.platform === 'win32' });
  if (code === 0) return folder;
  process.stderr.write(`Node.js ${version} cannot be installed: ${output.trim().split('\n')[0]}\n`);
  return null;
}
