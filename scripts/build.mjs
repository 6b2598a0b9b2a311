import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  CONSOLE_PART,
  DIST,
  isCurrent,
  PROGRAMS_PART,
  read,
  recordBuild,
  sha256,
  SOURCES,
  computeStamp,
} from './build-parts.mjs';
import { ScriptError, main, root, step } from './environment.mjs';
import { run, runNpm, withLock } from './processes.mjs';

const LOCK = path.join(root, '.build.lock');
const LOCKFILE = path.join(root, 'package-lock.json');
const INSTALL_STAMP = path.join(root, 'node_modules', '.gatehouse-lock-hash');

/** The parts that `npm run build` builds. */
const BUILD_PARTS = [PROGRAMS_PART, CONSOLE_PART];

/** Benchmarks, screenshots and upgrade fixtures, which Jest does not compile. */
const TOOLS_PART = {
  stamp: path.join(DIST, '.tools-stamp'),
  sources: [...SOURCES, 'test/bench', 'test/screenshots', 'test/support', 'test/upgrade'],
  outputs: ['dist/tools'],
  steps: [[['typescript', 'bin', 'tsc'], '-p', 'tsconfig.tools.json']],
};

/** Returns the part for packages/. Its steps build each package after the packages that it imports. */
function createPackagesPart(listPackages) {
  const folders = listPackages().map(({ folder }) => folder);
  return {
    stamp: path.join(DIST, '.packages-stamp'),
    sources: folders,
    outputs: folders.map((folder) => `${folder}/dist`),
    steps: folders.map((folder) => [['typescript-7', 'bin', 'tsc'], '-p', `${folder}/tsconfig.build.json`]),
    finish: () => folders.forEach(copyStyleSheets),
  };
}

/**
 * Installs the packages in package-lock.json, unless they are already installed.
 * @param {NodeJS.WriteStream} report stream for progress messages
 */
export async function ensureInstalled(report) {
  const wanted = sha256(read(LOCKFILE));
  if (read(INSTALL_STAMP) === wanted) return;
  await withLock(LOCK, async () => {
    if (read(INSTALL_STAMP) === wanted) return;
    if (!isInstalled()) await step(report, 'Installing packages (may take a minute)', install);
    fs.writeFileSync(INSTALL_STAMP, wanted);
  });
}

/**
 * Builds the parts that have changed since the last build.
 * @param {NodeJS.WriteStream} report stream for progress messages
 * @param {{ withTools?: boolean }} [options] `withTools`: also builds benchmarks, screenshots and upgrade fixtures
 * @returns {Promise<boolean>} true if the programs were built and must be restarted
 */
export function ensureBuilt(report, { withTools = false } = {}) {
  return ensurePartsBuilt(report, withTools ? [...BUILD_PARTS, TOOLS_PART] : BUILD_PARTS);
}

/**
 * Builds the programs and the console, even if they have not changed.
 * @param {NodeJS.WriteStream} report stream for progress messages
 */
function buildPrograms(report) {
  return withLock(LOCK, () => step(report, 'Building', () => buildAll(BUILD_PARTS)));
}

/**
 * Builds the npm packages if they have changed since the last build.
 * @param {NodeJS.WriteStream} report stream for progress messages
 */
export async function ensurePackagesBuilt(report) {
  // Imported on demand, because the image build contains neither module.
  const { ensureOpenApiTypes } = await import('./openapi-types.mjs');
  const { listPackages } = await import('./packages.mjs');
  await ensureOpenApiTypes();
  await ensurePartsBuilt(report, [createPackagesPart(listPackages)]);
}

async function ensurePartsBuilt(report, wanted) {
  if (wanted.every(isCurrent)) return false;
  return withLock(LOCK, async () => {
    const parts = wanted.filter((part) => !isCurrent(part));
    if (parts.length > 0) await step(report, 'Building', () => buildAll(parts));
    return parts.includes(PROGRAMS_PART);
  });
}

/**
 * Builds parts in parallel. Throws only after all builds have ended, so that none is still writing files when the next
 * build starts.
 */
async function buildAll(parts) {
  const results = await Promise.allSettled(
    parts.map(async (part) => {
      const stamp = computeStamp(part.sources);
      fs.rmSync(part.stamp, { force: true });
      await build(part);
      recordBuild(part, stamp);
    }),
  );
  const failure = results.find(({ status }) => status === 'rejected');
  if (failure) throw failure.reason;
}

async function install() {
  const args = ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'];
  const npm = process.env.npm_execpath;
  const { code, output } = npm?.endsWith('.js')
    ? await run(process.execPath, [npm, ...args], { cwd: root })
    : await runNpm(args, { cwd: root });
  if (code !== 0) throw new ScriptError(`${output}\nInstallation failed: npm ci exited with code ${code}.`);
}

async function build({ steps, outputs, finish }) {
  for (const folder of outputs) fs.rmSync(path.join(root, folder), { recursive: true, force: true });
  for (const [program, ...args] of steps) {
    const file = path.join(root, 'node_modules', ...program);
    const { code, output } = await run(process.execPath, [file, ...args], { cwd: root });
    const name = path.basename(file, '.js');
    if (code !== 0)
      throw new ScriptError(`${output}\nBuild failed: ${name} ${args[0]} exited with code ${code}.`);
  }
  finish?.();
}

/** Copies the style sheets of a package to its dist/, because the compiler ignores them. */
function copyStyleSheets(folder) {
  const sources = path.join(root, folder, 'src');
  for (const name of fs.readdirSync(sources).filter((each) => each.endsWith('.css')))
    fs.copyFileSync(path.join(sources, name), path.join(root, folder, 'dist', name));
}

/** Returns true if all packages for this machine are installed in the versions in package-lock.json. */
function isInstalled() {
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

if (process.argv[1] && fs.realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  await main(async () => {
    if (!process.argv.includes('--packages')) return buildPrograms(process.stdout);
    await ensureInstalled(process.stdout);
    await ensurePackagesBuilt(process.stdout);
  });
}
