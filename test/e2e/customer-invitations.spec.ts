import { randomUUID } from 'node:crypto';
import { inviteCustomer, registerCustomer, submitToken } from '../support/customers.js';
import { insertOrganization } from '../support/tenants.js';
import { TestInstance, bearerHeader, PASSWORD, type TestResponse } from '../support/test-instance.js';
import { uniqueEmail } from '../support/unique-email.js';

let instance: TestInstance;
beforeAll(async () => (instance = await TestInstance.startShared({ workers: 0 })));
afterAll(async () => instance?.stop());

describe('POST /api/v1/customers/{id}/invite', () => {
  const send = (id: string, headers: Record<string, string> = {}): Promise<TestResponse> =>
    instance.request('POST', `/api/v1/customers/${id}/invite`, {
      headers: { ...bearerHeader(instance.credentials.secretKey), ...headers },
    });

  it('sends the invitation again and voids the older link', async () => {
    const { id, email, token } = await inviteCustomer(instance);
    expect(await send(id)).toMatchObject({ status: 202, body: {} });
    const newer = await instance.getMailToken(email, 'accept-invite');
    expect(newer).not.toBe(token);
    expect(await submitToken(instance, 'reset-password', token)).toMatchObject({
      status: 400,
      body: { code: 'invalid_token' },
    });
    expect((await submitToken(instance, 'reset-password', newer)).status).toBe(204);
  });

  it('sends one email for one Idempotency-Key', async () => {
    const { id, email } = await inviteCustomer(instance);
    const key = { 'idempotency-key': randomUUID() };
    expect(await send(id, key)).toMatchObject({ status: 202, body: {} });
    const replayed = await send(id, key);
    expect(replayed).toMatchObject({ status: 202, body: {} });
    expect(replayed.headers.get('idempotent-replayed')).toBe('true');
    expect(await instance.listMailKinds(email)).toEqual(['accept-invite', 'accept-invite']);
  });

  it('is rejected for customers with a password, who are disabled, or who do not exist, and after five emails', async () => {
    const registered = await registerCustomer(instance);
    expect(await send(registered.id)).toMatchObject({
      status: 409,
      body: {
        code: 'conflict',
        detail: 'The customer already has a password. Send a password reset email instead.',
      },
    });
    const { id, token } = await inviteCustomer(instance);
    await submitToken(instance, 'reset-password', token, PASSWORD);
    expect(await send(id)).toMatchObject({ status: 409, body: { code: 'conflict' } });
    const disabled = await inviteCustomer(instance);
    await instance.requestWithSecretKey('POST', `/api/v1/customers/${disabled.id}/disable`);
    expect(await send(disabled.id)).toMatchObject({ status: 409, body: { code: 'conflict' } });
    expect(await send(randomUUID())).toMatchObject({ status: 404 });
    const { secretKey } = await insertOrganization(instance);
    const foreign = await instance.requestWithBearer(secretKey, 'POST', '/api/v1/customers', {
      email: uniqueEmail(),
    });
    expect(await send(foreign.body.id)).toMatchObject({ status: 404 });

    const guest = await inviteCustomer(instance);
    const statuses = [];
    for (let count = 0; count < 5; count += 1) statuses.push((await send(guest.id)).status);
    expect(statuses).toEqual([202, 202, 202, 202, 429]);
    const limited = await send(guest.id);
    expect(limited.headers.get('ratelimit-policy')).toBe('"mail-recipient";q=5;w=3600');
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);
  });
});
