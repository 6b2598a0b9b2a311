import { randomUUID } from 'node:crypto';
import { TestInstance, PASSWORD, type Answer } from '../support/test-instance.js';
import { patiently } from '../support/patiently.js';
import { insertKey, insertOrganization } from '../support/tenants.js';
import { uniqueEmail } from '../support/unique-email.js';

let instance: TestInstance;
beforeAll(async () => (instance = await TestInstance.shared({ workers: 0 })));
afterAll(async () => instance?.stop());

const create = async (body: Record<string, unknown> = {}): Promise<Record<string, any>> =>
  (await instance.server('POST', '/api/v1/customers', { email: uniqueEmail(), ...body })).body;
const patch = (id: string, body: unknown): Promise<Answer> =>
  instance.server('PATCH', `/api/v1/customers/${id}`, body);
const get = async (id: string): Promise<Record<string, any>> =>
  (await instance.server('GET', `/api/v1/customers/${id}`)).body;
const login = (email: string): Promise<Answer> =>
  instance.page('POST', '/api/v1/auth/login', { email, password: PASSWORD });

describe('PATCH /api/v1/customers/{id}', () => {
  it('changes what is sent, answers the customer, and tells what it was', async () => {
    const before = await create({ firstName: 'Ada', lastName: 'Byron', externalId: randomUUID() });
    const changes = { lastName: ' Lovelace ', externalId: null, emailVerified: true };
    const { status, body } = await patch(before['id'], changes);
    expect(status).toBe(200);
    expect(body).toEqual({
      ...before,
      lastName: 'Lovelace',
      externalId: null,
      emailVerified: true,
      updatedAt: expect.any(String),
    });
    expect(body.updatedAt > before['updatedAt']).toBe(true);
    expect(await get(before['id'])).toEqual(body);
    const events = await instance.events(before['id'], 'customer.updated');
    expect(events.map(({ data }) => data)).toEqual([
      {
        customer: body,
        previous: { lastName: 'Byron', externalId: before['externalId'], emailVerified: false },
      },
    ]);
  });

  it('merges metadata at every level; null removes', async () => {
    const metadata = { plan: { tier: 1, seats: 5 }, tags: ['a'], gone: true };
    const { id } = await create({ metadata, publicMetadata: { theme: 'dark' } });
    const { body } = await patch(id, {
      metadata: {
        plan: { tier: 2, seats: null, since: { year: 2026, month: null } },
        tags: ['b'],
        gone: null,
      },
      publicMetadata: null,
    });
    expect(body.metadata).toEqual({ plan: { tier: 2, since: { year: 2026 } }, tags: ['b'] });
    expect(body.publicMetadata).toEqual({});
    const [event] = await instance.events(id, 'customer.updated');
    expect(event!.data.previous).toEqual({ metadata, publicMetadata: { theme: 'dark' } });
  });

  it('what changes nothing leaves no event and no other updatedAt', async () => {
    const metadata = { a: { b: 1 } };
    const before = await create({ firstName: 'Ada', metadata });
    const same = { email: before['email'].toUpperCase(), emailVerified: false, firstName: 'Ada', metadata };
    for (const nothing of [{}, same, { metadata: { c: null } }, { lastName: null }]) {
      expect(await patch(before['id'], nothing)).toMatchObject({ status: 200, body: before });
    }
    expect(await instance.events(before['id'], 'customer.updated')).toEqual([]);
  });

  it('of many at the same time none loses what another sets', async () => {
    const { id } = await create();
    const keys = Array.from({ length: 20 }, (_, index) => `key${index}`);
    const answers = await Promise.all(
      keys.map((key) => patiently(() => patch(id, { metadata: { [key]: { set: true } } }))),
    );
    expect(answers.map(({ status }) => status)).toEqual(keys.map(() => 200));
    expect(Object.keys((await get(id))['metadata']).sort()).toEqual([...keys].sort());
    const events = await instance.events(id, 'customer.updated');
    const told = events.map(({ data }) => Object.keys(data.previous.metadata).length);
    expect(told.sort((a, b) => a - b)).toEqual(keys.map((_, index) => index));
  });

  it('refuses invalid and unknown fields, and changes nothing', async () => {
    const before = await create();
    const wrong: [string, unknown][] = [
      ['email', null],
      ['email', 'nobody'],
      ['emailVerified', null],
      ['emailVerified', 'yes'],
      ['externalId', ''],
      ['firstName', 'x'.repeat(101)],
      ['metadata', 'text'],
      ['metadata', [1]],
      ['publicMetadata', { long: 'x'.repeat(8_200) }],
      ['password', 'an unusual long phrase'],
      ['disabledAt', null],
      ['id', randomUUID()],
    ];
    for (const [field, value] of wrong) {
      const { status, body } = await patch(before['id'], { firstName: 'Other', [field]: value });
      expect([field, status, body.code]).toEqual([field, 400, 'validation_failed']);
      expect(body.errors).toMatchObject([{ field }]);
    }
    expect(await get(before['id'])).toEqual(before);
  });

  it('refuses metadata that have grown too large once they are merged', async () => {
    const some = (prefix: string) =>
      Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`${prefix}${index}`, 1]));
    const { id } = await create({ metadata: some('a') });
    expect(await patch(id, { metadata: some('b') })).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'metadata', code: 'invalid' }] },
    });
    const removed = Object.fromEntries(Object.keys(some('a')).map((key) => [key, null]));
    const { body } = await patch(id, { metadata: { ...removed, ...some('b') } });
    expect(body.metadata).toEqual(some('b'));
  });

  it('refuses an e-mail or externalId of another customer, and changes nothing', async () => {
    const [other, before] = [await create({ externalId: randomUUID() }), await create()];
    const { email, externalId } = other;
    expect(await patch(before['id'], { firstName: 'Other', email })).toMatchObject({
      status: 409,
      body: { code: 'email_already_registered', customerId: other['id'] },
    });
    expect(await patch(before['id'], { firstName: 'Other', externalId })).toMatchObject({
      status: 409,
      body: { code: 'external_id_taken' },
    });
    expect(await get(before['id'])).toEqual(before);
    expect(await instance.events(before['id'], 'customer.updated')).toEqual([]);
  });

  it("of another tenant's customer it is as of nobody (AK-04), and needs customer:write (AK-06)", async () => {
    const before = await create();
    const stranger = await insertOrganization(instance);
    const bad = await insertKey(instance, {
      ...instance.credentials,
      type: 'secret',
      scopes: ['customer:read'],
    });
    const path = `/api/v1/customers/${before['id']}`;
    const by = (key: string) =>
      instance.request('PATCH', path, {
        headers: { authorization: `Bearer ${key}` },
        body: { firstName: 'X' },
      });
    expect((await by(stranger.secretKey)).status).toBe(404);
    expect(await by(bad)).toMatchObject({ status: 403, body: { requiredScopes: ['customer:write'] } });
    expect(await get(before['id'])).toEqual(before);
  });
});

