import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listPackages } from '../../scripts/packages.mjs';
import { run } from '../../scripts/processes.mjs';
import { importExports } from '../support/packages/import-exports.js';
import { installPackage, listEntryPoints, type Manifest } from '../support/packages/install-package.js';
import { startLocalRegistry, type LocalRegistry } from '../support/packages/local-registry.js';
import { packAll } from '../support/packages/pack-all.js';

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

/**
 * Installs the latest Node.js of a major version. As a development dependency, each version would add 185 MB to
 * every `npm ci`.
 * @returns the program, or null if no registry has it for this machine
 */
async function installNode(version: number): Promise<string | null> {
  const target = join(folder, `node-${version}`);
  const name = `node-${process.platform}-${process.arch}`;
  const args = ['install', '--prefix', target, '--no-save', '--no-audit', '--no-fund', `${name}@${version}`];
  const { code, output } = await run('npm', args, { shell: process.platform === 'win32' });
  if (code === 0) return join(target, 'node_modules', name, 'bin', 'node');
  process.stderr.write(`The packages are not tested with Node.js ${version}: ${output.split('\n')[0]}\n`);
  return null;
}

it.each([22, 24])('Node.js %i imports each export and runs each command of each package', async (version) => {
  const node = await installNode(version);
  if (!node) return;
  expect((await run(node, ['--version'])).output).toMatch(`v${version}.`);
  const tarballs = new Map([...(await packAll(folder))].map(([name, { file }]) => [name, file]));
  for (const { name, folder: source, manifest } of listPackages() as {
    name: string;
    folder: string;
    manifest: Manifest;
  }[]) {
    const project = join(folder, `projects-${version}`, source);
    await installPackage(source, project, {
      tarballs,
      registry: registry.url,
      cache: join(folder, 'npm-cache'),
      withOptionalPeers: true,
    });
    const entryPoints = listEntryPoints(manifest);
    expect(await importExports(project, entryPoints, node)).toEqual(entryPoints);
    for (const file of Object.values(manifest.bin ?? {}))
      expect(await run(node, [join(project, 'node_modules', name, file), '--version'])).toMatchObject({
        code: 0,
        output: `${manifest.version}\n`,
      });
  }
});
