// Runs the api and the webhook-worker in one container. As in apps/api/src/main.ts, the handlers are registered before
// the imports, because without a handler, process 1 of a container ignores SIGTERM. run-all.mjs replaces them.
for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => process.exit(0));

await import('./run-all.mjs').catch((error) => {
  if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
  // Imports nothing, because any file of the build may be missing. 78 means that a restart cannot fix the problem
  // (EX_CONFIG in sysexits.h).
  process.stderr.write(`${error.message}. Build the programs again: npm ci && npm run build\n`);
  process.exit(78);
});
