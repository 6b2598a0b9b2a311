import { readFileSync } from 'node:fs';
import { defineConfig } from 'vite';

/** Runs in a thread of its own, so that it stays a file of its own, beside what names it. */
const HASH_WORKER = 'libs/platform/dist/crypto/hash-worker.mjs';

/**
 * Makes the programs of what `nest build` has compiled, a few files each in place of thousands, which a process would
 * spend half of its start on reading (docs/adr/0024-bundled-programs.md). What is bundled is what Node.js would load.
 */
export default defineConfig({
  plugins: [
    {
      // @nestjs/typeorm searches for two classes that TypeORM 1 no longer has, and would load a second TypeORM for it.
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
    // Machine code, a library that starts threads from its own files, and what NestJS loads past any bundler
    // (@nestjs/common/utils/load-package.util.js): two copies of these would not know of each other's decorators.
    external: ['bcrypt', 'piscina', 'class-transformer', 'class-validator'],
    resolve: { conditions: ['node'] },
  },
  build: {
    ssr: true,
    target: 'node20',
    outDir: 'dist/programs',
    copyPublicDir: false,
    rolldownOptions: {
      input: {
        api: 'dist/apps/api/main.js',
        gatehouse: 'dist/apps/api/gatehouse.js',
        'webhook-worker': 'dist/apps/webhook-worker/main.js',
      },
      // Nothing is left out, not even what seems to have no effect: decodeURIComponent throws.
      treeshake: false,
      output: { minify: false, keepNames: true, entryFileNames: '[name].js', chunkFileNames: '[name].js' },
    },
  },
});
