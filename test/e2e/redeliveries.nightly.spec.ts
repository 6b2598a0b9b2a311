/** Runs the tests in redeliveries.spec.ts with each queue, and with more deliveries than a batch can contain. */
import './redeliveries.spec.js';
