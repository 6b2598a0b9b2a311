import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { run } from '../../../scripts/processes.mjs';

export interface Manifest {
  name: string;
  exports: Record<string, { types: string; default: string }>;
  /** Maximum sizes of the exports in bytes, bundled with all dependencies, minified and compressed with gzip. */
  sizeLimit?: Record<string, number>;
  dependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
}

export interface InstallOptions {
  /** The tarballs of all packages of the repository, by name. */
  tarballs: Map<string, string>;
  /** Whether to install optional peer dependencies as well. */
  withOptionalPeers: boolean;
}

const readManifest = async (folder: string): Promise<Manifest> =>
  JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest;

/** Returns the folder in which npm has installed a package for the package of another folder. */
function findInstalled(name: string, from: string): string {
  for (let folder = from; folder !== dirname(folder); folder = dirname(folder)) {
    const found = join(folder, 'node_modules', name);
    if (existsSync(found)) return found;
  }
  throw new Error(`${name} is not installed: add it to the devDependencies`);
}

/** Returns the sources from which npm installs a package and everything that it requires, without a registry. */
async function listSources(folder: string, options: InstallOptions): Promise<string[]> {
  const sources = new Set<string>();
  const visit = async (from: string): Promise<void> => {
    const { dependencies, peerDependencies = {}, peerDependenciesMeta = {} } = await readManifest(from);
    const peers = Object.keys(peerDependencies).filter(
      (name) => options.withOptionalPeers || !peerDependenciesMeta[name]?.optional,
    );
    for (const name of [...Object.keys(dependencies ?? {}), ...peers]) {
      const found = findInstalled(name, from);
      const source = options.tarballs.get(name) ?? found;
      if (sources.has(source)) continue;
      sources.add(source);
      await visit(found);
    }
  };
  await visit(resolve(folder));
  return [...sources];
}

/**
 * Installs a package of the repository into a new project. Its dependencies come from the node_modules of the
 * repository, and npm has an empty cache and no network.
 * @param folder the folder of the package, such as packages/js
 * @param project the folder of the project, which is created
 */
export async function installPackage(
  folder: string,
  project: string,
  options: InstallOptions,
): Promise<void> {
  const { name } = await readManifest(folder);
  await mkdir(project, { recursive: true });
  await writeFile(join(project, 'package.json'), '{ "name": "project", "private": true, "type": "module" }');
  const sources = [options.tarballs.get(name)!, ...(await listSources(folder, options))];
  const flags = ['--offline', '--install-links', '--ignore-scripts', '--no-audit', '--no-fund'];
  const { code, output } = await run('npm', ['install', ...flags, ...sources], {
    cwd: project,
    shell: process.platform === 'win32',
    env: { ...process.env, npm_config_cache: join(project, '.npm') },
  });
  if (code !== 0) throw new Error(`npm install of ${name}: exit code ${code}\n${output}`);
}
