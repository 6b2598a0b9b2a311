import { randomUUID } from 'node:crypto';
import { patiently } from '../support/patiently.js';
import { gibberish, hangUp, stripeError, StripeStandIn, type Whim } from '../support/stripe.js';
import { insertOrganization, insertProject } from '../support/tenants.js';
import { TestInstance, type Answer } from '../support/test-instance.js';

const PATH = '/api/v1/billing/portal';
const RETURN = 'https://app.example.com/billing';

const stripe = new StripeStandIn();
let instance: TestInstance;
beforeAll(async () => {
  await stripe.start();
  instance = await TestInstance.start({
    workers: 0,
    env: { RATE_LIMITS: 'off', STRIPE_SECRET_KEY: stripe.key, STRIPE_API_BASE: stripe.url },
  });
});
afterAll(async () => {
  await instance?.stop();
  await stripe.stop();
});
beforeEach(() => stripe.calm());

const bearer = (key: string): Record<string, string> => ({ authorization: `Bearer ${key}` });
const open = (where: TestInstance, key: string, body: unknown = { returnUrl: RETURN }): Promise<Answer> =>
  where.request('POST', PATH, { body, headers: bearer(key) });

/** An organization of its own, with a key. */
const newcomer = async (where: TestInstance): Promise<{ organizationId: string; key: string }> => {
  const { organizationId, secretKey } = await insertOrganization(where);
  return { organizationId, key: secretKey };
};

describe('whose billing portal a key opens (AK-04, AK-06)', () => {
  it('a stranger’s is like one that does not exist', async () => {
    const stranger = await newcomer(instance);
    const ask = (organizationId: unknown) =>
      instance.server('POST', PATH, { returnUrl: RETURN, organizationId });
    const [theirs, missing] = [await ask(stranger.organizationId), await ask(randomUUID())];
    expect(theirs.status).toBe(404);
    expect({ ...theirs.body, requestId: '' }).toEqual({ ...missing.body, requestId: '' });
    expect((await ask('x')).body).toMatchObject({ errors: [{ field: 'organizationId' }] });
    expect(stripe.requests).toEqual([]);
    expect(await instance.sql('SELECT 1 FROM billing_customers')).toEqual([]);
  });
});

