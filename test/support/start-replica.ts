import { eventually } from './eventually.js';
import type { TestInstance } from './test-instance.js';
import { entryPoints, freePort, ServerProcess } from './server-process.mjs';

/** A further api on the database of an instance, which stops with it. @param env what is different there */
export async function startReplica(
  instance: TestInstance,
  env: Record<string, string> = {},
): Promise<{ process: ServerProcess; baseUrl: string }> {
  const port = String(await freePort());
  const replica = new ServerProcess(entryPoints.api, { ...instance.env, PORT: port, ...env });
  instance.processes.push(replica);
  const baseUrl = `http://127.0.0.1:${port}`;
  await eventually('the replica being ready', () =>
    fetch(`${baseUrl}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  return { process: replica, baseUrl };
}
