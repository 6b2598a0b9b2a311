import fs from 'node:fs';
import path from 'node:path';
import { ScriptError, main } from './environment.mjs';
import { describeLicense, isAllowedLicense } from './licenses.mjs';
import { runNpm } from './processes.mjs';

const FOLDER = path.join('dist', 'sbom');

const { packages: LOCKED } = JSON.parse(fs.readFileSync('package-lock.json', 'utf8'));

/**
 * The parts that Gatehouse distributes, each with the options of npm. The packages of the console are development
 * dependencies, because the build copies them into its files. The npm packages in packages/ are selected from the
 * tree of the root, because npm cannot describe a workspace with peer dependencies.
 */
const PARTS = {
  programs: { options: ['--no-workspaces'], isDistributed: ({ dev }) => !dev },
  console: { options: ['--workspace=@gatehouse/console'], isDistributed: () => true },
  packages: { options: ['--no-workspaces'], isDistributed: listPackageDependencies() },
};

/**
 * Writes a software bill of materials of each part, in the CycloneDX format, and a list of all licenses.
 * Returns 1 if a license is not allowed. Reads package-lock.json only, so it needs no registry.
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
  const refused = listed.filter(({ license }) => !isAllowedLicense(license));
  for (const { name, version, license } of refused)
    console.error(`${name} ${version}: the license ${license} is not allowed by scripts/licenses.mjs`);
  const files = Object.keys(PARTS).map((part) => `${part}.cdx.json`);
  console.log(`${listed.length} packages in ${FOLDER}: ${files.join(', ')}, licenses.csv`);
  return refused.length > 0 ? 1 : 0;
});

/**
 * Returns the bill of materials of a part. Removes development dependencies here, because `--omit=dev` of npm
 * also omits runtime dependencies on which a development dependency depends.
 */
async function createBom({ options, isDistributed }) {
  const args = ['sbom', '--sbom-format=cyclonedx', '--sbom-type=application', '--package-lock-only'];
  const { code, output } = await runNpm([...args, '--loglevel=silent', ...options]);
  if (code !== 0)
    throw new ScriptError(`npm ${args.join(' ')} ${options}: exit code ${code}\n${output.trim()}`);
  const bom = JSON.parse(output);
  const kept = new Set([bom.metadata.component['bom-ref'], ...lockedPackageNames(isDistributed)]);
  const isKept = (ref) => kept.has(ref);
  return {
    ...bom,
    // A package that is also a development dependency would be marked as one.
    components: bom.components.filter((each) => isKept(each['bom-ref'])).map(withoutProperties),
    dependencies: bom.dependencies
      .filter(({ ref }) => isKept(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter(isKept) })),
  };
}

function withoutProperties({ properties: _properties, ...component }) {
  return component;
}

/** Returns the `name@version` of packages in package-lock.json, which npm uses as their reference. */
function lockedPackageNames(isIncluded) {
  return Object.entries(LOCKED)
    .filter(([location, entry]) => isIncluded(entry, location))
    .map(([location, { name, version }]) => `${name ?? location.split('node_modules/').at(-1)}@${version}`);
}

/**
 * Returns a function that selects the runtime dependencies of the npm packages in packages/, and theirs.
 * @throws ScriptError if a package requires a version of a dependency that is not installed at the root
 */
function listPackageDependencies() {
  const found = new Set();
  const visit = ({ dependencies = {}, optionalDependencies = {} }, from) => {
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const location = `node_modules/${name}`;
      if (LOCKED[location]?.link || found.has(location)) continue;
      if (!LOCKED[location] || LOCKED[`${from}/${location}`])
        throw new ScriptError(`${from}: ${name} is not at the top of node_modules`);
      found.add(location);
      visit(LOCKED[location], location);
    }
  };
  for (const [location, entry] of Object.entries(LOCKED))
    if (/^packages\/[^/]+$/.test(location)) visit(entry, location);
  return (_, location) => found.has(location);
}
