import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { ensureInstalled, ensurePackagesBuilt } from './build.mjs';
import { ScriptError, main, root } from './environment.mjs';
import { listPackages, packFolders } from './packages.mjs';
import { findReleaseProblems, readReleaseNotes } from './release-checks.mjs';
import { runNpm } from './processes.mjs';

const USAGE = 'Usage: npm run release -- [--dry-run] [--output=<folder>]';

/**
 * Publishes the npm packages of a tag, after checking the versions and CHANGELOG.md. With `--dry-run`, does everything
 * except publishing. Writes the tarballs, their checksums and the release notes to `--output`, by default
 * dist/release/.
 */
await main(async () => {
  const options = readOptions();
  const { version } = JSON.parse(fs.readFileSync('package.json', 'utf8'));
  const tag = readTag() ?? `v${version}`;
  const problems = findReleaseProblems(root, tag);
  if (problems.length > 0) throw new ScriptError(problems.join('\n'));
  const repository = readRepository();
  if (!repository && !options.dryRun)
    throw new ScriptError(
      'Set GITHUB_SERVER_URL and GITHUB_REPOSITORY: npm compares them with the provenance.',
    );

  await ensureInstalled(process.stderr);
  await ensurePackagesBuilt(process.stderr);
  fs.rmSync(options.output, { recursive: true, force: true });
  fs.mkdirSync(options.output, { recursive: true });
  const packed = await packAll(options.output, repository);
  writeChecksums(options.output);
  fs.writeFileSync(path.join(options.output, 'notes.md'), readReleaseNotes(root, version));

  const distTag = version.includes('-') ? 'next' : 'latest';
  for (const { name, file } of packed) {
    if (options.dryRun) console.log(`Would publish ${name}@${version} as ${distTag}: ${path.basename(file)}`);
    else await publish(name, version, file, distTag);
  }
});

function readOptions() {
  try {
    const { values } = parseArgs({
      options: { 'dry-run': { type: 'boolean' }, output: { type: 'string' } },
    });
    const output = path.resolve(values.output ?? path.join(root, 'dist', 'release'));
    return { dryRun: values['dry-run'] ?? false, output };
  } catch (error) {
    throw new ScriptError(`${error.message}\n${USAGE}`);
  }
}

/** Returns the tag that started the workflow, if any. */
function readTag() {
  return process.env.GITHUB_REF_TYPE === 'tag' ? process.env.GITHUB_REF_NAME : undefined;
}

/** Returns the URL of the repository that runs the workflow, if any. */
function readRepository() {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository } = process.env;
  return server && repository ? `git+${server}/${repository}.git` : undefined;
}

/**
 * Packs copies of all packages with the repository URL in their package.json. npm rejects provenance from any other
 * repository, and the URL is different in a fork.
 */
async function packAll(output, repository) {
  const copies = fs.mkdtempSync(path.join(output, 'copies-'));
  try {
    const packages = listPackages();
    const folders = packages.map(({ folder, manifest }) => {
      const copy = path.join(copies, path.basename(folder));
      const isPackaged = (file) => !['node_modules', 'src'].includes(path.basename(file));
      fs.cpSync(path.join(root, folder), copy, { recursive: true, filter: isPackaged });
      const location = repository ? { repository: { type: 'git', url: repository, directory: folder } } : {};
      fs.writeFileSync(
        path.join(copy, 'package.json'),
        `${JSON.stringify({ ...manifest, ...location }, null, 2)}\n`,
      );
      return copy;
    });
    const packed = await packFolders(folders, output);
    return packages.map(({ name }, index) => ({ name, ...packed[index] }));
  } finally {
    fs.rmSync(copies, { recursive: true, force: true });
  }
}

/** Writes the checksums of all tarballs in the format of `sha256sum --check`. */
function writeChecksums(folder) {
  const names = fs
    .readdirSync(folder)
    .filter((name) => name.endsWith('.tgz'))
    .sort();
  const sums = names.map((name) => `${sha256(path.join(folder, name))}  ${name}\n`);
  fs.writeFileSync(path.join(folder, 'SHA256SUMS'), sums.join(''));
}

function sha256(file) {
  return createHash('sha256').update(fs.readFileSync(file)).digest('hex');
}

/** Publishes a tarball, unless an earlier workflow run already published this version. */
async function publish(name, version, file, distTag) {
  const published = await runNpm(['view', `${name}@${version}`, 'version', '--loglevel=silent'], {
    cwd: root,
  });
  if (published.code === 0 && published.output.trim() === version) {
    console.log(`${name}@${version} is already published`);
    return;
  }
  const { code, output } = await runNpm(['publish', file, `--tag=${distTag}`], { cwd: root });
  process.stdout.write(output);
  if (code !== 0) throw new ScriptError(`npm publish of ${name} failed with code ${code}.`);
}
