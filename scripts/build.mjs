import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Fault, main, root, step } from './environment.mjs';
import { run, withLock } from './processes.mjs';

const LOCK = path.join(root, '.build.lock');
const LOCKFILE = path.join(root, 'package-lock.json');
const INSTALLED = path.join(root, 'node_modules', '.gatehouse-lock-hash');
const BUILT = path.join(root, 'dist', '.build-stamp');

/**
 * Installs the packages of package-lock.json, unless these are the ones in node_modules.
 * @param {NodeJS.WriteStream} report where progress is shown
 */
export async function ensureInstalled(report) {
  const wanted = sha256(read(LOCKFILE));
  if (read(INSTALLED) === wanted) return;
  await withLock(LOCK, async () => {
    if (read(INSTALLED) === wanted) return;
    if (!installedByHand()) await step(report, 'Installing packages (takes a minute)', install);
    fs.writeFileSync(INSTALLED, wanted);
  });
}

/**
 * Compiles to dist/, unless nothing changed since the last time.
 * @param {NodeJS.WriteStream} report where progress is shown
 * @returns {Promise<boolean>} whether it compiled
 */
export async function ensureBuilt(report) {
  if (read(BUILT) === sourcesStamp()) return false;
  return withLock(LOCK, async () => {
    const stamp = sourcesStamp(); // taken before the build: what changes meanwhile is built the next time
    if (read(BUILT) === stamp) return false;
    await step(report, 'Building', build);
    fs.writeFileSync(BUILT, stamp);
    return true;
  });
}

async function install() {
  const args = ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'];
  const npm = process.env.npm_execpath;
  const { code, output } = npm?.endsWith('.js')
    ? await run(process.execPath, [npm, ...args], { cwd: root })
    : await run('npm', args, { cwd: root, shell: process.platform === 'win32' });
  if (code !== 0) throw new Fault(`${output}\nInstalling failed: npm ci ended with code ${code}.`);
}

async function build() {
  const nest = path.join(root, 'node_modules', '@nestjs', 'cli', 'bin', 'nest.js');
  const { code, output } = await run(process.execPath, [nest, 'build'], { cwd: root });
  if (code !== 0) throw new Fault(`${output}\nThe build failed: nest build ended with code ${code}.`);
}

/** Whether every package that belongs on this machine is there as package-lock.json wants it. */
function installedByHand() {
  const record = read(path.join(root, 'node_modules', '.package-lock.json'));
  if (!record) return false;
  const installed = JSON.parse(record).packages;
  return Object.entries(JSON.parse(read(LOCKFILE)).packages).every(
    ([name, { version, integrity, optional }]) =>
      name === '' ||
      (installed[name]
        ? installed[name].version === version && installed[name].integrity === integrity
        : optional),
  );
}

function sourcesStamp() {
  const facts = [];
  const add = (file) => {
    const { mtimeMs, size } = fs.statSync(file);
    facts.push(`${path.relative(root, file)} ${mtimeMs} ${size}`);
  };
  const walk = (folder) => {
    for (const entry of fs.existsSync(folder) ? fs.readdirSync(folder, { withFileTypes: true }) : []) {
      const file = path.join(folder, entry.name);
      if (entry.isDirectory() && entry.name !== 'node_modules' && entry.name !== 'dist') walk(file);
      else if (entry.isFile() && !entry.name.endsWith('.spec.ts')) add(file);
    }
  };
  for (const folder of ['apps', 'libs', 'test/bench', 'test/support']) walk(path.join(root, folder));
  for (const name of fs.readdirSync(root)) {
    if (/^(tsconfig.*|package|nest-cli)\.json$/.test(name)) add(path.join(root, name));
  }
  return sha256(facts.sort().join('\n'));
}

function sha256(text) {
  return createHash('sha256').update(text).digest('hex');
}

function read(file) {
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '';
}

if (process.argv[1] && fs.realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  await main(async () => {
    await ensureInstalled(process.stdout);
    await ensureBuilt(process.stdout);
  });
}
