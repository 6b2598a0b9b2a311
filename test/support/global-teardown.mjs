import { stopServers } from './embedded.mjs';

export default async function globalTeardown() {
  if (globalThis.gatehouseTestServers) await stopServers(globalThis.gatehouseTestServers);
}
