/** Runs the tests in admin-commands.spec.ts, and tests of missing and outdated builds. */
import './admin-commands.spec.js';
