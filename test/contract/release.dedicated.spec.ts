import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { load } from 'js-yaml';
import { listPackages } from '../../scripts/packages.mjs';
import { run } from '../../scripts/processes.mjs';
import { findReleaseProblems, readReleaseNotes } from '../../scripts/release-checks.mjs';
import { isNightly } from '../support/is-nightly.js';

const { version, scripts } = JSON.parse(await readFile('package.json', 'utf8'));
const names = listPackages().map(({ name }) => name);

let folder: string;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'gatehouse-release-'))));
afterEach(async () => rm(folder, { recursive: true, force: true }));

/**
 * Releases a tag as the workflow does.
 * @param published the packages that the registry already has in this version
 * @returns the result, and the requests to the registry
 */
async function release(args: string[], published: string[] = [], tag = `v${version}`) {
  const requests: string[] = [];
  const registry = createServer((request, response) => {
    const name = decodeURIComponent(request.url!.slice(1));
    requests.push(`${request.method} ${name}`);
    response.writeHead(published.includes(name) ? 200 : 404, { 'content-type': 'application/json' });
    const body = { name, 'dist-tags': { latest: version }, versions: { [version]: { name, version } } };
    response.end(JSON.stringify(published.includes(name) ? body : {}));
  }).listen(0, '127.0.0.1');
  await once(registry, 'listening');
  try {
    const result = await run('npm', ['run', '--silent', 'release', '--', `--output=${folder}/out`, ...args], {
      shell: process.platform === 'win32',
      env: {
        ...process.env,
        NODE_OPTIONS: '',
        GITHUB_REF_TYPE: 'tag',
        GITHUB_REF_NAME: tag,
        GITHUB_SERVER_URL: 'https://github.example',
        GITHUB_REPOSITORY: 'shop/gatehouse',
        npm_config_registry: `http://127.0.0.1:${(registry.address() as AddressInfo).port}/`,
        npm_config_cache: join(folder, 'cache'),
      },
    });
    return { ...result, requests };
  } finally {
    registry.closeAllConnections();
    registry.close();
  }
}

describe('npm run release', () => {
  it('packs, lists and hashes all packages with --dry-run, without contacting the registry', async () => {
    const { code, output, requests } = await release(['--dry-run']);
    expect([code, requests]).toEqual([0, []]);
    const printed = [...output.matchAll(/^Would publish (\S+)@(\S+) as latest: (.+)$/gm)];
    expect(printed.map(([, name, found]) => [name, found])).toEqual(names.map((name) => [name, version]));
    const tarballs = printed.map(([, , , file]) => file!);
    expect((await readdir(join(folder, 'out'))).sort()).toEqual(
      ['SHA256SUMS', ...tarballs, 'notes.md'].sort(),
    );
    const sums = (await readFile(join(folder, 'out', 'SHA256SUMS'), 'utf8')).trim().split('\n');
    for (const file of tarballs) {
      const hash = createHash('sha256').update(await readFile(join(folder, 'out', file)));
      expect(sums).toContain(`${hash.digest('hex')}  ${file}`);
    }
    expect(await readFile(join(folder, 'out', 'notes.md'), 'utf8')).toBe(readReleaseNotes('.', version));

    // Provenance requires the repository URL in the package.
    const tarball = tarballs.find((name) => name.includes('testing'));
    await run('tar', ['-xzf', join(folder, 'out', tarball!), '-C', folder]);
    expect(JSON.parse(await readFile(join(folder, 'package', 'package.json'), 'utf8'))).toMatchObject({
      repository: {
        type: 'git',
        url: 'git+https://github.example/shop/gatehouse.git',
        directory: 'packages/testing',
      },
      publishConfig: { access: 'public', provenance: true },
    });
  });

  // Runs npm once for each package.
  if (isNightly)
    it('skips published versions, so that a failed run can be repeated', async () => {
      const { code, output, requests } = await release([], names);
      expect([code, output]).toEqual([
        0,
        names.map((name) => `${name}@${version} is already published\n`).join(''),
      ]);
      expect(requests.filter((request) => !request.startsWith('GET '))).toEqual([]);
    });

  it('rejects a tag that does not match the version, before packing anything', async () => {
    const { code, output } = await release([], [], 'v99.0.0');
    expect([code, output]).toEqual([1, `The tag v99.0.0 is not v${version}, the version of package.json\n`]);
    expect(await readdir(folder)).not.toContain('out');
  });
});

