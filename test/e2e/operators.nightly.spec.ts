/** Runs the tests of operators.spec.ts with every error from the command operator-link. */
import './operators.spec.js';
