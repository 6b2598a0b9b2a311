import fs from 'node:fs';
import path from 'node:path';

/** The files that each release stores, so that later versions can be compared with it. */
const storedFiles = (version) => [
  `docs/releases/openapi-${version}.json`,
  `docs/releases/events-${version}.schema.json`,
  `test/upgrade/${version}.json`,
];

const VERSION = /^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/;

/**
 * Returns the reasons why a tag cannot be released, such as different versions, or no section for the version in
 * CHANGELOG.md.
 * @param {string} root the repository folder
 * @param {string} tag such as v1.2.3
 * @returns {string[]}
 */
export function findReleaseProblems(root, tag) {
  const problems = [];
  const manifests = readManifests(root);
  const { version } = manifests.get('package.json');
  if (!VERSION.test(version)) problems.push(`package.json: ${version} is not a version to release`);
  if (tag !== `v${version}`) problems.push(`The tag ${tag} is not v${version}, the version of package.json`);
  const released = new Set([...manifests.values()].map(({ name }) => name));
  for (const [file, manifest] of manifests) {
    if (manifest.version !== version)
      problems.push(`${file}: version ${manifest.version}, expected ${version}`);
    const ranges = { ...manifest.dependencies, ...manifest.peerDependencies };
    for (const [name, range] of Object.entries(ranges))
      if (released.has(name) && range !== `^${version}`)
        problems.push(`${file}: requires ${name} ${range}, expected ^${version}`);
  }
  problems.push(...findLockProblems(root, manifests, version));
  if (readReleaseNotes(root, version) === '')
    problems.push(`CHANGELOG.md: no section [${version}] with changes`);
  if (!version.includes('-'))
    for (const file of storedFiles(version))
      if (!fs.existsSync(path.join(root, file)))
        problems.push(`${file} is missing. See docs/development/release.md`);
  return problems;
}

/** Returns the contents of the root package.json and of each package.json in packages/, by path. */
function readManifests(root) {
  const packages = fs.readdirSync(path.join(root, 'packages')).map((name) => `packages/${name}/package.json`);
  const files = ['package.json', ...packages].filter((file) => fs.existsSync(path.join(root, file)));
  return new Map(files.map((file) => [file, JSON.parse(fs.readFileSync(path.join(root, file), 'utf8'))]));
}

function findLockProblems(root, manifests, version) {
  const { packages } = JSON.parse(fs.readFileSync(path.join(root, 'package-lock.json'), 'utf8'));
  return [...manifests.keys()]
    .map((file) => path.posix.dirname(file).replace(/^\.$/, ''))
    .filter((folder) => packages[folder]?.version !== version)
    .map((folder) => `package-lock.json: no version ${version} of "${folder}". Run npm install`);
}

/**
 * Returns the section for a version in CHANGELOG.md without its title, or an empty string.
 * @param {string} root the repository folder
 * @param {string} version such as 1.2.3
 */
export function readReleaseNotes(root, version) {
  const text = fs.readFileSync(path.join(root, 'CHANGELOG.md'), 'utf8');
  const section = text.split(/^## /m).find((each) => each.startsWith(`[${version}]`));
  return section ? section.slice(section.indexOf('\n') + 1).trim() : '';
}
