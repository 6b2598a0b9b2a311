/** Runs the tests in operator-deliveries.spec.ts with more combinations of filters. */
import './operator-deliveries.spec.js';
