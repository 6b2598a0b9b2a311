import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '../../../scripts/processes.mjs';

export interface Manifest {
  name: string;
  version: string;
  /** Each export's files: code and its types, or a single file such as a style sheet. */
  exports: Record<string, { types: string; default: string } | string>;
  /** The command files, by name. A package with commands exports no code. */
  bin?: Record<string, string>;
  /** Each export's maximum size in bytes: bundled with all dependencies, minified and compressed with gzip. */
  sizeLimit?: Record<string, number>;
  dependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
}

export interface InstallOptions {
  /** The tarballs of all packages in the repository, by name. */
  tarballs: Map<string, string>;
  /** The registry URL for all other packages. */
  registry: string;
  /** The folder for npm's cache. It is empty at first, so that nothing comes from an earlier run. */
  cache: string;
  /** True to install the optional peer dependencies as well. */
  withOptionalPeers: boolean;
}

/** Returns the specifiers of all exports with code. */
export const listEntryPoints = ({ name, exports }: Manifest): string[] =>
  Object.keys(exports)
    .filter((subpath) => typeof exports[subpath] === 'object')
    .map((subpath) => join(name, subpath));

const readManifest = async (folder: string): Promise<Manifest> =>
  JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest;

/**
 * Returns what to install: the tarballs of a package and of the repository's packages that it imports, and its peer
 * dependencies.
 */
async function listArguments(manifest: Manifest, options: InstallOptions): Promise<string[]> {
  const { name, dependencies, peerDependencies = {}, peerDependenciesMeta = {} } = manifest;
  const isOptional = (peer: string): boolean => peerDependenciesMeta[peer]?.optional === true;
  const required = [...Object.keys(dependencies ?? {}), ...Object.keys(peerDependencies)].filter(
    (each) => options.tarballs.has(each) && (options.withOptionalPeers || !isOptional(each)),
  );
  const nested = await Promise.all(
    required.map(async (each) => {
      const folder = join('node_modules', each);
      return listArguments(await readManifest(folder), { ...options, withOptionalPeers: false });
    }),
  );
  // Expo's native modules are installed only for the Expo example, which compiles and bundles the package with them.
  const isInstalled = (peer: string): boolean => existsSync(join('node_modules', peer));
  const peers = Object.entries(peerDependencies)
    .filter(([peer]) => options.withOptionalPeers && isOptional(peer) && isInstalled(peer))
    .filter(([peer]) => !options.tarballs.has(peer))
    .map(([peer, range]) => `${peer}@${range}`);
  return [options.tarballs.get(name)!, ...nested.flat(), ...peers];
}

/**
 * Installs repository packages into a new project. Each package can import only the packages that it declares, because
 * npm installs it beside links to these packages and no others.
 * @param folders the package folders, such as packages/js
 * @param project the project's folder, which is created
 * @throws Error if the registry lacks a package, which must then become a devDependency
 */
export async function installPackages(
  folders: string[],
  project: string,
  options: InstallOptions,
): Promise<void> {
  const sources = await Promise.all(
    folders.map(async (folder) => listArguments(await readManifest(folder), options)),
  );
  await mkdir(project, { recursive: true });
  await writeFile(join(project, 'package.json'), '{ "name": "project", "private": true, "type": "module" }');
  // Optional dependencies are executables for one platform, such as the Next.js compiler. No test runs them.
  const flags = [
    '--install-strategy=linked',
    '--omit=optional',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
  ];
  const packages = [...new Set(sources.flat())];
  const { code, output } = await run(
    'npm',
    ['install', ...flags, `--registry=${options.registry}`, ...packages],
    {
      cwd: project,
      shell: process.platform === 'win32',
      env: { ...process.env, npm_config_cache: options.cache },
    },
  );
  if (code !== 0) throw new Error(`npm install of ${folders.join(', ')}: exit code ${code}\n${output}`);
}
