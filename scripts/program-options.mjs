import { fileURLToPath } from 'node:url';

/**
 * glibc environment variables that reduce the memory usage of the programs (docs/adr/0039-memory.md). The Dockerfile
 * sets them too.
 */
export const MEMORY_OPTIONS = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '131072',
};

/**
 * The directory where Node.js 22.1 and later caches compiled code (docs/adr/0024-bundled-programs.md). It does not
 * depend on the current directory, where another user might be able to place code. The image has its own directory.
 */
export const COMPILE_CACHE = fileURLToPath(new URL('../node_modules/.cache/compiled', import.meta.url));

/**
 * Adds these options to a program's environment. Values in `env` take precedence.
 * @param {NodeJS.ProcessEnv} env
 * @returns {NodeJS.ProcessEnv}
 */
export const withProgramOptions = (env) => ({
  ...MEMORY_OPTIONS,
  NODE_COMPILE_CACHE: COMPILE_CACHE,
  ...env,
});
