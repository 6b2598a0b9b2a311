/** Runs the tests in documents.spec.ts with bash and with sh. */
import './documents.spec.js';
