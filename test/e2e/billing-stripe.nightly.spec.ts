import { respondSlowly, openPortal, neverRespond, startWithStripe } from '../support/stripe-stub.js';
import { insertOrganization } from '../support/tenants.js';

it('the billing portal returns 503 within 5 s while Stripe is silent or slow', async () => {
  const { stripe, instance } = await startWithStripe();
  try {
    const open = async (key: string) => {
      const startedAt = performance.now();
      const response = await openPortal(instance, key);
      return { ...response, ms: performance.now() - startedAt };
    };
    const keys: string[] = [];
    for (let count = 0; count < 4; count += 1) keys.push((await insertOrganization(instance)).secretKey);
    for (const key of keys.slice(2)) expect((await open(key)).status).toBe(200);
    // Organizations with and without a Stripe customer send their requests at the same time.
    for (const override of [neverRespond, respondSlowly]) {
      stripe.defaultOverride = override;
      for (const response of await Promise.all(keys.map(open))) {
        expect(response).toMatchObject({ status: 503, body: { code: 'billing_unavailable' } });
        expect(response.headers.get('retry-after')).toBe('5');
        expect(response.ms).toBeLessThanOrEqual(5_000);
      }
    }
    stripe.reset();
    expect((await open(keys[0]!)).status).toBe(200);
  } finally {
    await instance.stop();
    await stripe.stop();
  }
});
