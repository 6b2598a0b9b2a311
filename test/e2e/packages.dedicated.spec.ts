import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listPackages } from '../../scripts/packages.mjs';
import { run } from '../../scripts/processes.mjs';
import { checkTypesOfTarball, lintTarball } from '../support/packages/check-tarball.js';
import { importExports } from '../support/packages/import-exports.js';
import { installPackage, listEntryPoints, type Manifest } from '../support/packages/install-package.js';
import { startLocalRegistry, type LocalRegistry } from '../support/packages/local-registry.js';
import { packAll, type Tarball } from '../support/packages/pack-all.js';
import { checkTypesOfExports } from '../support/packages/type-check.js';

interface Package {
  name: string;
  /** Such as packages/js. */
  folder: string;
  manifest: Manifest;
}

const packages = listPackages() as Package[];
const libraries = packages.filter(({ manifest }) => !manifest.bin);
const programs = packages.filter(({ manifest }) => manifest.bin);

let folder: string;
let registry: LocalRegistry;
let tarballs: Map<string, Tarball>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-packages-'));
  tarballs = await packAll(folder);
  registry = await startLocalRegistry();
});
afterAll(async () => {
  registry?.close();
  if (folder) await rm(folder, { recursive: true, force: true });
});

/** Returns the sizes of exports in bytes, without peer dependencies. */
async function measureExports(
  project: string,
  name: string,
  exports: string[],
  peers: string[],
): Promise<Record<string, number>> {
  const program = 'test/support/packages/measure-exports.mjs';
  const args = [program, project, name, exports.join(','), peers.join(',')];
  const { code, output } = await run(process.execPath, args, { env: { ...process.env, NODE_OPTIONS: '' } });
  if (code !== 0) throw new Error(output);
  return JSON.parse(output) as Record<string, number>;
}

/** Installs a package into a project. */
const install = (source: string, project: string, withOptionalPeers: boolean): Promise<void> => {
  const files = new Map([...tarballs].map(([name, { file }]) => [name, file]));
  const cache = join(folder, 'npm-cache');
  return installPackage(source, project, {
    tarballs: files,
    registry: registry.url,
    cache,
    withOptionalPeers,
  });
};

/** Checks that a tarball contains only a README, the license, and the code and types that its sources compile to. */
async function checkContents({ name, folder: source, manifest }: Package): Promise<void> {
  const { contents } = tarballs.get(name)!;
  const code = contents.filter((path) => path.startsWith('dist/'));
  expect(contents.filter((path) => !code.includes(path))).toEqual(['LICENSE', 'README.md', 'package.json']);
  expect(code.filter((path) => /\.spec\./.test(path) || !/\.(js|d\.ts|css)$/.test(path))).toEqual([]);
  const sourceOf = (path: string): string =>
    path.replace(/^dist\//, `${source}/src/`).replace(/(?:\.d\.ts|\.js)$/, '.ts');
  expect(code.filter((path) => ![sourceOf(path), `${sourceOf(path)}x`].some(existsSync))).toEqual([]);
  expect(await readFile(join(source, 'LICENSE'), 'utf8')).toBe(await readFile('LICENSE', 'utf8'));
  const exported = Object.values(manifest.exports).flatMap((each) =>
    typeof each === 'string' ? each : [each.types, each.default],
  );
  const files = [...exported.map((path) => path.slice(2)), ...Object.values(manifest.bin ?? {})];
  expect(contents).toEqual(expect.arrayContaining(files));
}

describe.each(libraries)('$name', ({ name, folder: source, manifest }) => {
  const entryPoints = listEntryPoints(manifest);
  const peers = Object.keys(manifest.peerDependencies ?? {});
  const isOptional = (peer: string): boolean => manifest.peerDependenciesMeta?.[peer]?.optional === true;
  /** Whether code of the package imports a peer dependency that may be missing. Types need no second installation. */
  const hasOptionalPeers = peers.some((peer) => isOptional(peer) && !peer.startsWith('@types/'));
  const project = (): string => join(folder, 'projects', source);
  /** The project that also has the optional peer dependencies, which types and exports besides the main one may need. */
  const projectWithPeers = (): string => (hasOptionalPeers ? `${project()}-with-peers` : project());

  beforeAll(async () => {
    await install(source, project(), !hasOptionalPeers);
    if (hasOptionalPeers) await install(source, projectWithPeers(), true);
  });

  it('contains only a README, the license, and the code and types that its sources compile to', () =>
    checkContents({ name, folder: source, manifest }));

  it('has no problem that publint or attw finds', async () => {
    const { file } = tarballs.get(name)!;
    expect(await lintTarball(file)).toEqual([]);
    expect(await checkTypesOfTarball(file)).toEqual([]);
  });

  it('is imported by Node.js, its main export without optional peer dependencies', async () => {
    expect(await importExports(project(), [name])).toEqual([name]);
    expect(await importExports(projectWithPeers(), entryPoints)).toEqual(entryPoints);
  });

  it('stays within the size limit of each export', async () => {
    const limits = manifest.sizeLimit ?? {};
    // "*": everything that a page can load from the package and from the packages of the repository that it depends on.
    const exports = [...Object.keys(manifest.exports), ...(limits['*'] ? ['*'] : [])];
    const sizes = await measureExports(projectWithPeers(), name, exports, peers);
    expect(Object.keys(limits)).toEqual(Object.keys(sizes));
    expect(Object.entries(sizes).filter(([subpath, size]) => size > limits[subpath]!)).toEqual([]);
  });

  it.each(['nodenext', 'bundler'])(
    'has types that compile with the module resolution %s',
    async (resolution) => {
      expect(await checkTypesOfExports(projectWithPeers(), entryPoints, resolution)).toBe('');
    },
  );
});

describe.each(programs)('$name', ({ name, folder: source, manifest }) => {
  it('contains only a README, the license, and the code and types that its sources compile to', () =>
    checkContents({ name, folder: source, manifest }));

  it('has no problem that publint finds, and exports no code', async () => {
    expect(await lintTarball(tarballs.get(name)!.file)).toEqual([]);
    expect(listEntryPoints(manifest)).toEqual([]);
  });

  it('runs each command with the dependencies that npm installs', async () => {
    const project = join(folder, 'projects', source);
    await install(source, project, false);
    for (const command of Object.keys(manifest.bin!)) {
      const file = join(project, 'node_modules', '.bin', command);
      const result = await run(file, ['--version'], {
        shell: process.platform === 'win32',
        env: { ...process.env, NODE_OPTIONS: '' },
      });
      expect(result).toMatchObject({ code: 0, output: `${manifest.version}\n` });
    }
  });
});
