import type { TestInstance } from './test-instance.js';

/**
 * Inserts active sessions for a customer. They were created a day ago, one second apart.
 * @returns ids, oldest first
 */
export async function insertSessions(
  instance: TestInstance,
  customerId: string,
  count: number,
): Promise<string[]> {
  const rows = await instance.sql<{ id: string }>(
    `INSERT INTO sessions (id, customer_id, generation, current_hash, idle_ttl, idle_expires_at,
       absolute_expires_at, created_at)
     SELECT gen_random_uuid(), $1, 1, '', 86400, now() + interval '1 day', now() + interval '1 day',
       now() - interval '1 day' + n * interval '1 second'
     FROM generate_series(1, $2::int) AS n ORDER BY n RETURNING id`,
    [customerId, count],
  );
  return rows.map(({ id }) => id);
}
