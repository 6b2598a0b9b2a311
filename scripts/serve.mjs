import { findMissingProgram } from './build-parts.mjs';

const missing = findMissingProgram('all');
if (missing) {
  console.error(missing);
  // A restart cannot fix the problem (EX_CONFIG in sysexits.h).
  process.exit(78);
}
await import('../dist/programs/all.js');
