import { randomUUID } from 'node:crypto';
import { checkCases } from '../support/check-cases.js';
import { eventually } from '../support/eventually.js';
import { retryWhileRejected } from '../support/retry-while-rejected.js';
import {
  respondWithHtml,
  respondWithLineFeeds,
  closeConnection,
  openPortal,
  RETURN_URL,
  startWithStripe,
  respondWithStripeError,
  type StripeStub,
  type ResponseOverride,
} from '../support/stripe-stub.js';
import { insertOrganization, insertProject } from '../support/tenants.js';
import type { TestResponse, TestInstance } from '../support/test-instance.js';

let stripe: StripeStub;
let instance: TestInstance;
beforeAll(async () => ({ stripe, instance } = await startWithStripe()));
afterAll(async () => {
  await instance?.stop();
  await stripe?.stop();
});
beforeEach(() => stripe.reset());

const open = (key: string, body: object = {}, headers: Record<string, string> = {}): Promise<TestResponse> =>
  openPortal(instance, key, body, headers);
const statuses = (responses: TestResponse[]): number[] => responses.map(({ status }) => status);
/** Returns an organization's Stripe customer ids. */
const customersOf = (organizationId: string): string[] =>
  [...stripe.customers]
    .filter(([, customer]) => customer.organizationId === organizationId)
    .map(([id]) => id);

