/** Runs the tests in reencryption.dedicated.spec.ts with more customers, and runs the command once more. */
import './reencryption.dedicated.spec.js';
