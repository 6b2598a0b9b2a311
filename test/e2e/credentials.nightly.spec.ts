/** Runs the tests in credentials.spec.ts with every credential and every origin on every route. */
import './credentials.spec.js';
