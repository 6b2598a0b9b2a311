/**
 * Environment variables that reduce the memory of the programs (docs/adr/0039-memory.md). The Dockerfile sets
 * the same ones.
 */
export const MEMORY_OPTIONS = {
  NODE_OPTIONS: '--max-semi-space-size=8',
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '131072',
};

/**
 * Returns the environment of a program with options that reduce its memory. Options that `env` contains take
 * precedence.
 * @param {NodeJS.ProcessEnv} env
 * @returns {NodeJS.ProcessEnv}
 */
export function withMemoryOptions(env) {
  const nodeOptions = [MEMORY_OPTIONS.NODE_OPTIONS, env.NODE_OPTIONS].filter(Boolean).join(' ');
  return { ...MEMORY_OPTIONS, ...env, NODE_OPTIONS: nodeOptions };
}
