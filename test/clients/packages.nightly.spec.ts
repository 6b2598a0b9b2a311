import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installNode } from '../../scripts/node-versions.mjs';
import { listPackages } from '../../scripts/packages.mjs';
import { run } from '../../scripts/processes.mjs';
import { importExports } from '../support/packages/import-exports.js';
import { installPackages, listEntryPoints, type Manifest } from '../support/packages/install-package.js';
import { startLocalRegistry, type LocalRegistry } from '../support/packages/local-registry.js';
import { packAll } from '../support/packages/pack-all.js';
import { checkExportTypes } from '../support/packages/type-check.js';

let folder: string;
let registry: LocalRegistry;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-packages-'));
  registry = await startLocalRegistry();
});
afterAll(async () => {
  registry?.close();
  if (folder) await rm(folder, { recursive: true, force: true });
});

it.each([22, 24] as const)(
  'each package works with Node.js %i: every export with its types, and every command',
  async (version) => {
    const programs = await installNode(version);
    if (!programs) return;
    const node = join(programs, 'node');
    expect((await run(node, ['--version'])).output).toMatch(`v${version}.`);
    const tarballs = new Map([...(await packAll(folder))].map(([name, { file }]) => [name, file]));
    const packages = listPackages() as { name: string; folder: string; manifest: Manifest }[];
    const project = join(folder, `project-${version}`);
    await installPackages(
      packages.map(({ folder: source }) => source),
      project,
      { tarballs, registry: registry.url, cache: join(folder, 'npm-cache'), withOptionalPeers: true },
    );
    const entryPoints = packages.flatMap(({ manifest }) => listEntryPoints(manifest));
    expect(await importExports(project, entryPoints, node)).toEqual(entryPoints);
    expect(await checkExportTypes(project, entryPoints, 'bundler')).toBe('');
    for (const { name, manifest } of packages)
      for (const file of Object.values(manifest.bin ?? {}))
        expect(await run(node, [join(project, 'node_modules', name, file), '--version'])).toMatchObject({
          code: 0,
          output: `${manifest.version}\n`,
        });
  },
);
