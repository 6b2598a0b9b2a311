/** Runs the tests of tenant-isolation.spec.ts with every tenant pair and every combination of their ids. */
import './tenant-isolation.spec.js';
