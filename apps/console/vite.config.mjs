import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { defineConfig } from 'vite';

const API = process.env.GATEHOUSE_URL ?? 'http://127.0.0.1:3000';

/** @type {import('vite').UserConfigFnObject} */
export default defineConfig(({ command }) => {
  // Whatever runs the build, tests among them: what they try is what is served.
  if (command === 'build') process.env.NODE_ENV = 'production';
  return {
    root: import.meta.dirname,
    base: '/console/',
    plugins: [precompress()],
    build: {
      outDir: '../../dist/console',
      emptyOutDir: true,
      target: 'es2022',
      // A data: URL would need a policy that lets it in (requirement CO-02).
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      chunkSizeWarningLimit: 800,
      rolldownOptions: {
        // 'use client' speaks to servers that render; there is none here.
        onLog: (level, log, next) => log.code === 'MODULE_LEVEL_DIRECTIVE' || next(level, log),
      },
    },
    // `npx vite apps/console` beside a running house: a change shows at once.
    server: { proxy: { '/operator': { target: API, changeOrigin: false } } },
  };
});

/** Lays a .gz and a .br beside each file that shrinks, so that the api only has to send them. */
function precompress() {
  return {
    name: 'precompress',
    apply: 'build',
    async writeBundle({ dir }) {
      const files = await readdir(dir, { recursive: true });
      await Promise.all(
        files.filter((name) => /\.(js|css|svg)$/.test(name)).map((name) => compress(path.join(dir, name))),
      );
    },
  };
}

async function compress(file) {
  const content = await readFile(file);
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
  const made = {
    gz: await promisify(gzip)(content, { level: 9 }),
    br: await promisify(brotliCompress)(content, { params }),
  };
  for (const [extension, bytes] of Object.entries(made)) {
    if (bytes.length < content.length) await writeFile(`${file}.${extension}`, bytes);
  }
}
