import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ScriptError, main, root, step } from './environment.mjs';
import { ensureOpenApiTypes } from './openapi-types.mjs';
import { listPackages } from './packages.mjs';
import { run, runNpm, withLock } from './processes.mjs';

const LOCK = path.join(root, '.build.lock');
const LOCKFILE = path.join(root, 'package-lock.json');
const INSTALL_STAMP = path.join(root, 'node_modules', '.gatehouse-lock-hash');
const DIST = path.join(root, 'dist');

const VITE = ['vite', 'bin', 'vite.js'];

/** The projects of nest-cli.json: the apps and libs of the programs. */
const PROJECTS = Object.values(JSON.parse(read(path.join(root, 'nest-cli.json'))).projects);
const SOURCES = PROJECTS.map((project) => project.root);

/** The scripts that the bundle of dist/programs/all.js contains. */
const SERVE_SCRIPTS = ['all', 'memory-options', 'run-all', 'supervisor'].map((name) => `scripts/${name}.mjs`);

/** The npm packages, each after those that it imports. */
const PACKAGES = listPackages().map(({ folder }) => folder);

/**
 * The parts that are built separately, so that a change to the console restarts no program, and vice versa.
 */
const BUILD_PARTS = [
  {
    stamp: path.join(DIST, '.build-stamp'),
    sources: [...SOURCES, ...SERVE_SCRIPTS],
    outputs: [
      ...PROJECTS.map((project) =>
        project.type === 'library' ? `${project.root}/dist` : `dist/${project.root}`,
      ),
      'dist/programs',
    ],
    steps: [
      [['@nestjs', 'cli', 'bin', 'nest.js'], 'build', '--all'],
      [VITE, 'build', '--logLevel', 'warn'],
    ],
  },
  {
    stamp: path.join(DIST, '.console-stamp'),
    sources: ['apps/console'],
    outputs: ['dist/console'],
    steps: [[VITE, 'build', 'apps/console', '--logLevel', 'warn']],
  },
];

/** Benchmarks, screenshots and upgrade fixtures, which jest does not compile. */
const TOOLS_PART = {
  stamp: path.join(DIST, '.tools-stamp'),
  sources: [...SOURCES, 'test/bench', 'test/screenshots', 'test/support', 'test/upgrade'],
  outputs: ['dist/tools'],
  steps: [[['typescript', 'bin', 'tsc'], '-p', 'tsconfig.tools.json']],
};

/** The npm packages in packages/. */
const PACKAGES_PART = {
  stamp: path.join(DIST, '.packages-stamp'),
  sources: PACKAGES,
  outputs: PACKAGES.map((folder) => `${folder}/dist`),
  steps: PACKAGES.map((folder) => [['typescript-7', 'bin', 'tsc'], '-p', `${folder}/tsconfig.build.json`]),
  finish: () => PACKAGES.forEach(copyStyleSheets),
};

/**
 * Installs the packages of package-lock.json, unless node_modules already contains them.
 * @param {NodeJS.WriteStream} report stream for the progress
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
 * Builds the parts that changed since the last build into dist/.
 * @param {NodeJS.WriteStream} report stream for the progress
 * @param {{ withTools?: boolean }} [options] `withTools`: also builds benchmarks, screenshots and upgrade
 *   fixtures
 * @returns {Promise<boolean>} true if the programs were built and must be restarted
 */
export function ensureBuilt(report, { withTools = false } = {}) {
  return ensurePartsBuilt(report, withTools ? [...BUILD_PARTS, TOOLS_PART] : BUILD_PARTS);
}

/**
 * Builds the npm packages if they changed since the last build.
 * @param {NodeJS.WriteStream} report stream for the progress
 */
export async function ensurePackagesBuilt(report) {
  await ensureOpenApiTypes();
  await ensurePartsBuilt(report, [PACKAGES_PART]);
}

async function ensurePartsBuilt(report, wanted) {
  if (outdatedParts(wanted).length === 0) return false;
  return withLock(LOCK, async () => {
    // The stamps are computed before the build, so that files that change meanwhile are built the next time.
    const parts = outdatedParts(wanted);
    if (parts.length > 0) await step(report, 'Building', () => buildAll(parts));
    return parts.some(({ part }) => part === BUILD_PARTS[0]);
  });
}

const outdatedParts = (parts) =>
  parts
    .map((part) => ({ part, wanted: sourcesStamp(part.sources) }))
    .filter(({ part, wanted }) => read(part.stamp) !== wanted);

/**
 * Builds parts in parallel. Reports a failure only after all of them have ended, so that none is still
 * writing during the next build.
 */
async function buildAll(parts) {
  const results = await Promise.allSettled(
    parts.map(async ({ part, wanted }) => {
      fs.rmSync(part.stamp, { force: true });
      await build(part);
      fs.mkdirSync(DIST, { recursive: true });
      fs.writeFileSync(part.stamp, wanted);
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

/** Copies the style sheets of a package into its dist/. The compiler ignores them. */
function copyStyleSheets(folder) {
  const sources = path.join(root, folder, 'src');
  for (const name of fs.readdirSync(sources).filter((each) => each.endsWith('.css')))
    fs.copyFileSync(path.join(sources, name), path.join(root, folder, 'dist', name));
}

/** Returns whether every package for this machine is installed in the version of package-lock.json. */
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

function sourcesStamp(sources) {
  const fileStamps = [];
  const add = (file) => {
    const { mtimeMs, size } = fs.statSync(file);
    fileStamps.push(`${path.relative(root, file)} ${mtimeMs} ${size}`);
  };
  const visit = (folder) => {
    for (const entry of fs.existsSync(folder) ? fs.readdirSync(folder, { withFileTypes: true }) : []) {
      const file = path.join(folder, entry.name);
      if (entry.isDirectory() && entry.name !== 'node_modules' && entry.name !== 'dist') visit(file);
      else if (entry.isFile() && !/\.(spec|d)\.ts$/.test(entry.name)) add(file);
    }
  };
  for (const source of sources) {
    const name = path.join(root, source);
    if (source.endsWith('.mjs')) add(name);
    else visit(name);
  }
  for (const name of fs.readdirSync(root)) {
    if (/^((tsconfig.*|package|nest-cli)\.json|vite\.config\.mjs)$/.test(name)) add(path.join(root, name));
  }
  return sha256(fileStamps.sort().join('\n'));
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
    await (process.argv.includes('--packages') ? ensurePackagesBuilt : ensureBuilt)(process.stdout);
  });
}
