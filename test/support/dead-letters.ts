import { randomUUID } from 'node:crypto';
import { eventually } from './eventually.js';
import { respondWithStatus, type Receiver } from './receiver.js';
import type { TestInstance } from './test-instance.js';

/**
 * Settings with which deliveries fail quickly, but never because of the timeout, which is 4.5 s: every response in
 * these tests takes less than 4 s.
 */
export const FAST_RETRIES = {
  TIME_SCALE: '10',
  WEBHOOK_RETRY_SCHEDULE: '0s,100ms,100ms,100ms,100ms',
  WEBHOOK_TIMEOUT: '45s',
};

/** Creates `count` events of type `customer.created` with one request, in the instance's first project. */
export async function emitEvents(instance: TestInstance, count: number): Promise<void> {
  const customers = Array.from({ length: count }, () => ({ email: `${randomUUID()}@example.com` }));
  const response = await instance.requestWithSecretKey('POST', '/api/v1/customers/import', {
    customers,
    emitEvents: true,
  });
  if (response.body.created !== count)
    throw new Error(`not all customers were imported: ${JSON.stringify(response.body)}`);
}

/**
 * Waits until an endpoint has `count` dead letters and no pending deliveries.
 * @returns the dead letter ids, newest first
 */
export async function waitForDeadLetters(
  instance: TestInstance,
  endpointId: string,
  count: number,
): Promise<string[]> {
  return eventually(`${count} dead letters`, async () => {
    const rows = await instance.sql<{ id: string; state: string }>(
      `SELECT id, state FROM deliveries WHERE endpoint_id = $1 AND state IN ('pending', 'failed')
           AND resolution IS NULL ORDER BY id DESC`,
      [endpointId.slice(3)],
    );
    return (
      rows.length === count &&
      rows.every(({ state }) => state === 'failed') &&
      rows.map(({ id }) => `dlv_${id}`)
    );
  });
}

/** Creates an endpoint with `count` dead letters. Then makes its receiver succeed, and clears its request log. */
export async function createFailedEndpoint(
  instance: TestInstance,
  receiver: Receiver,
  count: number,
): Promise<{ id: string; ids: string[] }> {
  receiver.defaultResponder = respondWithStatus(500, '<b>body</b>');
  const { id } = await instance.createEndpoint(receiver.url, ['customer.created']);
  await emitEvents(instance, count);
  const ids = await waitForDeadLetters(instance, id, count);
  receiver.defaultResponder = respondWithStatus(200);
  receiver.requests.length = 0;
  return { id, ids };
}

/** Copies a dead letter `count` times. The copies come first in lists. */
export async function duplicateDeadLetter(
  instance: TestInstance,
  deliveryId: string,
  count: number,
): Promise<void> {
  // Foreign key checks and random ids would take most of the time. The replica role skips the checks.
  await instance.sql(
    `BEGIN; SET LOCAL session_replication_role = replica;
     INSERT INTO deliveries (id, organization_id, project_id, event_id, event_type, endpoint_id, target_url, state,
       attempt, last_http_status, created_at, finished_at)
     SELECT ('ffffffff-' || middle || lpad(to_hex(n), 12, '0'))::uuid, d.organization_id, d.project_id, d.event_id,
       d.event_type, d.endpoint_id, d.target_url, 'failed', 5, 599, now() - interval '1 day', now()
     FROM deliveries d, (SELECT substr(gen_random_uuid()::text, 10, 15) AS middle) AS ids, generate_series(1, ${count}) n
     WHERE d.id = '${deliveryId.slice(4)}';
     COMMIT`,
  );
}

/** Waits until a bulk redelivery or a recovery has finished. */
export async function waitForRedelivery(instance: TestInstance, id: string): Promise<Record<string, any>> {
  return eventually('the redelivery to finish', async () => {
    const { data } = (await instance.requestWithSecretKey('GET', `/v1/webhooks/redeliveries/${id}`)).body;
    return data.finished_at !== null && data;
  });
}
