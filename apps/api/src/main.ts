// The kernel ignores SIGTERM for process 1 in a container until there is a handler, and the imports take most of the
// startup time. So the handler comes first, and imports nothing. runProcess() replaces it.
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => process.exit(0));

await import('./run.js').catch((error: NodeJS.ErrnoException) => {
  if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
  // Any file in the build may be missing, so this imports none. 78: a restart cannot fix it (sysexits.h, EX_CONFIG).
  process.stderr.write(`${error.message}. Build the programs again: npm ci && npm run build\n`);
  process.exit(78);
});

export {};
