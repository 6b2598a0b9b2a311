/** Runs the tests in provider-answers.spec.ts with each response on every path. */
import './provider-answers.spec.js';
