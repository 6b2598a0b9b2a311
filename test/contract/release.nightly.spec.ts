/** Runs the tests in release.dedicated.spec.ts, and a test of a repeated release. */
import './release.dedicated.spec.js';
