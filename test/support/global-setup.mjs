import { ensureBuilt } from '../../scripts/build.mjs';
import { reapServers, startServers } from './embedded.mjs';

/** Brings up what the e2e suites stand on, and tells them where it is. */
export default async function globalSetup() {
  await ensureBuilt(process.stderr);
  await reapServers();
  const { folder, env } = await startServers();
  Object.assign(process.env, env);
  globalThis.gatehouseTestServers = folder;
}
