// Runs the api and the webhook-worker in one container. As in apps/api/src/main.ts, the handler comes before the
// imports, because the kernel ignores SIGTERM for a container's process 1 until there is one. run-all.mjs replaces it.
for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => process.exit(0));

await import('./run-all.mjs').catch((error) => {
  if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
  // Any file in the build may be missing, so this imports none. 78: a restart cannot fix it (sysexits.h, EX_CONFIG).
  process.stderr.write(`${error.message}. Build the programs again: npm ci && npm run build\n`);
  process.exit(78);
});
