import type pg from 'pg';
import type { TestInstance } from './test-instance.js';

/** Runs one statement in a transaction. */
export type RunSql = (text: string, values?: unknown[]) => Promise<unknown>;

/**
 * Returns the response to a request that races with another change. The change is not visible when the instance
 * begins its work, and is committed as soon as the instance waits for it.
 * @param waiting number of the instance's connections that must wait
 * @throws Error if the instance does not wait
 */
export async function withConcurrentChange<Result>(
  instance: TestInstance,
  change: (sql: RunSql) => Promise<unknown>,
  send: () => Promise<Result>,
  waiting = 1,
): Promise<Result> {
  const client = await instance.db.connect();
  try {
    await client.query('BEGIN');
    await change((text, values) => client.query(text, values));
    const [response] = await Promise.all([send(), commitWhenOthersWait(client, waiting)]);
    return response;
  } finally {
    client.release(true);
  }
}

/**
 * Commits a transaction as soon as `count` other connections wait for it, directly or behind one another. Updates of
 * a key's last use do not count.
 * @throws Error if they never wait
 */
export const commitWhenOthersWait = (client: pg.ClientBase, count = 1): Promise<void> =>
  commitWhen(
    client,
    `${count} < (WITH RECURSIVE waiting AS (
         SELECT pg_backend_pid() AS pid, '' AS query
       UNION
         SELECT a.pid, a.query FROM pg_stat_activity a JOIN waiting w ON w.pid = ANY (pg_blocking_pids(a.pid))
         WHERE a.wait_event_type = 'Lock')
       SELECT count(*) FROM waiting WHERE query NOT LIKE '%last_used_at = now()%')`,
  );

/**
 * Commits a transaction as soon as an SQL condition holds. PostgreSQL itself evaluates the condition: instances wait
 * for a lock for at most 2.25 s, and on a busy machine this process may not run within that time.
 * @throws Error if the condition never holds
 */
export async function commitWhen(client: pg.ClientBase, condition: string): Promise<void> {
  await client.query(
    `DO $$ BEGIN
       FOR i IN 1..1500 LOOP
         IF ${condition} THEN RETURN; END IF;
         PERFORM pg_sleep(0.02), pg_stat_clear_snapshot();
       END LOOP;
       RAISE 'the instance does not wait for the change';
     END $$; COMMIT`,
  );
}
