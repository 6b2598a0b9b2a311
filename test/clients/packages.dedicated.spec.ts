import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listPackages } from '../../scripts/packages.mjs';
import { run } from '../../scripts/processes.mjs';
import { checkTarballTypes, lintTarball } from '../support/packages/check-tarball.js';
import { importExports } from '../support/packages/import-exports.js';
import { installPackages, listEntryPoints, type Manifest } from '../support/packages/install-package.js';
import { startLocalRegistry } from '../support/packages/local-registry.js';
import { packAll, type Tarball } from '../support/packages/pack-all.js';
import { checkExportTypes } from '../support/packages/type-check.js';

interface Package {
  name: string;
  /** For example packages/js. */
  folder: string;
  manifest: Manifest;
}

const packages = listPackages() as Package[];
const libraries = packages.filter(({ manifest }) => !manifest.bin);
const programs = packages.filter(({ manifest }) => manifest.bin);

/** Returns true if a package's code imports a peer dependency that may be missing. */
const hasOptionalPeers = ({
  manifest: { peerDependencies = {}, peerDependenciesMeta = {} },
}: Package): boolean =>
  Object.keys(peerDependencies).some(
    (peer) => peerDependenciesMeta[peer]?.optional === true && !peer.startsWith('@types/'),
  );

let folder: string;
let tarballs: Map<string, Tarball>;
/** A project with all libraries and the optional peer dependencies that their types and exports may need. */
let project: string;
/** A project with the programs, and with the libraries without their optional peer dependencies. */
let projectWithoutPeers: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-packages-'));
  tarballs = await packAll(folder);
  [project, projectWithoutPeers] = [join(folder, 'project'), join(folder, 'project-without-peers')];
  const registry = await startLocalRegistry();
  const options = {
    tarballs: new Map([...tarballs].map(([name, { file }]) => [name, file])),
    registry: registry.url,
    cache: join(folder, 'npm-cache'),
  };
  const listFolders = (installed: Package[]): string[] => installed.map(({ folder: source }) => source);
  try {
    await installPackages(listFolders(libraries), project, { ...options, withOptionalPeers: true });
    await installPackages(
      listFolders([...programs, ...libraries.filter(hasOptionalPeers)]),
      projectWithoutPeers,
      { ...options, withOptionalPeers: false },
    );
  } finally {
    registry.close();
  }
});
afterAll(async () => {
  if (folder) await rm(folder, { recursive: true, force: true });
});

/** Returns each export's size in bytes, by package, without peer dependencies. */
async function measureExports(): Promise<Record<string, Record<string, number>>> {
  const measured = libraries.map(({ name, manifest }) => {
    // "*" stands for everything that a page can load from the package and from its dependencies in this repository.
    const exports = [...Object.keys(manifest.exports), ...(manifest.sizeLimit?.['*'] ? ['*'] : [])];
    return [name, { exports, peers: Object.keys(manifest.peerDependencies ?? {}) }] as const;
  });
  const program = 'test/support/packages/measure-exports.mjs';
  const args = [program, project, JSON.stringify(Object.fromEntries(measured))];
  const { code, output } = await run(process.execPath, args, { env: { ...process.env, NODE_OPTIONS: '' } });
  if (code !== 0) throw new Error(output);
  return JSON.parse(output) as Record<string, Record<string, number>>;
}

/** Checks that a tarball contains only a README, the license, and the compiled code and types of its sources. */
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

describe.each(packages)('$name', ({ name, folder: source, manifest }) => {
  it('contains only a README, the license, and the compiled code and types of its sources', () =>
    checkContents({ name, folder: source, manifest }));

  it('passes publint and attw, and exports no code if it is a program', async () => {
    const { file } = tarballs.get(name)!;
    expect(await lintTarball(file)).toEqual([]);
    if (manifest.bin) expect(listEntryPoints(manifest)).toEqual([]);
    else expect(await checkTarballTypes(file)).toEqual([]);
  });
});

describe('each library', () => {
  const entryPoints = libraries.flatMap(({ manifest }) => listEntryPoints(manifest));

  it('can be imported in Node.js, and its main export needs no optional peer dependencies', async () => {
    expect(await importExports(project, entryPoints)).toEqual(entryPoints);
    const names = libraries.filter(hasOptionalPeers).map(({ name }) => name);
    expect(names.length).toBeGreaterThan(0);
    expect(await importExports(projectWithoutPeers, names)).toEqual(names);
  });

  it('stays within the size limit of each export', async () => {
    const sizes = await measureExports();
    for (const { name, manifest } of libraries) {
      const limits = manifest.sizeLimit ?? {};
      expect(Object.keys(limits)).toEqual(Object.keys(sizes[name]!));
      const exceeded = Object.entries(sizes[name]!).filter(([subpath, size]) => size > limits[subpath]!);
      expect([name, exceeded]).toEqual([name, []]);
    }
  });

  it('has types that compile with the module resolution nodenext', async () => {
    expect(await checkExportTypes(project, entryPoints, 'nodenext')).toBe('');
  });
});

describe.each(programs)('$name', ({ manifest }) => {
  it('runs each command with the dependencies that npm installs', async () => {
    for (const command of Object.keys(manifest.bin!)) {
      const file = join(projectWithoutPeers, 'node_modules', '.bin', command);
      const result = await run(file, ['--version'], {
        shell: process.platform === 'win32',
        env: { ...process.env, NODE_OPTIONS: '' },
      });
      expect(result).toMatchObject({ code: 0, output: `${manifest.version}\n` });
    }
  });
});