it('npm run release reports differing versions, missing files and a missing changelog section', async () => {
  const write = (path: string, value: object) => writeFile(join(folder, path), JSON.stringify(value));
  await mkdir(join(folder, 'packages', 'js'), { recursive: true });
  await mkdir(join(folder, 'packages', 'react'));
  await write('package.json', { version: '1.2.3' });
  await write('packages/js/package.json', { name: '@gatehouse/js', version: '1.2.3' });
  const react = { name: '@gatehouse/react', version: '1.2.3', dependencies: { '@gatehouse/js': '^1.2.3' } };
  await write('packages/react/package.json', react);
  const locked = { '': { version: '1.2.3' }, 'packages/js': { version: '1.2.3' }, 'packages/react': react };
  await write('package-lock.json', { packages: locked });
  await writeFile(
    join(folder, 'CHANGELOG.md'),
    '# Changelog\n\n## [1.2.3] - 2026-12-01\n\n- A change.\n\n## [1.2.2]\n',
  );
  const stored = ['docs/releases/openapi-1.2.3.json', 'docs/releases/events-1.2.3.schema.json'];
  for (const file of [...stored, 'test/upgrade/1.2.3.json']) {
    await mkdir(join(folder, dirname(file)), { recursive: true });
    await write(file, {});
  }
  expect(findReleaseProblems(folder, 'v1.2.3')).toEqual([]);
  expect(readReleaseNotes(folder, '1.2.3')).toBe('- A change.');

  await write('packages/react/package.json', { ...react, dependencies: { '@gatehouse/js': '^1.2.2' } });
  await write('packages/js/package.json', { name: '@gatehouse/js', version: '1.2.2' });
  await write('package-lock.json', { packages: { ...locked, 'packages/js': { version: '1.2.2' } } });
  await writeFile(join(folder, 'CHANGELOG.md'), '## [1.2.3] - 2026-12-01\n\n## [1.2.2]\n\n- A change.\n');
  await rm(join(folder, stored[0]!));
  expect(findReleaseProblems(folder, 'v1.2.4')).toEqual([
    'The tag v1.2.4 is not v1.2.3, the version of package.json',
    'packages/js/package.json: version 1.2.2, expected 1.2.3',
    'packages/react/package.json: requires @gatehouse/js ^1.2.2, expected ^1.2.3',
    'package-lock.json: no version 1.2.3 of "packages/js". Run npm install',
    'CHANGELOG.md: no section [1.2.3] with changes',
    'docs/releases/openapi-1.2.3.json is missing. See docs/development/release.md',
  ]);
});

describe('.github/workflows/release.yml', () => {
  interface Step {
    uses?: string;
    run?: string;
    with?: Record<string, unknown>;
  }
  interface Job {
    needs?: string;
    environment?: string;
    permissions: Record<string, string>;
    steps: Step[];
  }
  let text: string;
  let workflow: { on: object; permissions: object; jobs: Record<string, Job> };
  let steps: Step[];
  beforeAll(async () => {
    text = await readFile('.github/workflows/release.yml', 'utf8');
    workflow = load(text) as typeof workflow;
    steps = Object.values(workflow.jobs).flatMap((job) => job.steps);
  });

  it('runs for tags only, with the permissions that each job needs', () => {
    expect([workflow.on, workflow.permissions]).toEqual([{ push: { tags: ['v*'] } }, {}]);
    const granted = Object.entries(workflow.jobs).map(([name, { permissions }]) => [name, permissions]);
    expect(Object.fromEntries(granted)).toEqual({
      gate: { contents: 'read' },
      image: { contents: 'read', packages: 'write', 'id-token': 'write' },
      packages: { contents: 'read', 'id-token': 'write' },
      github: { contents: 'write' },
    });
  });

  it('publishes only after the gate, and the npm packages after the image', () => {
    const { gate, image, packages, github } = workflow.jobs;
    expect([gate, image, packages, github].map((job) => job!.needs)).toEqual([
      undefined,
      'gate',
      'image',
      'packages',
    ]);
    const commands = gate!.steps.flatMap((step) => step.run ?? []);
    expect(commands).toEqual([
      'npm ci',
      'npm run pins',
      'npm run release -- --dry-run',
      'npm run --silent audit || [ $? -eq 75 ]',
      'npm run check',
    ]);
  });

  it('uses package.json scripts and no stored secret', () => {
    const commands = steps.flatMap((step) => step.run ?? []).join('\n');
    const used = [...commands.matchAll(/\bnpm run (?:--silent )?([\w:-]+)/g)].map(([, name]) => name!);
    expect(used.length).toBeGreaterThan(0);
    expect(used.filter((name) => !(name in scripts))).toEqual([]);
    expect(text).not.toMatch(/secrets\./);
    // An expression in a command would execute the tag name as shell code.
    expect(commands).not.toContain('${{');
  });

  it('pins each action to a commit, with its version and purpose in a comment', () => {
    const lines = text.split('\n').filter((line) => line.includes('uses:'));
    expect(lines).toHaveLength(steps.filter(({ uses }) => uses).length);
    const pinned = /uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+: \S/;
    expect(lines.filter((line) => !pinned.test(line))).toEqual([]);
    const versions = lines.map((line) => /uses: (\S+@\S+ # \S+):/.exec(line)![1]!);
    const actions = new Set(versions.map((each) => each.split('@')[0]));
    expect(new Set(versions).size).toBe(actions.size);
  });

  it('builds the image for both platforms, with SBOM and provenance, and signs its digest', () => {
    const { steps: image } = workflow.jobs['image']!;
    const build = image.findIndex(({ uses }) => uses?.startsWith('docker/build-push-action@'));
    expect(image[build]!.with).toMatchObject({
      platforms: 'linux/amd64,linux/arm64',
      push: true,
      sbom: expect.stringMatching(/^generator=docker\/buildkit-syft-scanner:/),
      provenance: 'mode=max',
    });
    const sign = image.findIndex((step) => step.run?.startsWith('cosign sign --yes'));
    expect(sign).toBeGreaterThan(build);
    expect(image[sign]!.run).toContain('"$IMAGE@$DIGEST"');
  });
});
