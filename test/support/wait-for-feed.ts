import { eventually } from './eventually.js';
import type { TestInstance } from './test-instance.js';

/** Waits until the feed contains every event. Transactions in other databases of the server delay it as well. */
export const waitForFeed = (instance: TestInstance): Promise<boolean> =>
  eventually('older transactions to end', async () => {
    const [row] = await instance.sql<{ isComplete: boolean }>(
      'SELECT pg_snapshot_xmin(pg_current_snapshot()) > max(xact) AS "isComplete" FROM events',
    );
    return row!.isComplete;
  });
