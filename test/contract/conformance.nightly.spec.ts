import { setTimeout } from 'node:timers/promises';
import { eventually } from '../support/eventually.js';
import { Receiver } from '../support/receiver.js';
import { insertProject } from '../support/tenants.js';
import { TestInstance } from '../support/test-instance.js';
import { uniqueEmail } from '../support/unique-email.js';

/** Tests the ten-second limit for webhook responses in real time. conformance.spec.ts tests the other rules. */
let instance: TestInstance;
const receivers: Receiver[] = [];
beforeAll(async () => (instance = await TestInstance.start({ env: { RATE_LIMITS: 'off' } })));
afterAll(async () => {
  await instance?.stop();
  await Promise.all(receivers.map((receiver) => receiver.stop()));
});

/** Delivers an event to a new endpoint. @returns the finished attempt */
async function deliverTo(respond: Receiver['defaultResponder']): Promise<Record<string, any>> {
  const receiver = await Receiver.start();
  receivers.push(receiver);
  receiver.defaultResponder = respond;
  const { secretKey } = await insertProject(instance, instance.credentials.organizationId);
  const request = (method: string, path: string, body?: unknown) =>
    instance.request(method, path, { body, headers: { authorization: `Bearer ${secretKey}` } });
  await request('POST', '/v1/webhooks/endpoints', { url: receiver.url, events: ['customer.created'] });
  expect((await request('POST', '/api/v1/customers', { email: uniqueEmail() })).status).toBe(201);
  return eventually('an attempt', async () => {
    const { data } = (await request('GET', '/v1/webhooks/deliveries')).body;
    return data[0] as Record<string, any> | undefined;
  });
}

it('§6.1, §6.2, §8: an attempt succeeds on a 2xx within ten seconds, otherwise it is rescheduled', async () => {
  const [late, silent] = await Promise.all([
    deliverTo((response) => void setTimeout(6_000).then(() => response.end('at last'))),
    deliverTo(() => undefined),
  ]);
  expect(late).toMatchObject({ http_status: 200, success: true, response_body: 'at last' });
  expect(late['duration_ms']).toBeGreaterThanOrEqual(5_900);
  expect(silent).toMatchObject({
    http_status: 0,
    success: false,
    error: 'timeout',
    response_body: '',
    delivery_state: 'pending',
    next_attempt_at: expect.any(String),
  });
  expect(silent['duration_ms']).toBeGreaterThanOrEqual(9_900);
  expect(silent['duration_ms']).toBeLessThan(15_000);
});
