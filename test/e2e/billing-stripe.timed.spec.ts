import { drip, silence, StripeStandIn } from '../support/stripe.js';
import { insertOrganization } from '../support/tenants.js';
import { TestInstance } from '../support/test-instance.js';

const stripe = new StripeStandIn();
let instance: TestInstance;
beforeAll(async () => {
  await stripe.start();
  instance = await TestInstance.start({
    workers: 0,
    env: { STRIPE_SECRET_KEY: stripe.key, STRIPE_API_BASE: stripe.url },
  });
});
afterAll(async () => {
  await instance?.stop();
  await stripe.stop();
});

describe('the billing portal', () => {
  it('returns 503 within 5 s while Stripe is silent or slow, with and without a customer', async () => {
    const open = async (key: string) => {
      const began = performance.now();
      const answer = await instance.request('POST', '/api/v1/billing/portal', {
        body: { returnUrl: 'https://app.example.com/billing' },
        headers: { authorization: `Bearer ${key}` },
      });
      return { ...answer, ms: performance.now() - began };
    };
    const keys: string[] = [];
    for (let count = 0; count < 4; count += 1) keys.push((await insertOrganization(instance)).secretKey);
    for (const known of keys.slice(2)) expect((await open(known)).status).toBe(200);
    // What both kinds of organization meet, at the same time.
    for (const whim of [silence, drip]) {
      stripe.always = whim;
      const answers = await Promise.all(keys.map(open));
      for (const answer of answers) {
        expect(answer).toMatchObject({ status: 503, body: { code: 'billing_unavailable' } });
        expect(answer.headers.get('retry-after')).toBe('5');
        expect(answer.ms).toBeLessThanOrEqual(5_000);
      }
    }
    stripe.calm();
    expect((await open(keys[0]!)).status).toBe(200);
  });
});