describe('the billing portal with Stripe', () => {
  const portal = '/v1/billing_portal/sessions';

  it('creates a customer at the first time and knows it from then on', async () => {
    const { organizationId, key } = await newcomer(instance);
    const first = await open(instance, key);
    const second = await open(instance, key);
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(first.body.url).toMatch(/^https:\/\/billing\.stripe\.com\/p\/session\//);
    expect(second.body.url).not.toBe(first.body.url);
    expect(Date.parse(first.body.expiresAt as string)).toBeGreaterThan(
      Date.parse(first.headers.get('date')!),
    );
    expect(stripe.to('/v1/customers')).toHaveLength(1);
    const [created] = stripe.to('/v1/customers');
    expect(created!.form).toEqual({
      name: `org-${organizationId}`,
      'metadata[gatehouse_organization_id]': organizationId,
    });
    const [{ customer_id: customer }] = (await instance.sql(
      'SELECT customer_id FROM billing_customers WHERE organization_id = $1',
      [organizationId],
    )) as [{ customer_id: string }];
    expect(stripe.to(portal).map(({ form }) => form)).toEqual(
      Array.from({ length: 2 }, () => ({ customer, return_url: RETURN })),
    );
  });

  it('creates one customer for ten requests at the same time', async () => {
    const { organizationId, key } = await newcomer(instance);
    stripe.pause = 300;
    const answers = await Promise.all(Array.from({ length: 10 }, () => patiently(() => open(instance, key))));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const ours = [...stripe.customers].filter(([, customer]) => customer.organizationId === organizationId);
    expect(ours).toHaveLength(1);
    expect(new Set(stripe.to(portal).map(({ form }) => form['customer']))).toEqual(new Set([ours[0]![0]]));
  });

  it('creates another customer when that one was deleted, also for several at the same time', async () => {
    const { organizationId, key } = await newcomer(instance);
    await open(instance, key);
    const [first] = [...stripe.customers].find(([, customer]) => customer.organizationId === organizationId)!;
    stripe.customers.delete(first);
    const answers = await Promise.all(Array.from({ length: 5 }, () => patiently(() => open(instance, key))));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    const ours = [...stripe.customers].filter(([, customer]) => customer.organizationId === organizationId);
    expect(ours).toHaveLength(1);
    stripe.calm();
    expect((await open(instance, key)).status).toBe(200);
    expect(stripe.requests.map(({ path }) => path)).toEqual([portal]);
  });

  it('gives up when a new customer is gone at once as well', async () => {
    const { key } = await newcomer(instance);
    stripe.next(
      ...Array.from({ length: 8 }, () => stripeError(400, { code: 'resource_missing', param: 'customer' })),
    );
    expect((await open(instance, key)).status).toBe(501);
    expect(stripe.requests.length).toBeLessThan(8);
  });

  it('keeps a customer that was created though the portal did not open', async () => {
    const { key } = await newcomer(instance);
    await open(instance, key);
    stripe.calm();
    stripe.always = stripeError(500);
    const headers = { ...bearer(key), 'idempotency-key': randomUUID() };
    const body = { returnUrl: RETURN };
    const failed = await instance.request('POST', PATH, { body, headers });
    expect(failed.body.code).toBe('billing_unavailable');
    stripe.calm();
    expect((await instance.request('POST', PATH, { body, headers })).status).toBe(200);
    expect(stripe.requests.map(({ path }) => path)).toEqual([portal]);
  });

  it('is not stuck with an error that stays with its idempotency key', async () => {
    const { key } = await newcomer(instance);
    stripe.isBroken = true;
    expect((await open(instance, key)).status).toBe(503);
    stripe.isBroken = false;
    expect((await open(instance, key)).status).toBe(200);
  });

  it('finds the customer again whose creation was answered, but not heard', async () => {
    const { organizationId, key } = await newcomer(instance);
    stripe.lost = 10;
    expect((await open(instance, key)).status).toBe(503);
    stripe.calm();
    expect((await open(instance, key)).status).toBe(200);
    const ours = [...stripe.customers].filter(([, customer]) => customer.organizationId === organizationId);
    expect(ours).toHaveLength(1);
  });

  it('a new name in between costs one try, because it is another request with the same key', async () => {
    const { organizationId, key } = await newcomer(instance);
    stripe.lost = 10;
    await open(instance, key);
    stripe.calm();
    await instance.sql(`UPDATE organizations SET name = 'renamed' WHERE id = $1`, [organizationId]);
    expect([(await open(instance, key)).status, (await open(instance, key)).status]).toEqual([503, 200]);
  });

  it('answers with an error of its own when Stripe refuses or breaks, and opens when that is over', async () => {
    const cases: [name: string, whim: Whim, status: number, detail: string][] = [
      ['a wrong key', stripeError(401, { message: 'Invalid API Key provided' }), 501, 'STRIPE_SECRET_KEY'],
      ['a key that may not', stripeError(403), 501, 'STRIPE_SECRET_KEY'],
      ['a portal without settings', stripeError(400, { message: 'No configuration' }), 501, 'dashboard'],
      ['another server', stripeError(404), 501, 'STRIPE_API_BASE'],
      ['a card error', stripeError(402, { type: 'card_error' }), 503, ''],
      ['too many requests', stripeError(429, { code: 'rate_limit' }), 503, ''],
      ['another request with the key', stripeError(409, { code: 'idempotency_key_in_use' }), 503, ''],
      ['a fault of Stripe', stripeError(500, { type: 'api_error' }), 503, ''],
      ['no JSON', gibberish, 503, ''],
      ['a connection that breaks', hangUp, 503, ''],
    ];
    for (const [name, whim, status, detail] of cases) {
      const { key } = await newcomer(instance);
      stripe.always = whim;
      const answer = await open(instance, key);
      const code = status === 501 ? 'billing_not_configured' : 'billing_unavailable';
      expect([name, answer]).toMatchObject([name, { status, body: { code } }]);
      expect(answer.headers.get('retry-after')).toBe(status === 503 ? '5' : null);
      expect(answer.body.detail).toContain(detail);
      stripe.calm();
      expect([name, (await open(instance, key)).status]).toEqual([name, 200]);
    }
  });

  it('a returnUrl that Stripe does not like is a fault of the input', async () => {
    const { key } = await newcomer(instance);
    await open(instance, key);
    stripe.next(stripeError(400, { code: 'url_invalid', param: 'return_url', message: `no ${RETURN}` }));
    expect(await open(instance, key)).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'returnUrl', code: 'not_allowed' }] },
    });
  });

  it('returns 503 while Stripe is down, with and without a customer', async () => {
    const [known, unknown] = [await newcomer(instance), await newcomer(instance)];
    await open(instance, known.key);
    await stripe.stop();
    for (const { key } of [known, unknown]) {
      const answer = await open(instance, key);
      expect(answer).toMatchObject({ status: 503, body: { code: 'billing_unavailable' } });
      expect(answer.headers.get('retry-after')).toBe('5');
    }
    await stripe.start();
    stripe.calm();
    expect((await open(instance, unknown.key)).status).toBe(200);
  });

  it('LG-02: neither key nor URL is ever logged, only why it failed', async () => {
    const { key } = await newcomer(instance);
    const { body } = await open(instance, key);
    const { output } = instance.api;
    expect(output).toContain('no billing portal');
    for (const secret of [
      stripe.key,
      stripe.key.slice(-8),
      body.url as string,
      'billing.stripe.com',
      RETURN,
    ]) {
      expect(output).not.toContain(secret);
    }
  });
});

it('projects of one organization share its customer at Stripe', async () => {
  const { organizationId, key } = await newcomer(instance);
  const sibling = await insertProject(instance, organizationId);
  await open(instance, key);
  await open(instance, sibling.secretKey);
  expect(stripe.to('/v1/customers')).toHaveLength(1);
});

describe('the billing portal without Stripe', () => {
  it('in production is no page but 501, and leads to no http', async () => {
    const env = {
      NODE_ENV: 'production',
      PUBLIC_URL: 'https://auth.example.com',
      SMTP_URL: 'smtp://127.0.0.1:9',
      MAIL_FROM: 'no-reply@example.com',
      BCRYPT_COST: '10',
      RATE_LIMITS: 'on',
      STRIPE_SECRET_KEY: '',
      STRIPE_API_BASE: 'https://api.stripe.com',
    };
    await instance.api.end();
    instance.startApi(env);
    await instance.ready();
    const refused = await open(instance, instance.credentials.secretKey);
    const http = await open(instance, instance.credentials.secretKey, {
      returnUrl: 'http://localhost:5173/billing',
    });
    await instance.api.end();
    instance.startApi();
    await instance.ready();
    expect(refused).toMatchObject({ status: 501, body: { code: 'billing_not_configured' } });
    expect(refused.body.detail).toContain('STRIPE_SECRET_KEY');
    expect(http).toMatchObject({ status: 400, body: { errors: [{ field: 'returnUrl' }] } });
  });
});
