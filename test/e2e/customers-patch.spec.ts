import { randomUUID } from 'node:crypto';
import { checkCases } from '../support/check-cases.js';
import { emptyProfile, profile } from '../support/customer-fields.js';
import { registerCustomer, requestEmailChange, requestReset, submitToken } from '../support/customers.js';
import { TestInstance, type TestResponse } from '../support/test-instance.js';
import { retryWhileRejected } from '../support/retry-while-rejected.js';
import { uniqueEmail } from '../support/unique-email.js';

let instance: TestInstance;
beforeAll(async () => (instance = await TestInstance.startShared({ workers: 0 })));
afterAll(async () => instance?.stop());

const create = async (body: Record<string, unknown> = {}): Promise<Record<string, any>> =>
  (await instance.requestWithSecretKey('POST', '/api/v1/customers', { email: uniqueEmail(), ...body })).body;
const patch = (id: string, body: unknown): Promise<TestResponse> =>
  instance.requestWithSecretKey('PATCH', `/api/v1/customers/${id}`, body);
const get = async (id: string): Promise<Record<string, any>> =>
  (await instance.requestWithSecretKey('GET', `/api/v1/customers/${id}`)).body;
const listUpdates = async (id: string): Promise<any[]> =>
  (await instance.events(id, 'customer.updated')).map(({ data }) => data);

describe('PATCH /api/v1/customers/{id}', () => {
  it('changes the sent fields, returns the customer, and emits the previous values', async () => {
    const before = await create({ firstName: 'Ada', lastName: 'Byron', externalId: randomUUID() });
    const changes = { lastName: ' Lovelace ', externalId: null, emailVerified: true };
    const { status, body } = await patch(before['id'], changes);
    expect(status).toBe(200);
    expect(body).toEqual({ ...before, ...changes, lastName: 'Lovelace', updatedAt: expect.any(String) });
    expect(body.updatedAt > before['updatedAt']).toBe(true);
    expect(await get(before['id'])).toEqual(body);
    const previous = { lastName: 'Byron', externalId: before['externalId'], emailVerified: false };
    expect(await listUpdates(before['id'])).toEqual([{ customer: body, previous }]);
  });

  it('sets and unsets the fields that customers can change with PATCH /me', async () => {
    const { id, tokens } = await registerCustomer(instance);
    const patchMe = (changes: object) =>
      instance.requestWithAccessToken(tokens.accessToken, 'PATCH', '/api/v1/me', changes);
    for (const send of [(changes: object) => patch(id, changes), patchMe]) {
      expect(await send(profile)).toMatchObject({ status: 200, body: profile });
      expect(await send(emptyProfile)).toMatchObject({ status: 200, body: emptyProfile });
    }
    const previous = (await listUpdates(id)).map((update) => update.previous);
    expect(previous).toEqual([emptyProfile, profile, emptyProfile, profile]);
  });

  it('merges metadata at every level; null removes a key', async () => {
    const metadata = { plan: { tier: 1, seats: 5 }, tags: ['a'], gone: true };
    const { id } = await create({ metadata, publicMetadata: { theme: 'dark' } });
    const { body } = await patch(id, {
      metadata: { plan: { tier: 2, seats: null, since: { month: null } }, tags: ['b'], gone: null },
      publicMetadata: null,
    });
    expect(body.metadata).toEqual({ plan: { tier: 2, since: {} }, tags: ['b'] });
    expect(body.publicMetadata).toEqual({});
    expect((await listUpdates(id))[0].previous).toEqual({ metadata, publicMetadata: { theme: 'dark' } });
  });

  it('does not emit an event or change updatedAt if the values stay the same', async () => {
    const metadata = { a: { b: 1 } };
    const before = await create({ firstName: 'Ada', metadata });
    const same = { email: before['email'].toUpperCase(), emailVerified: false, firstName: 'Ada', metadata };
    for (const noChange of [{}, same, { metadata: { c: null } }, { lastName: null }])
      expect(await patch(before['id'], noChange)).toMatchObject({ status: 200, body: before });
    expect(await listUpdates(before['id'])).toEqual([]);
  });

  it('preserves every change of concurrent requests', async () => {
    const { id } = await create();
    const keys = Array.from({ length: 20 }, (_, index) => `key${index}`);
    const responses = await Promise.all(
      keys.map((key) => retryWhileRejected(() => patch(id, { metadata: { [key]: { set: true } } }))),
    );
    expect(responses.map(({ status }) => status)).toEqual(keys.map(() => 200));
    expect(Object.keys((await get(id))['metadata']).sort()).toEqual([...keys].sort());
    const sizes = (await listUpdates(id)).map(({ previous }) => Object.keys(previous.metadata).length);
    expect(sizes.sort((a, b) => a - b)).toEqual(keys.map((_, index) => index));
  });

  it('rejects invalid, unknown and taken values, and metadata that is too large after merging', async () => {
    const createMetadata = (prefix: string) =>
      Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`${prefix}${index}`, 1]));
    const other = await create({ externalId: randomUUID() });
    const before = await create({ metadata: createMetadata('a') });
    const invalid: [string, unknown][] = [
      ['email', null],
      ['emailVerified', null],
      ['emailVerified', 'yes'],
      ['externalId', ''],
      ['firstName', 'x'.repeat(101)],
      ['metadata', [1]],
      ['metadata', createMetadata('b')],
      ['publicMetadata', { long: 'x'.repeat(8_200) }],
      ['password', 'an unusual long phrase'],
      ['disabledAt', null],
      ['id', randomUUID()],
    ];
    const taken: [string, unknown, object][] = [
      ['email', other['email'], { code: 'email_already_registered', customerId: other['id'] }],
      ['externalId', other['externalId'], { code: 'external_id_taken' }],
    ];
    const cases: [string, unknown, number, object][] = [
      ...invalid.map(([field, value]): (typeof cases)[number] => {
        return [field, value, 400, { code: 'validation_failed', errors: [{ field }] }];
      }),
      ...taken.map(([field, value, expected]): (typeof cases)[number] => [field, value, 409, expected]),
    ];
    await checkCases(
      cases.map(([field, ...row]) => [`${field} ${JSON.stringify(row[0])}`, field, ...row] as const),
      async (field, value, status, body) => {
        const changes = { lastName: 'Other', [field]: value };
        expect(await patch(before['id'], changes)).toMatchObject({ status, body });
      },
    );
    expect(await get(before['id'])).toEqual(before);
    expect(await listUpdates(before['id'])).toEqual([]);

    const removed = Object.fromEntries(Object.keys(createMetadata('a')).map((key) => [key, null]));
    const { body } = await patch(before['id'], { metadata: { ...removed, ...createMetadata('b') } });
    expect(body.metadata).toEqual(createMetadata('b'));
  });
});

