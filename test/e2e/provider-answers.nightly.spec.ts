/** Runs the tests of provider-answers.spec.ts with each response on every path. */
import './provider-answers.spec.js';
