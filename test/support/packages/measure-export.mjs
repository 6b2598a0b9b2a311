import { readFile, writeFile } from 'node:fs/promises';
import { builtinModules, createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';

// Usage: node measure-export.mjs <project> <specifier> [--everything] <peer dependency>…
//
// Prints the size of an export in bytes: bundled with its dependencies, minified and compressed with gzip. Peer
// dependencies do not count. --everything adds chunks that are imported on demand, and dependencies of Gatehouse of which
// the export imports only types. A separate program, because the native part of the bundler rejects objects that jest
// has created.
const [project, specifier, ...rest] = process.argv.slice(2);
const isEverything = rest.includes('--everything');
const peers = rest.filter((each) => each !== '--everything');
if (specifier.endsWith('.css')) {
  const file = createRequire(path.resolve(project, 'package.json')).resolve(specifier);
  console.log(gzipSync(await readFile(file)).length);
  process.exit();
}
const entry = path.join(project, 'measured.js');
const probe = path.join(project, 'probe.js');
await writeFile(probe, `export * as all from '${specifier}';\n`);
const { all } = await import(pathToFileURL(probe).href);
// `export *` does not include a default export.
const defaultExport = 'default' in all ? `export { default } from '${specifier}';\n` : '';
const exported = [`export * from '${specifier}';\n${defaultExport}`];
if (isEverything) {
  const manifest = path.join(project, 'node_modules', specifier, 'package.json');
  const { dependencies = {} } = JSON.parse(await readFile(manifest, 'utf8'));
  const own = Object.keys(dependencies).filter((name) => name.startsWith('@gatehouse/'));
  own.forEach((name, index) => exported.push(`export * as dependency${index} from '${name}';\n`));
}
await writeFile(entry, exported.join(''));
const isPeer = (id) => peers.some((name) => id === name || id.startsWith(`${name}/`));
const { output } = await build({
  root: project,
  configFile: false,
  logLevel: 'error',
  build: {
    write: false,
    minify: true,
    target: 'es2022',
    rolldownOptions: {
      input: entry,
      preserveEntrySignatures: 'strict',
      external: (id) => isPeer(id) || id.startsWith('node:') || builtinModules.includes(id),
    },
  },
});
const chunks = new Map(output.filter(({ type }) => type === 'chunk').map((each) => [each.fileName, each]));
const loaded = new Set();
const load = (name) => {
  if (loaded.has(name) || !chunks.has(name)) return;
  loaded.add(name);
  chunks.get(name).imports.forEach(load);
  if (isEverything) chunks.get(name).dynamicImports.forEach(load);
};
load([...chunks.values()].find(({ isEntry }) => isEntry).fileName);
console.log(gzipSync([...loaded].map((name) => chunks.get(name).code).join('\n')).length);
