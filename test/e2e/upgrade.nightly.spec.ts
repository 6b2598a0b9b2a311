/** Runs the tests in upgrade.dedicated.spec.ts, and moves an embedded database of 0.1.0 to other roles. */
import './upgrade.dedicated.spec.js';
