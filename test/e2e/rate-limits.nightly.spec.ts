/** Runs the tests in rate-limits.dedicated.spec.ts with every sign-in method. */
import './rate-limits.dedicated.spec.js';
