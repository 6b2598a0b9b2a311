import type { TestInstance } from './test-instance.js';
import { entryPoints, freePort, ServerProcess } from './server-process.mjs';

/**
 * Starts another API process on an instance's database. It stops together with the instance.
 * @param env settings that differ from the instance's
 */
export async function startReplica(
  instance: TestInstance,
  env: Record<string, string> = {},
): Promise<{ process: ServerProcess; baseUrl: string }> {
  const port = String(await freePort());
  const replica = new ServerProcess(entryPoints.api, { ...instance.env, PORT: port, ...env });
  instance.processes.push(replica);
  await replica.waitUntilReady();
  return { process: replica, baseUrl: `http://127.0.0.1:${port}` };
}
