import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { withProgramOptions } from '../../scripts/program-options.mjs';
import { reapServers, startServers } from './embedded.mjs';

/** Maximum size of the OpenAPI document, in bytes. */
const MAX_DOCUMENT_SIZE = 64 * 1024 * 1024;

/**
 * Starts the servers for end-to-end tests, and sets environment variables with their addresses.
 * @returns {Promise<string>} the folder, for `stopServers`
 * @throws Error with the output if the built API cannot be loaded
 */
export async function startTestServers() {
  await reapServers();
  const [{ folder, env }, { stdout }] = await Promise.all([
    startServers(),
    promisify(execFile)(process.execPath, ['test/support/print-openapi.mjs'], {
      env: withProgramOptions(process.env),
      maxBuffer: MAX_DOCUMENT_SIZE,
    }),
  ]);
  // Every response in a test is compared with this document (fetch-documented.ts).
  const document = path.join(folder, 'openapi.json');
  fs.writeFileSync(document, stdout);
  Object.assign(process.env, env, {
    TEST_OPENAPI: document,
    TEST_MEASUREMENTS: path.join(folder, 'measurements'),
  });
  return folder;
}
