import { insertOrganization } from '../support/tenants.js';
import type { TestInstance } from '../support/test-instance.js';
import { benchResponses, hostileResponses } from './hostile-responses.js';
import { SEEDED_EVENT, seedDeliveries } from './seed-deliveries.js';

/** Deliveries to each endpoint: enough for the whole run. */
const DELIVERIES = 1_000;
/** A response in many packets takes until the time limit. These leave room for the others within the project's limit. */
const TRICKLED_DELIVERIES = 80;

/**
 * Adds an organization with an endpoint for each hostile response, all with pending deliveries.
 * @param origin a receiver that sends the n-th response to a request for `/n`
 */
export async function addHostileTenant(instance: TestInstance, origin: string): Promise<void> {
  const { secretKey } = await insertOrganization(instance);
  const headers = { authorization: `Bearer ${secretKey}` };
  const ids = await Promise.all(
    hostileResponses.map(async (response) => {
      const body = { url: `${origin}/${benchResponses.indexOf(response)}`, events: [SEEDED_EVENT] };
      const created = await instance.request('POST', '/v1/webhooks/endpoints', { headers, body });
      if (created.status !== 201)
        throw new Error(`endpoint was not created: ${JSON.stringify(created.body)}`);
      return created.body.data.id as string;
    }),
  );
  for (const [index, id] of ids.entries()) {
    const count = hostileResponses[index]!.isTrickled ? TRICKLED_DELIVERIES : DELIVERIES;
    await seedDeliveries(instance, id, count, 'pending');
  }
}
