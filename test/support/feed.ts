import { eventually } from './eventually.js';
import type { House } from './house.js';

/** Waits until the feed may show every event: transactions of other databases on this server hold it back as well. */
export const feedCaughtUp = (house: House): Promise<boolean> =>
  eventually('older transactions', async () => {
    const [row] = await house.sql<{ over: boolean }>(
      'SELECT pg_snapshot_xmin(pg_current_snapshot()) > max(xact) AS over FROM events',
    );
    return row!.over;
  });
