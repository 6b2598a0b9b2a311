/** Runs the tests with every outcome of account linking, and in light colors on a wide screen. */
import './hosted-sign-in.browser.spec.js';
