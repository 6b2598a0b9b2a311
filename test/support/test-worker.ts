import type * as platform from '@gatehouse/platform';
import type { Conformance } from './conformance.mjs';
import type { sharedBrowser } from './shared-browser.mjs';
import type { nameServerPort, sharedServer } from './shared-servers.mjs';

/** The objects that test-environment.mjs provides to all test files of a jest worker. */
interface TestWorker {
  conformance: () => Conformance;
  sharedServer: typeof sharedServer;
  nameServerPort: typeof nameServerPort;
  sharedBrowser: typeof sharedBrowser;
  platform: typeof platform;
  /** True if this test file may start its own processes. */
  usesOwnProcesses: boolean;
}

/** Undefined outside jest, as in the benchmarks. */
export const testWorker = (globalThis as { testWorker?: TestWorker }).testWorker;
