/** Runs the tests in tenant-isolation.spec.ts with every pair of tenants and every combination of their ids. */
import './tenant-isolation.spec.js';
