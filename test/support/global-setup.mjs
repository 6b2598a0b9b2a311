import fs from 'node:fs';
import path from 'node:path';
import { ensureBuilt } from '../../scripts/build.mjs';
import { openApiDocument } from '../../scripts/openapi-document.mjs';
import { reapServers, startServers } from './embedded.mjs';

/** Brings up what the e2e suites stand on, and tells them where it is. */
export default async function globalSetup() {
  await ensureBuilt(process.stderr);
  await reapServers();
  const { folder, env } = await startServers();
  // Every answer to a test is compared with it (conformance.ts).
  const document = path.join(folder, 'openapi.json');
  fs.writeFileSync(document, JSON.stringify(await openApiDocument()));
  Object.assign(process.env, env, { TEST_OPENAPI: document, TEST_FIGURES: path.join(folder, 'figures') });
  globalThis.gatehouseTestServers = folder;
}
