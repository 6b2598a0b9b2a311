import fs from 'node:fs';
import path from 'node:path';
import { openApiDocuments } from '../../scripts/openapi-document.mjs';
import { mergeDocuments } from './conformance.mjs';
import { reapServers, startServers } from './embedded.mjs';

/**
 * Starts the servers for end-to-end tests, and sets environment variables with their addresses.
 * @returns {Promise<string>} the folder, for `stopServers`
 */
export async function startTestServers() {
  await reapServers();
  const [{ folder, env }, documents] = await Promise.all([startServers(), openApiDocuments()]);
  // Every response in a test is compared with this document (fetch-documented.ts).
  const document = path.join(folder, 'openapi.json');
  fs.writeFileSync(document, JSON.stringify(mergeDocuments(documents)));
  Object.assign(process.env, env, {
    TEST_OPENAPI: document,
    TEST_MEASUREMENTS: path.join(folder, 'measurements'),
  });
  return folder;
}
