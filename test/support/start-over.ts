import type { TestInstance } from './test-instance.js';

/**
 * Makes of an instance what it was before it had customers and endpoints, for the next test of a file: ends its workers, and
 * leaves it its api, which takes longest to start, and its audit log, which nothing may change.
 */
export async function startOver(instance: TestInstance): Promise<void> {
  await Promise.all(instance.workers.map((worker) => worker.end()));
  instance.workers = [];
  instance.onExchange = () => undefined;
  await instance.sql('TRUNCATE customers, events, webhook_endpoints, deliveries, attempts CASCADE');
}
