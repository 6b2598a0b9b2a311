import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { defineConfig } from 'vite';

const API = process.env.GATEHOUSE_URL ?? 'http://127.0.0.1:3000';

/** @type {import('vite').UserConfigFnObject} */
export default defineConfig(({ command }) => {
  // Tests build the console too and must use the same files that are served, so every build is a production
  // build.
  if (command === 'build') process.env.NODE_ENV = 'production';
  return {
    root: import.meta.dirname,
    base: '/console/',
    plugins: [preloadFont(), precompress()],
    build: {
      outDir: '../../dist/console',
      emptyOutDir: true,
      target: 'es2022',
      // A data: URL would require an exception in the Content Security Policy (requirement CO-02).
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      chunkSizeWarningLimit: 800,
      rolldownOptions: {
        // 'use client' applies to server-side rendering, which the console does not use.
        onLog: (level, log, next) => log.code === 'MODULE_LEVEL_DIRECTIVE' || next(level, log),
      },
    },
    // `npx vite apps/console` with a running server: changes are visible immediately.
    server: { proxy: { '/operator': { target: API, changeOrigin: false } } },
  };
});

/**
 * Preloads the font in parallel with the style sheet that refers to it, so that text is not rendered in the fallback
 * font first.
 */
function preloadFont() {
  return {
    name: 'preload-font',
    transformIndexHtml(_html, { bundle = {} }) {
      return Object.keys(bundle)
        .filter((file) => /geist-latin-wght-[^/]*\.woff2$/.test(file))
        .map((file) => ({
          tag: 'link',
          attrs: {
            rel: 'preload',
            as: 'font',
            type: 'font/woff2',
            crossorigin: '',
            href: `/console/${file}`,
          },
          injectTo: 'head',
        }));
    },
  };
}

/**
 * Compresses each file as .gz and .br, so that the API only has to send the result. Omits results that are not smaller.
 */
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
  const compressed = {
    gz: await promisify(gzip)(content, { level: 9 }),
    br: await promisify(brotliCompress)(content, { params }),
  };
  for (const [extension, bytes] of Object.entries(compressed)) {
    if (bytes.length < content.length) await writeFile(`${file}.${extension}`, bytes);
  }
}
