import { eventually } from './eventually.js';
import type { TestInstance } from './test-instance.js';
import { entryPoints, freePort, ServerProcess } from './server-process.mjs';

/**
 * Starts another api on the database of an instance, which stops together with the instance.
 * @param env settings that differ
 */
export async function startReplica(
  instance: TestInstance,
  env: Record<string, string> = {},
): Promise<{ process: ServerProcess; baseUrl: string }> {
  const port = String(await freePort());
  const replica = new ServerProcess(entryPoints.api, { ...instance.env, PORT: port, ...env });
  instance.processes.push(replica);
  const baseUrl = `http://127.0.0.1:${port}`;
  await eventually('the replica to be ready', () =>
    fetch(`${baseUrl}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  return { process: replica, baseUrl };
}
