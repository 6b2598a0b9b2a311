import type { House } from './house.js';

/**
 * Makes of a house what it was before it had customers and endpoints, for the next test of a file: ends its workers, and
 * leaves it its api, which takes longest to start, and its audit log, which nothing may change.
 */
export async function startOver(house: House): Promise<void> {
  await Promise.all(house.workers.map((worker) => worker.end()));
  house.workers = [];
  house.onExchange = () => undefined;
  await house.sql('TRUNCATE customers, events, webhook_endpoints, deliveries, attempts CASCADE');
}
