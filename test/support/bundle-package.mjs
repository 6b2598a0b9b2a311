import { isBuiltin } from 'node:module';
import { build } from 'vite';

/**
 * Prints a package from packages/ with its dependencies as one script, which sets the global variable `bundled`.
 * Throws if one of them imports a Node.js module. Runs as a separate process, because jest cannot load Rolldown.
 */
const [entry] = process.argv.slice(2);
const rejectNodeModules = {
  name: 'reject-node-modules',
  enforce: 'pre',
  resolveId(id, importer) {
    if (isBuiltin(id)) throw new Error(`${importer} imports ${id}`);
  },
};
const [{ output }] = await build({
  configFile: false,
  logLevel: 'silent',
  plugins: [rejectNodeModules],
  build: { write: false, minify: false, lib: { entry, formats: ['iife'], name: 'bundled' } },
});
process.stdout.write(output[0].code);
