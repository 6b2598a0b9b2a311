import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { root } from './environment.mjs';

/** The build output folder, which also contains a stamp for each part. */
export const DIST = path.join(root, 'dist');

export const VITE = ['vite', 'bin', 'vite.js'];

/** The projects in nest-cli.json: the apps and libs of the programs. */
const PROJECTS = Object.values(JSON.parse(read(path.join(root, 'nest-cli.json'))).projects);
export const SOURCES = PROJECTS.map((project) => project.root);

/** The scripts in dist/programs/all.js. */
const SERVE_SCRIPTS = ['all', 'program-options', 'run-all', 'supervisor'].map(
  (name) => `scripts/${name}.mjs`,
);

/**
 * The programs and the console are built separately, so that a change to the console does not restart the programs, and
 * vice versa. `outputs` are removed before the build. Vite empties `bundle` only just before it writes to it, so that a
 * running service can use the files until then.
 */
export const PROGRAMS_PART = {
  stamp: path.join(DIST, '.build-stamp'),
  sources: [...SOURCES, ...SERVE_SCRIPTS],
  outputs: PROJECTS.map((project) =>
    project.type === 'library' ? `${project.root}/dist` : `dist/${project.root}`,
  ),
  bundle: 'dist/programs',
  steps: [
    [['@nestjs', 'cli', 'bin', 'nest.js'], 'build', '--all'],
    [VITE, 'build', '--logLevel', 'warn'],
  ],
};
export const CONSOLE_PART = {
  stamp: path.join(DIST, '.console-stamp'),
  sources: ['apps/console', 'packages/cli/src/console-shared'],
  outputs: [],
  bundle: 'dist/console',
  steps: [[VITE, 'build', 'apps/console', '--logLevel', 'warn']],
};

/** Returns true if a part was built from its current sources and all of its output files exist. */
export function isCurrent(part) {
  return read(part.stamp).split('\n')[0] === computeStamp(part.sources) && findMissing(part) === undefined;
}

/** Returns the first output file that has been deleted since the last build, if any. */
function findMissing({ stamp }) {
  const [, ...files] = read(stamp).split('\n');
  return files.find((file) => !fs.existsSync(path.join(root, file)));
}

/**
 * Returns a message that states which file in dist/programs is missing and how to build it, or undefined.
 * @param {string} name program name
 */
export function findMissingProgram(name) {
  const program = `${PROGRAMS_PART.bundle}/${name}.js`;
  const missing = fs.existsSync(path.join(root, program)) ? findMissing(PROGRAMS_PART) : program;
  return missing && `${missing} does not exist. Build it: npm run build`;
}

/**
 * Records that a part was built, with its output files.
 * @param {{ stamp: string, outputs: string[], bundle?: string }} part
 * @param {string} built the stamp of its sources before the build, so that files that change during the build are built
 *   the next time
 */
export function recordBuild({ stamp, outputs, bundle }, built) {
  const files = [...outputs, ...(bundle ? [bundle] : [])].flatMap((folder) =>
    listFiles(path.join(root, folder)).map((file) => path.relative(root, file)),
  );
  fs.mkdirSync(DIST, { recursive: true });
  fs.writeFileSync(stamp, [built, ...files].join('\n'));
}

/** Returns a hash that changes whenever the sources or the build configuration change. */
export function computeStamp(sources) {
  const names = sources.flatMap((source) => {
    const name = path.join(root, source);
    if (source.endsWith('.mjs')) return [name];
    return listFiles(name, ['node_modules', 'dist']).filter((file) => !/\.(spec|d)\.ts$/.test(file));
  });
  for (const name of fs.readdirSync(root)) {
    if (/^((tsconfig.*|package|nest-cli)\.json|vite\.config\.mjs)$/.test(name))
      names.push(path.join(root, name));
  }
  const lines = names.map((file) => {
    const { mtimeMs, size } = fs.statSync(file);
    return `${path.relative(root, file)} ${mtimeMs} ${size}`;
  });
  return sha256(lines.sort().join('\n'));
}

function listFiles(folder, excluded = []) {
  if (!fs.existsSync(folder)) return [];
  return fs.readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) return excluded.includes(entry.name) ? [] : listFiles(file, excluded);
    return entry.isFile() ? [file] : [];
  });
}

export function sha256(text) {
  return createHash('sha256').update(text).digest('hex');
}

/** Returns a file's text, or "" if it does not exist. */
export function read(file) {
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '';
}