describe('the billing portal with Stripe', () => {
  const portal = '/v1/billing_portal/sessions';

  it('creates a Stripe customer on the first request and reuses it in every project', async () => {
    const { organizationId, secretKey } = await insertOrganization(instance);
    const sibling = await insertProject(instance, organizationId);
    const responses = [await open(secretKey), await open(secretKey), await open(sibling.secretKey)];
    expect(statuses(responses)).toEqual([200, 200, 200]);
    const [first, second] = responses as [TestResponse, TestResponse];
    expect(first.body.url).toMatch(/^https:\/\/billing\.stripe\.com\/p\/session\//);
    expect(second.body.url).not.toBe(first.body.url);
    expect(Date.parse(first.body.expiresAt as string)).toBeGreaterThan(
      Date.parse(first.headers.get('date')!),
    );
    expect(stripe.requestsTo('/v1/customers').map(({ form }) => form)).toEqual([
      { name: `org-${organizationId}`, 'metadata[gatehouse_organization_id]': organizationId },
    ]);
    const [customer] = customersOf(organizationId);
    expect(stripe.requestsTo(portal).map(({ form }) => form)).toEqual(
      Array(3).fill({ customer, return_url: RETURN_URL }),
    );
  });

  it('creates one customer for ten concurrent requests, and a new one after its deletion', async () => {
    const { organizationId, secretKey } = await insertOrganization(instance);
    const openConcurrently = (count: number) =>
      Promise.all(Array.from({ length: count }, () => retryWhileRejected(() => open(secretKey))));
    stripe.creationDelayMs = 300;
    expect(statuses(await openConcurrently(10))).toEqual(Array(10).fill(200));
    const [first, ...others] = customersOf(organizationId);
    expect(others).toEqual([]);
    expect(new Set(stripe.requestsTo(portal).map(({ form }) => form['customer']))).toEqual(new Set([first]));
    stripe.reset();
    stripe.customers.delete(first!);
    expect(statuses(await openConcurrently(5))).toEqual(Array(5).fill(200));
    expect(customersOf(organizationId)).toHaveLength(1);
    stripe.reset();
    expect((await open(secretKey)).status).toBe(200);
    expect(stripe.requests.map(({ path }) => path)).toEqual([portal]);
  });

  it('gives up if the new customer is missing as well', async () => {
    const { secretKey } = await insertOrganization(instance);
    stripe.overrideNext(
      ...Array<ResponseOverride>(8).fill(
        respondWithStripeError(400, { code: 'resource_missing', param: 'customer' }),
      ),
    );
    expect((await open(secretKey)).status).toBe(501);
    expect(stripe.requests.length).toBeLessThan(8);
  });

  it('keeps the Stripe customer if the portal fails to open, and does not replay the error', async () => {
    const { secretKey } = await insertOrganization(instance);
    // Stripe repeats this error for the same Stripe idempotency key.
    stripe.failsCustomerCreation = true;
    expect((await open(secretKey)).status).toBe(503);
    stripe.failsCustomerCreation = false;
    expect((await open(secretKey)).status).toBe(200);
    stripe.reset();
    const idempotencyHeaders = { 'idempotency-key': randomUUID() };
    stripe.defaultOverride = respondWithStripeError(500);
    expect((await open(secretKey, {}, idempotencyHeaders)).body.code).toBe('billing_unavailable');
    stripe.reset();
    const opened = await open(secretKey, {}, idempotencyHeaders);
    expect(opened.status).toBe(200);
    expect(stripe.requests.map(({ path }) => path)).toEqual([portal]);
    const repeated = await open(secretKey, {}, idempotencyHeaders);
    expect(repeated).toMatchObject({ status: 200, body: opened.body });
    expect(repeated.headers.get('idempotent-replayed')).toBe('true');
  });

  it('finds the customer if the response to its creation was lost', async () => {
    const { organizationId, secretKey } = await insertOrganization(instance);
    stripe.lostResponses = 10;
    expect((await open(secretKey)).status).toBe(503);
    stripe.reset();
    // Because of the new name, the request differs under the same idempotency key, so Stripe rejects it once.
    await instance.sql(`UPDATE organizations SET name = 'renamed' WHERE id = $1`, [organizationId]);
    expect(statuses([await open(secretKey), await open(secretKey)])).toEqual([503, 200]);
    const unchanged = await insertOrganization(instance);
    stripe.lostResponses = 10;
    expect((await open(unchanged.secretKey)).status).toBe(503);
    stripe.reset();
    expect((await open(unchanged.secretKey)).status).toBe(200);
    expect(customersOf(unchanged.organizationId)).toHaveLength(1);
  });

  it('returns its own error if Stripe rejects the request or fails, and recovers afterwards', async () => {
    const cases: [name: string, override: ResponseOverride, status: number, detail: string][] = [
      [
        'a wrong key',
        respondWithStripeError(401, { message: 'Invalid API Key provided' }),
        501,
        'STRIPE_SECRET_KEY',
      ],
      ['a response whose lines end with LF', respondWithLineFeeds, 501, 'STRIPE_SECRET_KEY'],
      ['a key without permission', respondWithStripeError(403), 501, 'STRIPE_SECRET_KEY'],
      [
        'a portal without configuration',
        respondWithStripeError(400, { message: 'No configuration' }),
        501,
        'dashboard',
      ],
      ['another server', respondWithStripeError(404), 501, 'STRIPE_API_BASE'],
      ['a card error', respondWithStripeError(402, { type: 'card_error' }), 503, ''],
      ['too many requests', respondWithStripeError(429, { code: 'rate_limit' }), 503, ''],
      [
        'a concurrent request with the same key',
        respondWithStripeError(409, { code: 'idempotency_key_in_use' }),
        503,
        '',
      ],
      ['a Stripe error', respondWithStripeError(500, { type: 'api_error' }), 503, ''],
      ['a response that is not JSON', respondWithHtml, 503, ''],
      ['a closed connection', closeConnection, 503, ''],
    ];
    const check = async (override: ResponseOverride, status: number, detail: string): Promise<void> => {
      const { secretKey } = await insertOrganization(instance);
      stripe.defaultOverride = override;
      const response = await open(secretKey);
      const code = status === 501 ? 'billing_not_configured' : 'billing_unavailable';
      expect(response).toMatchObject({ status, body: { code, detail: expect.stringContaining(detail) } });
      expect(response.headers.get('retry-after')).toBe(status === 503 ? '5' : null);
      stripe.reset();
      expect((await open(secretKey)).status).toBe(200);
    };
    await checkCases(cases, check, 1);
  });

  it('LG-02: reports a returnUrl that Stripe rejects and logs the reason, without key or URL', async () => {
    const { secretKey } = await insertOrganization(instance);
    const { body } = await open(secretKey);
    stripe.overrideNext(
      respondWithStripeError(400, { code: 'url_invalid', param: 'return_url', message: `no ${RETURN_URL}` }),
    );
    expect(await open(secretKey)).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'returnUrl', code: 'not_allowed' }] },
    });
    stripe.overrideNext(respondWithStripeError(401, { message: `Invalid API Key provided: ${stripe.key}` }));
    expect((await open(secretKey)).status).toBe(501);
    const { output } = await eventually(
      'the log message',
      () => instance.api.output.includes('billing portal creation failed') && instance.api,
    );
    for (const secret of [
      stripe.key,
      stripe.key.slice(-8),
      body.url as string,
      'billing.stripe.com',
      RETURN_URL,
    ]) {
      expect(output).not.toContain(secret);
    }
  });

  it('returns 503 while Stripe is down, with and without a Stripe customer', async () => {
    const withCustomer = await insertOrganization(instance);
    const withoutCustomer = await insertOrganization(instance);
    await open(withCustomer.secretKey);
    await stripe.stop();
    for (const { secretKey } of [withCustomer, withoutCustomer]) {
      const response = await open(secretKey);
      expect(response).toMatchObject({ status: 503, body: { code: 'billing_unavailable' } });
      expect(response.headers.get('retry-after')).toBe('5');
    }
    await stripe.start();
    stripe.reset();
    expect((await open(withoutCustomer.secretKey)).status).toBe(200);
  });
});
