import { eventually } from './eventually.js';
import type { House } from './house.js';
import { entryPoints, freePort, HouseProcess } from './processes.js';

/** A further api on the database of a house, which stops with it. @param env what is different there */
export async function startReplica(
  house: House,
  env: Record<string, string> = {},
): Promise<{ process: HouseProcess; baseUrl: string }> {
  const port = String(await freePort());
  const replica = new HouseProcess(entryPoints.api, { ...house.env, PORT: port, ...env });
  house.processes.push(replica);
  const baseUrl = `http://127.0.0.1:${port}`;
  await eventually('the replica being ready', () =>
    fetch(`${baseUrl}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  return { process: replica, baseUrl };
}
