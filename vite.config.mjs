import { readFileSync } from 'node:fs';
import http from 'node:http';
import { defineConfig } from 'vite';

/** Runs in a worker thread, so it stays a separate file next to the bundle that refers to it. */
const HASH_WORKER = 'libs/platform/dist/crypto/hash-worker.mjs';

/** The module that replaces node:http in the bundles. */
const HTTP_MODULE = '\0http';

/** The exports of node:http that load undici when they are read. */
const UNDICI_EXPORTS = ['WebSocket', 'CloseEvent', 'MessageEvent'];

/**
 * Bundles the output of `nest build` into a few files per program. Without bundling, a process spends half of its
 * startup time reading thousands of files (docs/adr/0024-bundled-programs.md). The bundle contains the same files that
 * Node.js would load.
 */
export default defineConfig({
  plugins: [
    {
      // @nestjs/typeorm looks for two classes that TypeORM 1 no longer has, and would load a second copy of TypeORM to
      // find them.
      name: 'single-typeorm',
      load(id) {
        if (!id.endsWith('/@nestjs/typeorm/dist/common/typeorm-compat.js')) return undefined;
        return 'export const Connection = undefined; export const AbstractRepository = undefined;';
      },
    },
    {
      // @nestjs/mapped-types requires these packages from its own path, which would load a second copy that does not
      // share the decorators' metadata.
      name: 'single-class-validator',
      transform(code, id) {
        if (!id.endsWith('/@nestjs/mapped-types/dist/type-helpers.utils.js')) return undefined;
        const required = 'const require = createRequire(import.meta.url);';
        if (!code.includes(required)) throw new Error(`${id} no longer contains: ${required}`);
        return `
          import * as classValidator from 'class-validator';
          import * as classTransformer from 'class-transformer';
          import * as storage from 'class-transformer/cjs/storage.js';
          ${code.replace(
            required,
            `const packages = {
              'class-validator': classValidator,
              'class-transformer': classTransformer,
              'class-transformer/cjs/storage': storage,
            };
            const require = (name) => packages[name];`,
          )}`;
      },
    },
    {
      // No class uses @IsPhoneNumber, whose tables would take a fifth of the time to load class-validator.
      name: 'no-phone-numbers',
      load(id) {
        if (!/\/libphonenumber-js\/max\/index\.cjs$/.test(id)) return undefined;
        return "exports.parsePhoneNumber = () => { throw new Error('@IsPhoneNumber is not supported'); };";
      },
    },
    {
      // An `import` of node:http reads all its exports, and three of them load undici, which few processes need.
      // Loading it would take a fifth of a worker's startup time (docs/adr/0024-bundled-programs.md).
      name: 'http-without-undici',
      enforce: 'pre',
      resolveId: (id) => (/^(node:)?http$/.test(id) ? HTTP_MODULE : undefined),
      load(id) {
        if (id !== HTTP_MODULE) return undefined;
        const names = Object.keys(http).filter((name) => !UNDICI_EXPORTS.includes(name));
        return `const http = process.getBuiltinModule('node:http');
          export default http;
          export const { ${names.join(', ')} } = http;`;
      },
    },
    {
      name: 'hash-worker',
      generateBundle() {
        this.emitFile({ type: 'asset', fileName: 'hash-worker.mjs', source: readFileSync(HASH_WORKER) });
      },
    },
  ],
  resolve: {
    mainFields: ['main'],
    alias: [{ find: /^(class-validator|class-transformer)$/, replacement: '$1/cjs/index.js' }],
  },
  ssr: {
    noExternal: true,
    // Not bundled: native code, a library that starts threads from its own files, and the log formatter for a
    // developer's terminal.
    external: ['bcrypt', 'piscina', 'pino-pretty'],
    resolve: { conditions: ['node'] },
  },
  build: {
    ssr: true,
    target: 'node20',
    outDir: 'dist/programs',
    copyPublicDir: false,
    rolldownOptions: {
      input: {
        all: 'scripts/all.mjs',
        api: 'dist/apps/api/main.js',
        gatehouse: 'dist/apps/api/gatehouse-main.js',
        'webhook-worker': 'dist/apps/webhook-worker/main.js',
      },
      // Disabled, because tree shaking also removes calls whose only effect is to throw, such as decodeURIComponent.
      treeshake: false,
      output: {
        // V8 keeps the source of a file in memory, and uses two bytes per character unless all are Latin-1.
        charset: 'ascii',
        comments: false,
        minify: false,
        keepNames: true,
        entryFileNames: '[name].js',
        chunkFileNames: '[name].js',
      },
    },
  },
});