describe('an email address that a server sets', () => {
  it('takes effect immediately, without an email, and is unverified unless the server sets it', async () => {
    const email = uniqueEmail();
    const { id, email: old } = await registerCustomer(instance);
    await patch(id, { emailVerified: true });
    const { body: after } = await patch(id, { email: email.toUpperCase() });
    expect(after).toMatchObject({ email, emailVerified: false });
    expect((await instance.login(old)).status).toBe(401);
    expect((await instance.login(email)).status).toBe(200);
    expect((await instance.register(old)).status).toBe(201);
    const [changed] = await instance.events(id, 'email.changed');
    expect(changed!.data).toEqual({ customer: after, previous: { email: old } });
    expect((await listUpdates(id)).at(-1).previous).toEqual({ email: old, emailVerified: true });
    expect(await instance.listMailKinds(email)).toEqual([]);
    const verified = { email: uniqueEmail(), emailVerified: true };
    expect((await patch(id, verified)).body).toMatchObject(verified);
  });

  it('voids the links that were emailed to the previous address', async () => {
    const customer = await registerCustomer(instance);
    const verify = await instance.getMailToken(customer.email, 'verify-email');
    const reset = await requestReset(instance, customer.email);
    const { newToken } = await requestEmailChange(instance, customer);
    await patch(customer.id, { email: uniqueEmail() });
    for (const [route, token] of [
      ['verify-email', verify],
      ['reset-password', reset],
      ['confirm-email-change', newToken],
    ] as const)
      expect((await submitToken(instance, route, token)).body).toMatchObject({
        status: 400,
        code: 'invalid_token',
      });
  });
});
