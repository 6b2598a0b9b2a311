import type { Conformance } from './conformance.mjs';
import type { sharedServer } from './shared-servers.mjs';

/** What test-environment.mjs keeps for all files of a jest worker. */
interface TestWorker {
  conformance: () => Conformance;
  sharedServer: typeof sharedServer;
  /** Whether this file may start processes of its own. */
  ownProcesses: boolean;
}

/** Undefined outside of jest, as in the benchmarks. */
export const testWorker = (globalThis as { testWorker?: TestWorker }).testWorker;
