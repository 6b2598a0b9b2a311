import { eventually } from './eventually.js';
import type { House } from './house.js';

/** One statement of a transaction. */
export type Statement = (text: string, values?: unknown[]) => Promise<unknown>;

/**
 * The answer to a request that another change overtakes: what `change` does is not to be seen yet when the house
 * starts to work, and commits as soon as the house waits for it.
 * @throws Error when the house does not wait
 */
export async function overtaken<Result>(
  house: House,
  change: (sql: Statement) => Promise<unknown>,
  ask: () => Promise<Result>,
): Promise<Result> {
  const client = await house.db.connect();
  try {
    await client.query('BEGIN');
    await change((text, values) => client.query(text, values));
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const answer = ask();
    await eventually('the house waiting for the change', async () => {
      const waiting = 'SELECT 1 FROM pg_stat_activity WHERE $1::int = ANY(pg_blocking_pids(pid))';
      return (await house.sql(waiting, [rows[0]!.pid])).length > 0;
    });
    await client.query('COMMIT');
    return await answer;
  } finally {
    client.release(true);
  }
}
