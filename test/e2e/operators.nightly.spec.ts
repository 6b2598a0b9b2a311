/** Runs the tests in operators.spec.ts with every error of the command operator-link. */
import './operators.spec.js';
