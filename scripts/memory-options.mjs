/**
 * Environment variables for glibc that reduce the programs' memory (docs/adr/0039-memory.md). The Dockerfile sets the same
 * variables.
 */
export const MEMORY_OPTIONS = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '131072',
};

/**
 * Returns a program's environment with these variables. Values in `env` take precedence.
 * @param {NodeJS.ProcessEnv} env
 * @returns {NodeJS.ProcessEnv}
 */
export const withMemoryOptions = (env) => ({ ...MEMORY_OPTIONS, ...env });
