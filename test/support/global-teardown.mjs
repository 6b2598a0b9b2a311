import { stopServers } from './embedded.mjs';

export default async function globalTeardown() {
  await stopServers(globalThis.gatehouseTestServers);
}
