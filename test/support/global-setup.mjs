import { ensureBuilt } from '../../scripts/build.mjs';
import { startTestServers } from './test-servers.mjs';

/** Starts a test run's servers, unless scripts/test.mjs has already started them for several runs. */
export default async function globalSetup() {
  if (process.env.TEST_FOLDER) return;
  await ensureBuilt(process.stderr);
  globalThis.gatehouseTestServers = await startTestServers();
}
