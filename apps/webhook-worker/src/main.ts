// In a container, the kernel ignores SIGTERM for process 1 until a handler is installed, and startup spends most of its
// time on imports. This handler is therefore installed first, without an import. runProcess() replaces it.
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => process.exit(0));

await import('./run.js').catch((error: NodeJS.ErrnoException) => {
  if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
  // Exits with 78 (EX_CONFIG in sysexits.h), because a restart cannot fix the problem. Nothing is imported here,
  // because any file of the build may be missing.
  process.stderr.write(`${error.message}. Build the programs again: npm ci && npm run build\n`);
  process.exit(78);
});

export {};
