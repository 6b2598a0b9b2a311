/** Runs the tests in retention.dedicated.spec.ts, and tests of partitions that are locked, large or slow to copy. */
import './retention.dedicated.spec.js';