describe('an e-mail address that a server sets', () => {
  it('takes effect at once, unverified, without a mail, and is told', async () => {
    const [old, email] = [uniqueEmail(), uniqueEmail()];
    const { body } = await instance.register(old);
    const { id } = body.customer;
    await patch(id, { emailVerified: true });
    const { body: after } = await patch(id, { email: email.toUpperCase() });
    expect(after).toMatchObject({ email, emailVerified: false });
    expect((await login(old)).status).toBe(401);
    expect((await login(email)).status).toBe(200);
    expect((await instance.register(old)).status).toBe(201);
    const changed = await instance.events(id, 'email.changed');
    expect(changed.map(({ data }) => data)).toEqual([{ customer: after, previous: { email: old } }]);
    const updated = await instance.events(id, 'customer.updated');
    expect(updated.at(-1)!.data.previous).toEqual({ email: old, emailVerified: true });
    expect((await instance.server('GET', `/api/v1/mailbox?email=${email}`)).body.data).toEqual([]);
  });

  it('is verified when the server says so', async () => {
    const { id } = await create();
    const email = uniqueEmail();
    expect((await patch(id, { email, emailVerified: true })).body).toMatchObject({
      email,
      emailVerified: true,
    });
  });

  it('voids the links that were mailed to the one before', async () => {
    const old = uniqueEmail();
    const { body } = await instance.register(old);
    await instance.page('POST', '/api/v1/auth/forgot-password', { email: old });
    const verify = await instance.token(old, 'verify-email');
    const reset = await instance.token(old, 'reset-password');
    const asked = { email: uniqueEmail(), password: PASSWORD };
    await instance.customer(body.tokens.accessToken, 'POST', '/api/v1/me/email', asked);
    const confirm = await instance.token(asked.email, 'change-email-new');
    await patch(body.customer.id, { email: uniqueEmail() });
    for (const [path, given] of [
      ['verify-email', { token: verify }],
      ['reset-password', { token: reset, password: 'quite another phrase' }],
      ['confirm-email-change', { token: confirm }],
    ] as const) {
      expect(await instance.request('POST', `/api/v1/auth/${path}`, { body: given })).toMatchObject({
        status: 400,
        body: { code: 'invalid_token' },
      });
    }
  });
});
