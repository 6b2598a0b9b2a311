import { insertOrganization } from '../support/tenants.js';
import type { TestInstance } from '../support/test-instance.js';
import { benchResponses, hostileResponses } from './hostile-responses.js';

/** Average interval between events: 50 a second, the rate of the measured logins. Each event goes to one endpoint. */
const EVENT_INTERVAL_MS = 20;
const EVENTS_PER_REQUEST = 5;

/**
 * Adds an organization with an endpoint for each hostile response, and publishes events for all of them in turn.
 * @param origin a receiver that sends the n-th response to a request for `/n`
 * @returns a function that stops publishing
 */
export async function startHostileTenant(instance: TestInstance, origin: string): Promise<() => void> {
  const { secretKey } = await insertOrganization(instance);
  const post = async (path: string, body: object): Promise<void> => {
    const { status, body: response } = await instance.requestWithBearer(secretKey, 'POST', path, body);
    if (status >= 300) throw new Error(`${path} returned ${status}: ${JSON.stringify(response)}`);
  };
  const types = hostileResponses.map((response) => `app.hostile.${benchResponses.indexOf(response)}`);
  for (const type of types)
    await post('/v1/webhooks/endpoints', { url: `${origin}/${type.split('.').at(-1)}`, events: [type] });
  let nth = 0;
  const timer = setInterval(() => {
    const events = Array.from({ length: EVENTS_PER_REQUEST }, () => ({
      type: types[nth++ % types.length],
      data: {},
    }));
    void post('/v1/events', events);
  }, EVENT_INTERVAL_MS * EVENTS_PER_REQUEST);
  return () => clearInterval(timer);
}
