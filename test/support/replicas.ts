import { eventually } from './eventually.js';
import type { House } from './house.js';
import { entryPoints, freePort, HouseProcess } from './processes.js';

/** A further api on the database of a house. */
export async function startReplica(house: House): Promise<{ process: HouseProcess; baseUrl: string }> {
  const port = String(await freePort());
  const replica = new HouseProcess(entryPoints.api, { ...house.env, PORT: port });
  const baseUrl = `http://127.0.0.1:${port}`;
  await eventually('the replica being ready', () =>
    fetch(`${baseUrl}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  return { process: replica, baseUrl };
}
