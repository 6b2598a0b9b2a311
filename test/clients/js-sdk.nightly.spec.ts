/** Runs the tests with more tabs, and tests sign-ins that other tests of this package also cover. */
import './js-sdk.browser.spec.js';
