import { readFile, writeFile } from 'node:fs/promises';
import { builtinModules, createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';

// Usage: node measure-exports.mjs <project> <packages>
//
// <packages> is JSON: the exports and peer dependencies of each package by package name. Prints the size of each
// export in bytes, as JSON by package and export: bundled with its dependencies, minified and compressed with gzip.
// Peer dependencies do not count, and neither does the code with which a bundler loads chunks. The export * stands
// for all exports of the package together, including style sheets, chunks that are imported on demand, and the
// Gatehouse packages that it depends on. This is a separate program, because the native part of the bundler rejects
// objects that jest has created.
const [project, packages] = process.argv.slice(2);
const isStyleSheet = (name) => name.endsWith('.css');
const resolve = (name) => createRequire(path.resolve(project, 'package.json')).resolve(name);

/** Returns the specifiers of all exports of a package and its Gatehouse dependencies, which come first. */
async function allSpecifiers(name) {
  const manifest = path.join(project, 'node_modules', name, 'package.json');
  const { exports, dependencies = {} } = JSON.parse(await readFile(manifest, 'utf8'));
  const own = Object.keys(dependencies).filter((each) => each.startsWith('@gatehouse/'));
  const dependencySpecifiers = await Promise.all(own.map(allSpecifiers));
  return [
    ...dependencySpecifiers.flat(),
    ...Object.keys(exports).map((subpath) => path.posix.join(name, subpath)),
  ];
}

/** Returns the source of a module that exports the same values, each of them once. */
async function sourceOf(specifiers) {
  const known = new Set();
  const lines = [];
  for (const each of specifiers) {
    if (isStyleSheet(each)) {
      lines.push(`import '${each}';`);
      continue;
    }
    const added = Object.entries(await import(pathToFileURL(resolve(each)).href)).filter(
      ([, value]) => !known.has(value),
    );
    added.forEach(([, value]) => known.add(value));
    lines.push(`export { ${added.map(([name]) => name).join(', ')} } from '${each}';`);
  }
  return lines.join('\n');
}

/** Returns the exports' size in bytes. @param isEverything true to count chunks that are imported on demand */
async function measure(specifiers, peers, isEverything) {
  const isPeer = (id) => peers.some((name) => id === name || id.startsWith(`${name}/`));
  const entry = path.join(project, 'measured.js');
  await writeFile(entry, await sourceOf(specifiers));
  const [{ output }] = await build({
    root: project,
    configFile: false,
    logLevel: 'error',
    build: {
      write: false,
      target: 'esnext',
      // In a library, Vite adds no code that preloads chunks.
      lib: { entry, formats: ['es'], fileName: 'measured', cssFileName: 'measured' },
      rolldownOptions: {
        external: (id) => isPeer(id) || id.startsWith('node:') || builtinModules.includes(id),
        // In a library, Vite keeps whitespace, and annotations for other bundlers.
        output: { minify: true, comments: { annotation: false } },
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
  const code = [...loaded].map((name) => chunks.get(name).code).join('\n');
  const styleSheets = output.filter(({ fileName }) => isStyleSheet(fileName)).map(({ source }) => source);
  return [code, ...styleSheets].reduce((sum, text) => sum + gzipSync(text).length, 0);
}

const sizes = {};
for (const [name, { exports, peers }] of Object.entries(JSON.parse(packages))) {
  sizes[name] = {};
  for (const subpath of exports)
    sizes[name][subpath] =
      subpath === '*'
        ? await measure(await allSpecifiers(name), peers, true)
        : await measure([path.posix.join(name, subpath)], peers, false);
}
console.log(JSON.stringify(sizes));
