await import('./gatehouse.js').catch((error: NodeJS.ErrnoException) => {
  if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
  // Any file in the build may be missing, so this file imports none of it. 78 is EX_CONFIG (sysexits.h): a restart
  // cannot fix it.
  process.stderr.write(`${error.message}. Build the programs again: npm ci && npm run build\n`);
  process.exit(78);
});

export {};
