import { findMissingProgram } from './build-parts.mjs';

const missing = findMissingProgram('all');
if (missing) {
  console.error(missing);
  // A restart cannot fix it (sysexits.h, EX_CONFIG).
  process.exit(78);
}
await import('../dist/programs/all.js');
