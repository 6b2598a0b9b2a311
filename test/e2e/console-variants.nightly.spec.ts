/** Runs the tests of the console with more variants, and checks the accessibility of each step. */
import './console-identity.browser.spec.js';
import './console-providers.browser.spec.js';
import './console-sign-in.browser.spec.js';
import './console.browser.spec.js';
