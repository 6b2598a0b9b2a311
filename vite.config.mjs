import { readFileSync } from 'node:fs';
import { defineConfig } from 'vite';

/** Runs in a worker thread, so it stays a separate file next to the bundle that refers to it. */
const HASH_WORKER = 'libs/platform/dist/crypto/hash-worker.mjs';

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
      name: 'hash-worker',
      generateBundle() {
        this.emitFile({ type: 'asset', fileName: 'hash-worker.mjs', source: readFileSync(HASH_WORKER) });
      },
    },
  ],
  resolve: { mainFields: ['main'] },
  ssr: {
    noExternal: true,
    // Not bundled: native code, a library that starts threads from its own files, the log formatter for a developer's
    // terminal, and packages that NestJS loads in a way that bundlers cannot detect
    // (@nestjs/common/utils/load-package.util.js). A bundled copy of these packages would not share its decorator
    // metadata with the copy that NestJS loads.
    external: ['bcrypt', 'piscina', 'class-transformer', 'class-validator', 'pino-pretty'],
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
