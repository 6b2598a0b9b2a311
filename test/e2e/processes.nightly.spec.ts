/** Runs the tests in processes.dedicated.spec.ts, and a test that migrates an empty database twice. */
import './processes.dedicated.spec.js';
