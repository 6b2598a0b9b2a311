import path from 'node:path';
import { build } from 'vite';

// Usage: node build.mjs <folder>
//
// Builds the page for test/support/react-page.ts into a folder. It is a development build, so that StrictMode runs
// effects twice and React reports problems in the console. It is a separate program because the native part of the
// bundler rejects objects that jest created.
process.env.NODE_ENV = 'development';
await build({
  root: import.meta.dirname,
  configFile: false,
  mode: 'development',
  logLevel: 'error',
  build: {
    outDir: process.argv[2],
    emptyOutDir: true,
    minify: false,
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: path.join(import.meta.dirname, 'main.mjs'),
      output: { entryFileNames: 'main.js', assetFileNames: 'main[extname]' },
      onLog: (level, log, next) => log.code === 'MODULE_LEVEL_DIRECTIVE' || next(level, log),
    },
  },
});
