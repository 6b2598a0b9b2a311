import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ScriptError, main } from './environment.mjs';
import { describeLicense, isAllowedLicense } from './licenses.mjs';
import { runNpm } from './processes.mjs';

const FOLDER = path.join('dist', 'sbom');

const { packages: LOCKED } = JSON.parse(fs.readFileSync('package-lock.json', 'utf8'));

const PROGRAM_DEPENDENCIES = listDependencies(['']);
const PACKAGE_DEPENDENCIES = listDependencies(
  Object.keys(LOCKED).filter((name) => /^packages\/[^/]+$/.test(name)),
);

/**
 * The parts that Gatehouse distributes, each with options for npm. The console's packages are development dependencies,
 * because the build bundles them. npm cannot describe the workspaces in packages/, so a single project with their
 * dependencies is described instead.
 */
const PARTS = {
  programs: {
    options: ['--no-workspaces'],
    isDistributed: ({ dev }, name) =>
      !dev && (PROGRAM_DEPENDENCIES.has(name) || !PACKAGE_DEPENDENCIES.has(name)),
  },
  console: { options: ['--workspace=@gatehouse/console'], isDistributed: () => true },
  packages: {
    options: [],
    isDistributed: (_, name) => PACKAGE_DEPENDENCIES.has(name),
    createFolder: createPackagesProject,
  },
};

/**
 * Writes a software bill of materials for each part, in the CycloneDX format, and a list of all licenses. The exit code
 * is 1 if a license is not allowed. Reads only package-lock.json, so it needs no registry.
 */
await main(async () => {
  fs.mkdirSync(FOLDER, { recursive: true });
  const packages = new Map();
  for (const [part, selection] of Object.entries(PARTS)) {
    const bom = await createBom(selection);
    fs.writeFileSync(path.join(FOLDER, `${part}.cdx.json`), `${JSON.stringify(bom, null, 2)}\n`);
    for (const component of bom.components)
      if (!component.purl.startsWith('pkg:npm/%40gatehouse/'))
        packages.set(component.purl, { ...component, license: describeLicense(component) });
  }
  const listed = [...packages.values()].sort((a, b) => (a.purl < b.purl ? -1 : 1));
  const lines = listed.map(({ name, version, license }) => `${name},${version},${license}\n`);
  fs.writeFileSync(path.join(FOLDER, 'licenses.csv'), `package,version,license\n${lines.join('')}`);
  const rejected = listed.filter(({ license }) => !isAllowedLicense(license));
  for (const { name, version, license } of rejected)
    console.error(`${name} ${version}: the license ${license} is not allowed by scripts/licenses.mjs`);
  const files = Object.keys(PARTS).map((part) => `${part}.cdx.json`);
  console.log(`${listed.length} packages in ${FOLDER}: ${files.join(', ')}, licenses.csv`);
  return rejected.length > 0 ? 1 : 0;
});

/**
 * Returns the bill of materials for a part. Removes development dependencies here, because `npm --omit=dev` also omits
 * runtime dependencies that are also dependencies of a development dependency.
 */
async function createBom({ options, isDistributed, createFolder }) {
  const args = ['sbom', '--sbom-format=cyclonedx', '--sbom-type=application', '--package-lock-only'];
  const folder = createFolder?.();
  const { code, output } = await runNpm(
    [...args, '--loglevel=silent', ...options],
    folder ? { cwd: folder } : {},
  );
  if (folder) fs.rmSync(path.dirname(folder), { recursive: true });
  if (code !== 0)
    throw new ScriptError(`npm ${args.join(' ')} ${options}: exit code ${code}\n${output.trim()}`);
  const bom = JSON.parse(output);
  const kept = new Set([bom.metadata.component['bom-ref'], ...lockedPackageNames(isDistributed)]);
  const isKept = (ref) => kept.has(ref);
  return {
    ...bom,
    // Without properties, because npm would mark a package as a development dependency even if it is also a runtime
    // dependency.
    components: bom.components.filter((each) => isKept(each['bom-ref'])).map(withoutProperties),
    dependencies: bom.dependencies
      .filter(({ ref }) => isKept(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter(isKept) })),
  };
}

function withoutProperties({ properties: _properties, ...component }) {
  return component;
}

/** Returns the `name@version` of packages in package-lock.json, which npm uses as a reference. */
function lockedPackageNames(isIncluded) {
  return Object.entries(LOCKED)
    .filter(([location, entry]) => isIncluded(entry, location))
    .map(([location, { name, version }]) => `${name ?? location.split('node_modules/').at(-1)}@${version}`);
}

/**
 * Returns the locations in package-lock.json of all direct and indirect runtime dependencies, without peer
 * dependencies.
 */
function listDependencies(locations) {
  const found = new Set();
  const visit = (from) => {
    const { dependencies, optionalDependencies } = LOCKED[from];
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const installed = findInstalled(from, name);
      const location = LOCKED[installed]?.link ? LOCKED[installed].resolved : installed;
      if (!location || found.has(location)) continue;
      found.add(location);
      visit(location);
    }
  };
  locations.forEach(visit);
  return found;
}

/** Returns the location to which the package at `from` resolves a package name, or null if it is not installed. */
function findInstalled(from, name) {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const location = path.posix.join(folder, 'node_modules', name);
    if (LOCKED[location]) return location;
    if (folder === '') return null;
  }
}

/**
 * Creates a folder with a project that has the dependencies of packages/, locked to the same versions.
 * @throws ScriptError if one is not at the top of node_modules
 */
function createPackagesProject() {
  const { name, version, license } = LOCKED[''];
  const locations = [...PACKAGE_DEPENDENCIES].filter((each) => !each.startsWith('packages/'));
  const nested = locations.find((each) => each.lastIndexOf('node_modules/') > 0);
  if (nested) throw new ScriptError(`${nested}: not at the top of node_modules`);
  const entries = locations.map((each) => [each, LOCKED[each]]);
  const dependencies = Object.fromEntries(
    entries.map(([each, entry]) => [each.slice('node_modules/'.length), entry.version]),
  );
  const manifest = { name, version, license, private: true, dependencies };
  const lock = {
    ...{ name, version, lockfileVersion: 3, requires: true },
    packages: { '': manifest, ...Object.fromEntries(entries) },
  };
  // npm names the project after its folder.
  const folder = path.join(fs.mkdtempSync(path.join(tmpdir(), 'gatehouse-sbom-')), name);
  fs.mkdirSync(folder);
  fs.writeFileSync(path.join(folder, 'package.json'), JSON.stringify(manifest));
  fs.writeFileSync(path.join(folder, 'package-lock.json'), JSON.stringify(lock));
  return folder;
}
