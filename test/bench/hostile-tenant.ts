import { insertOrganization } from '../support/tenants.js';
import type { TestInstance } from '../support/test-instance.js';
import { benchResponses, hostileResponses } from './hostile-responses.js';

const EVENT = 'app.hostile.sent';

/** Every event goes to an endpoint for each hostile response: about 50 deliveries a second, as many as those measured. */
const EVENT_INTERVAL_MS = 500;

/**
 * Adds an organization with an endpoint for each hostile response, and publishes its events regularly.
 * @param origin a receiver that sends the n-th response to a request for `/n`
 * @returns a function that stops the events
 */
export async function startHostileTenant(instance: TestInstance, origin: string): Promise<() => void> {
  const { secretKey } = await insertOrganization(instance);
  const post = async (path: string, body: object): Promise<void> => {
    const { status, body: response } = await instance.requestWithBearer(secretKey, 'POST', path, body);
    if (status >= 300) throw new Error(`${path} returned ${status}: ${JSON.stringify(response)}`);
  };
  for (const response of hostileResponses)
    await post('/v1/webhooks/endpoints', {
      url: `${origin}/${benchResponses.indexOf(response)}`,
      events: [EVENT],
    });
  const timer = setInterval(() => void post('/v1/events', { type: EVENT, data: {} }), EVENT_INTERVAL_MS);
  return () => clearInterval(timer);
}
