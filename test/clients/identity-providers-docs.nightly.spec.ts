/** Runs the tests with every provider, and with every outcome of account linking. */
import './identity-providers-docs.browser.spec.js';
