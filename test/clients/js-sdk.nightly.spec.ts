/** Runs the tests with more tabs, and with the sign-ins that other tests prove with the same package. */
import './js-sdk.browser.spec.js';
