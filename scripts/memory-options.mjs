/**
 * glibc environment variables that reduce the memory usage of the programs (docs/adr/0039-memory.md). The Dockerfile
 * sets them too.
 */
export const MEMORY_OPTIONS = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '131072',
};

/**
 * Adds these variables to a program's environment. Values in `env` take precedence.
 * @param {NodeJS.ProcessEnv} env
 * @returns {NodeJS.ProcessEnv}
 */
export const withMemoryOptions = (env) => ({ ...MEMORY_OPTIONS, ...env });
