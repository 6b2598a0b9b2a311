import path from 'node:path';

/**
 * glibc environment variables that reduce the memory usage of the programs (docs/adr/0039-memory.md). The Dockerfile
 * sets them too.
 */
export const MEMORY_OPTIONS = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '131072',
};

/**
 * The directory where Node.js 22.1 and later caches compiled code, relative to the repository
 * (docs/adr/0024-bundled-programs.md). The image has its own, which contains the programs' code.
 */
const COMPILE_CACHE = path.join('node_modules', '.cache', 'compiled');

/**
 * Adds these options to a program's environment. Values in `env` take precedence.
 * @param {NodeJS.ProcessEnv} env
 * @returns {NodeJS.ProcessEnv}
 */
export const withProgramOptions = (env) => ({
  ...MEMORY_OPTIONS,
  NODE_COMPILE_CACHE: path.resolve(COMPILE_CACHE),
  ...env,
});
