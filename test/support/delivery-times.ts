import type { TestInstance } from './test-instance.js';

/** A retry schedule that no test waits for: makeDeliveriesDue brings its attempts forward. */
export const LONG_RETRY_SCHEDULE = '0s,1h,1h,1h,1h';

/** Makes every pending delivery due, long enough ago that workers on Redis take it for lost by the queue. */
export async function makeDeliveriesDue(instance: TestInstance): Promise<void> {
  await instance.sql(
    `UPDATE deliveries SET next_attempt_at = now() - interval '1 minute' WHERE state = 'pending' AND lease_until IS NULL`,
  );
  await instance.sql('NOTIFY gatehouse_deliveries');
}

/** Lets the lease of every attempt in flight run out, and a worker whose periodic jobs are off notice it. */
export async function expireLeases(
  instance: TestInstance,
  worker: TestInstance['workers'][number],
): Promise<void> {
  await instance.sql('UPDATE deliveries SET lease_until = clock_timestamp() WHERE lease_until IS NOT NULL');
  await worker.runJob('Sweeper');
}

/** How many attempts are in flight. */
export async function countInFlight(instance: TestInstance): Promise<number> {
  return (await instance.sql('SELECT FROM deliveries WHERE lease_until IS NOT NULL')).length;
}
