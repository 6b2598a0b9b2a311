/** Runs the tests in reencryption.dedicated.spec.ts with more customers, and another run of the command. */
import './reencryption.dedicated.spec.js';
