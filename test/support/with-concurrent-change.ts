import type pg from 'pg';
import type { TestInstance } from './test-instance.js';

/** One statement of a transaction. */
export type RunSql = (text: string, values?: unknown[]) => Promise<unknown>;

/**
 * The answer to a request that another change overtakes: what `change` does is not to be seen yet when the instance
 * starts to work, and commits as soon as the instance waits for it.
 * @throws Error when the instance does not wait
 */
export async function withConcurrentChange<Result>(
  instance: TestInstance,
  change: (sql: RunSql) => Promise<unknown>,
  ask: () => Promise<Result>,
): Promise<Result> {
  const client = await instance.db.connect();
  try {
    await client.query('BEGIN');
    await change((text, values) => client.query(text, values));
    const [answer] = await Promise.all([ask(), commitWhenOthersWait(client)]);
    return answer;
  } finally {
    client.release(true);
  }
}

/** Commits a transaction as soon as so many others wait for it. @throws Error when they do not come */
export const commitWhenOthersWait = (client: pg.ClientBase, count = 1): Promise<void> =>
  // Not who blocks whom: they may stand behind one another, or behind the note of a key's use.
  commitWhen(
    client,
    `${count} <= (SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
       AND wait_event_type = 'Lock' AND query NOT LIKE '%last_used_at = now()%')`,
  );

/**
 * Commits a transaction as soon as a condition of SQL holds. PostgreSQL looks for itself: nobody waits there for longer
 * than 2.25 s, in which a busy machine may not get round to this process.
 * @throws Error when it does not come to hold
 */
export async function commitWhen(client: pg.ClientBase, condition: string): Promise<void> {
  await client.query(
    `DO $$ BEGIN
       FOR looks IN 1..1500 LOOP
         IF ${condition} THEN RETURN; END IF;
         PERFORM pg_sleep(0.02), pg_stat_clear_snapshot();
       END LOOP;
       RAISE 'the instance does not wait for the change';
     END $$; COMMIT`,
  );
}
