/** Runs the tests in outputs.dedicated.spec.ts with every program and every output. */
import './outputs.dedicated.spec.js';
