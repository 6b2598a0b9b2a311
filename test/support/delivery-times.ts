import type { TestInstance } from './test-instance.js';

/** A retry schedule that is too long to wait for. `makeDeliveriesDue` makes its attempts due. */
export const LONG_RETRY_SCHEDULE = '0s,1h,1h,1h,1h';

/** Makes every pending delivery overdue by so much that workers with Redis consider its job lost. */
export async function makeDeliveriesDue(instance: TestInstance): Promise<void> {
  await instance.sql(
    `UPDATE deliveries SET next_attempt_at = now() - interval '1 minute' WHERE state = 'pending' AND lease_until IS NULL`,
  );
  await instance.sql('NOTIFY gatehouse_deliveries');
}

/** Ends the leases of all attempts in flight, and runs the sweeper in a worker whose periodic jobs are off. */
export async function expireLeases(
  instance: TestInstance,
  worker: TestInstance['workers'][number],
): Promise<void> {
  await instance.sql('UPDATE deliveries SET lease_until = clock_timestamp() WHERE lease_until IS NOT NULL');
  await worker.runJob('Sweeper');
}

/** Returns the number of attempts in flight. */
export async function countInFlight(instance: TestInstance): Promise<number> {
  return (await instance.sql('SELECT FROM deliveries WHERE lease_until IS NOT NULL')).length;
}
