import { randomUUID } from 'node:crypto';
import { registerOne } from '../support/customers.js';
import { Receiver } from '../support/receiver.js';
import { eventually } from '../support/eventually.js';
import { TestInstance, PASSWORD, type Answer } from '../support/test-instance.js';
import { overtaken, type Statement } from '../support/overtaken.js';
import { insertKey, insertOrganization, insertProject } from '../support/tenants.js';
import { uniqueEmail } from '../support/unique-email.js';

let instance: TestInstance;
beforeAll(
  async () =>
    (instance = await TestInstance.shared({ workerEnv: { WEBHOOK_RETRY_SCHEDULE: '0s,1h,1h,1h,1h' } })),
);
afterAll(async () => instance?.stop());

const create = (body: Record<string, unknown>): Promise<Answer> =>
  instance.server('POST', '/api/v1/customers', body);
const login = (email: string): Promise<Answer> => instance.login(email);

describe('creating a customer', () => {
  it('answers the full customer, as GET does and as the event carries it', async () => {
    const email = uniqueEmail();
    const { status, body } = await create({
      email: email.toUpperCase(),
      firstName: 'Grace',
      externalId: `crm-${email}`,
      emailVerified: true,
      metadata: { plan: { tier: 2 }, toString: 'kept', hasOwnProperty: [1, null] },
      publicMetadata: { theme: 'dark' },
    });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(String),
      projectId: instance.credentials.projectId,
      externalId: `crm-${email}`,
      email,
      firstName: 'Grace',
      lastName: null,
      emailVerified: true,
      metadata: { plan: { tier: 2 }, toString: 'kept', hasOwnProperty: [1, null] },
      publicMetadata: { theme: 'dark' },
      disabledAt: null,
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: expect.stringMatching(/Z$/),
      lastLoginAt: null,
    });
    expect((await instance.server('GET', `/api/v1/customers/${body.id}`)).body).toEqual(body);
    expect((await instance.events(body.id)).map(({ type, data }) => [type, data])).toEqual([
      ['customer.created', { customer: body }],
    ]);
  });

  it('refuses a taken e-mail with its customer, and a taken externalId', async () => {
    const [email, externalId] = [uniqueEmail(), randomUUID()];
    const { body } = await create({ email, externalId });
    expect(await create({ email })).toMatchObject({
      status: 409,
      body: { code: 'email_already_registered', customerId: body.id },
    });
    expect(await create({ email: uniqueEmail(), externalId })).toMatchObject({
      status: 409,
      body: { code: 'external_id_taken' },
    });
  });

  it('refuses invalid and unknown fields', async () => {
    const wrong: [string, unknown][] = [
      ['metadata', 'text'],
      ['metadata', []],
      ['metadata', null],
      ['metadata', Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`k${index}`, 1]))],
      ['publicMetadata', { long: 'x'.repeat(8_200) }],
      ['externalId', ''],
      ['sendInvite', 'yes'],
      ['emailVerified', 1],
      ['projectId', 'mine'],
      ['role', 'admin'],
    ];
    for (const [field, value] of wrong) {
      const { status, body } = await create({ email: uniqueEmail(), [field]: value });
      expect([field, status, body.code]).toEqual([field, 400, 'validation_failed']);
      expect(body.errors).toMatchObject([{ field }]);
    }
  });

  it('reaches the projects of its organization with an organization key, and no other (AK-05)', async () => {
    const sibling = await insertProject(instance, instance.credentials.organizationId);
    const stranger = await insertOrganization(instance);
    const there = await create({ email: uniqueEmail(), projectId: sibling.projectId });
    expect(there).toMatchObject({ status: 201, body: { projectId: sibling.projectId } });
    for (const projectId of [stranger.projectId, randomUUID()]) {
      expect(await create({ email: uniqueEmail(), projectId })).toMatchObject({ status: 404 });
    }
    const small = { headers: { authorization: `Bearer ${instance.credentials.projectSecretKey}` } };
    const body = { email: uniqueEmail(), projectId: sibling.projectId };
    expect((await instance.request('POST', '/api/v1/customers', { ...small, body })).status).toBe(404);
  });
});

describe('one customer', () => {
  it('of another tenant is one that does not exist, on every route (AK-04)', async () => {
    const { body } = await create({ email: uniqueEmail() });
    const stranger = await insertOrganization(instance);
    const headers = { authorization: `Bearer ${stranger.secretKey}` };
    for (const [method, path] of [
      ['GET', ''],
      ['DELETE', ''],
      ['POST', '/disable'],
      ['POST', '/enable'],
      ['POST', '/unlock'],
    ] as const) {
      const answers = await Promise.all(
        [body.id, randomUUID(), 'nonsense'].map((id: string) =>
          instance.request(method, `/api/v1/customers/${id}${path}`, { headers }),
        ),
      );
      for (const answer of answers) {
        expect([method, path, answer.status]).toEqual([method, path, 404]);
        expect({ ...answer.body, requestId: '' }).toEqual({ ...answers[1]!.body, requestId: '' });
      }
    }
    expect((await instance.server('GET', `/api/v1/customers/${body.id}`)).body).toEqual(body);
  });

  it('needs the scope of each route (AK-06)', async () => {
    const { body } = await create({ email: uniqueEmail() });
    const needed: Record<string, string> = {
      'GET ': 'customer:read',
      'DELETE ': 'customer:delete',
      'POST /disable': 'customer:write',
      'POST /enable': 'customer:write',
      'POST /unlock': 'customer:write',
      'GET /sessions': 'session:read',
      'DELETE /sessions': 'session:revoke',
    };
    const all = [...new Set(Object.values(needed))];
    for (const [route, scope] of Object.entries(needed)) {
      const [method, path] = route.split(' ') as [string, string];
      const key = await insertKey(instance, {
        ...instance.credentials,
        type: 'secret',
        scopes: all.filter((other) => other !== scope),
      });
      const headers = { authorization: `Bearer ${key}` };
      expect(
        await instance.request(method, `/api/v1/customers/${body.id}${path}`, { headers }),
      ).toMatchObject({
        status: 403,
        body: { code: 'insufficient_scope', requiredScopes: [scope] },
      });
    }
  });
});

it('a route that takes no body refuses one that says something', async () => {
  const { body } = await create({ email: uniqueEmail() });
  const path = `/api/v1/customers/${body.id}/disable`;
  expect(await instance.server('POST', path, { reason: 'spam' })).toMatchObject({
    status: 400,
    body: { errors: [{ field: 'reason', code: 'unknown_field' }] },
  });
  expect((await instance.server('POST', path, {})).status).toBe(200);
});

it('names are trimmed, and nothing is left of an empty one', async () => {
  const { body } = await create({ email: uniqueEmail(), firstName: '  Ada ', lastName: '  ' });
  expect(body).toMatchObject({ firstName: 'Ada', lastName: null });
});

describe('disabling and enabling', () => {
  it('keeps a customer out, ends their sessions for good, and tells only who knows the password (TK-10)', async () => {
    const email = uniqueEmail();
    const { body } = await instance.register(email);
    const { id } = body.customer;
    const disabled = await instance.server('POST', `/api/v1/customers/${id}/disable`);
    expect(disabled.body.disabledAt).toMatch(/Z$/);
    expect(await login(email)).toMatchObject({ status: 403, body: { code: 'customer_disabled' } });
    const again = await instance.server('POST', `/api/v1/customers/${id}/disable`);
    expect(again.body).toEqual(disabled.body);
    const enabled = await instance.server('POST', `/api/v1/customers/${id}/enable`);
    expect(enabled.body.disabledAt).toBeNull();
    expect((await instance.customer(body.tokens.accessToken, 'GET', '/api/v1/me')).status).toBe(401);
    expect((await login(email)).status).toBe(200);
    const types = (await instance.events(id)).map(({ type }) => type as string);
    for (const type of ['customer.disabled', 'customer.enabled', 'session.revoked']) {
      expect(types.filter((each) => each === type)).toHaveLength(1);
    }
  });
});

it('links that a customer holds die when they are disabled, and stay dead', async () => {
  const email = uniqueEmail();
  const { body } = await instance.register(email);
  await instance.page('POST', '/api/v1/auth/forgot-password', { email });
  const token = await instance.token(email, 'reset-password');
  const reset = () =>
    instance.request('POST', '/api/v1/auth/reset-password', {
      body: { token, password: 'quite another phrase' },
    });
  await instance.server('POST', `/api/v1/customers/${body.customer.id}/disable`);
  expect(await reset()).toMatchObject({ status: 400, body: { code: 'invalid_token' } });
  await instance.server('POST', `/api/v1/customers/${body.customer.id}/enable`);
  expect(await reset()).toMatchObject({ status: 400, body: { code: 'invalid_token' } });
});

describe('deleting', () => {
  it('frees the address, leaves nothing behind, and tells ids only', async () => {
    const email = uniqueEmail();
    const { body } = await instance.register(email);
    const { id } = body.customer;
    expect(await instance.server('DELETE', `/api/v1/customers/${id}`)).toMatchObject({
      status: 204,
      body: '',
    });
    expect((await instance.server('GET', `/api/v1/customers/${id}`)).status).toBe(404);
    expect((await instance.server('DELETE', `/api/v1/customers/${id}`)).status).toBe(404);
    for (const table of ['sessions', 'one_time_tokens', 'mails', 'customer_addresses']) {
      expect(await instance.sql(`SELECT 1 FROM ${table} WHERE customer_id = $1`, [id])).toEqual([]);
    }
    const [event] = await instance.events(id, 'customer.deleted');
    expect(event!.data).toEqual({
      customer: { id, projectId: instance.credentials.projectId, externalId: null },
    });
    expect((await instance.register(email)).status).toBe(201);
  });

  it('by the customer needs the password', async () => {
    const email = uniqueEmail();
    const { body } = await instance.register(email);
    const remove = (currentPassword: string): Promise<Answer> =>
      instance.customer(body.tokens.accessToken, 'POST', '/api/v1/me/delete', { currentPassword });
    expect(await remove('wrong password')).toMatchObject({
      status: 401,
      body: { code: 'invalid_credentials' },
    });
    expect((await remove(PASSWORD)).status).toBe(204);
    expect((await instance.customer(body.tokens.accessToken, 'GET', '/api/v1/me')).status).toBe(401);
    expect((await login(email)).status).toBe(401);
  });

  it.each(['waiting', 'in flight'])(
    'calls back a delivery about the customer that is %s, but not the deletion itself',
    async (when) => {
      const receiver = await Receiver.start();
      let answerHeld: (() => void) | undefined;
      receiver.otherwise = (response) => {
        answerHeld = () => void (response.writableEnded || response.writeHead(500).end());
        if (when === 'waiting') answerHeld();
      };
      try {
        const endpoint = await instance.createEndpoint(receiver.url, ['customer.*']);
        const { body } = await create({ email: uniqueEmail() });
        const deliveries = () =>
          instance.sql(
            `SELECT d.event_type, d.state, d.lease_until IS NOT NULL AS leased FROM deliveries d
             WHERE d.endpoint_id = $1 ORDER BY d.id`,
            [endpoint.id.replace('ep_', '')],
          );
        await eventually('the first attempt', () => receiver.requests.length > 0);
        await eventually(
          'its standing',
          async () => (await deliveries())[0]!['leased'] === (when === 'in flight'),
        );
        await instance.server('DELETE', `/api/v1/customers/${body.id}`);
        if (when === 'in flight') answerHeld!();
        await eventually(
          'the end of the first',
          async () => (await deliveries())[0]!['state'] === 'cancelled',
        );
        expect(receiver.ofType('customer.created')).toHaveLength(1);
        await eventually('the deletion', () => receiver.ofType('customer.deleted').length > 0);
      } finally {
        answerHeld?.();
        await receiver.stop();
      }
    },
  );
});

describe('what is overtaken by another change of the customer', () => {
  const deleted = (id: string) => (sql: Statement) => sql('DELETE FROM customers WHERE id = $1', [id]);

  it.each(['disable', 'enable', 'unlock'])('%s of a customer deleted meanwhile is 404', async (action) => {
    const { body } = await create({ email: uniqueEmail() });
    const ask = () => instance.server('POST', `/api/v1/customers/${body.id}/${action}`);
    const answer = await overtaken(instance, deleted(body.id), ask);
    expect(answer).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });

  it.each([
    ['password', 'password_hash = password_hash || 0'],
    ['email', 'password_hash = password_hash || 0'],
    ['delete', 'password_hash = password_hash || 0'],
    ['delete', 'disabled_at = now()'],
  ])('/me/%s takes no password that proves nothing any more: %s', async (path, change) => {
    const { id, tokens } = await registerOne(instance);
    const bodies: Record<string, unknown> = {
      password: { currentPassword: PASSWORD, newPassword: 'quite another phrase' },
      email: { email: uniqueEmail(), password: PASSWORD },
      delete: { currentPassword: PASSWORD },
    };
    const answer = await overtaken(
      instance,
      (sql) => sql(`UPDATE customers SET ${change} WHERE id = $1`, [id]),
      () => instance.customer(tokens.accessToken, 'POST', `/api/v1/me/${path}`, bodies[path]),
    );
    expect(answer).toMatchObject({ status: 401, body: { code: 'invalid_credentials' } });
    expect((await instance.server('GET', `/api/v1/customers/${id}`)).status).toBe(200);
  });

  it('/me/delete takes no password of somebody else who has the address by now', async () => {
    const [caller, heir] = [await registerOne(instance), await registerOne(instance)];
    const answer = await overtaken(
      instance,
      async (sql) => {
        // The caller is known by then, and their password is asked for next.
        await sql('LOCK TABLE login_attempts IN ACCESS EXCLUSIVE MODE');
        await sql('UPDATE customers SET email = $2 WHERE id = $1', [caller.id, uniqueEmail()]);
        await sql('UPDATE customers SET email = $2 WHERE id = $1', [heir.id, caller.email]);
      },
      () =>
        instance.customer(caller.tokens.accessToken, 'POST', '/api/v1/me/delete', {
          currentPassword: PASSWORD,
        }),
    );
    expect(answer).toMatchObject({ status: 401, body: { errors: [{ field: 'currentPassword' }] } });
    for (const { id } of [caller, heir]) {
      expect((await instance.server('GET', `/api/v1/customers/${id}`)).status).toBe(200);
    }
  });

  it.each([
    ['forgot-password', 'deleted', 'DELETE FROM customers WHERE id = $1'],
    ['forgot-password', 'disabled', 'UPDATE customers SET disabled_at = now() WHERE id = $1'],
    ['forgot-password', 'moved', `UPDATE customers SET email = 'to.' || email WHERE id = $1`],
    ['resend-verification', 'deleted', 'DELETE FROM customers WHERE id = $1'],
    ['resend-verification', 'verified', 'UPDATE customers SET email_verified = true WHERE id = $1'],
  ])('%s of a customer %s meanwhile mails nothing, with the same answer', async (path, _, change) => {
    const email = uniqueEmail();
    const { body } = await create({ email });
    const ask = () => instance.page('POST', `/api/v1/auth/${path}`, { email });
    expect(await overtaken(instance, (sql) => sql(change, [body.id]), ask)).toMatchObject({
      status: 202,
      body: {},
    });
    expect(await instance.sql('SELECT 1 FROM mails WHERE recipient LIKE $1', [`%${email}`])).toEqual([]);
  });

  it('an invitation renewed for a customer deleted meanwhile is answered as if it was sent', async () => {
    const email = uniqueEmail();
    const { body } = await create({ email, sendInvite: true });
    const token = await instance.token(email, 'accept-invite');
    await instance.sql('UPDATE one_time_tokens SET expires_at = now() WHERE customer_id = $1', [body.id]);
    const form = new URLSearchParams({ token, renew: '1' });
    const ask = () => fetch(`${instance.baseUrl}/accept-invite`, { method: 'POST', body: form });
    const page = await overtaken(instance, deleted(body.id), ask);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain('Check your inbox');
  });
});

describe('PATCH /me', () => {
  it('changes the names that are sent, and tells what they were', async () => {
    const { body } = await instance.register(uniqueEmail(), { firstName: 'Ada', lastName: 'Byron' });
    const patch = (changes: unknown): Promise<Answer> =>
      instance.customer(body.tokens.accessToken, 'PATCH', '/api/v1/me', changes);
    expect((await patch({ lastName: 'Lovelace' })).body).toMatchObject({
      firstName: 'Ada',
      lastName: 'Lovelace',
    });
    expect((await patch({ firstName: null })).body).toMatchObject({ firstName: null, lastName: 'Lovelace' });
    expect((await patch({ lastName: 'Lovelace' })).status).toBe(200);
    expect((await patch({})).status).toBe(200);
    const events = await instance.events(body.customer.id, 'customer.updated');
    expect(events.map(({ data }) => data.previous)).toEqual([{ lastName: 'Byron' }, { firstName: 'Ada' }]);
  });

  it('knows no other field (IN-07)', async () => {
    const { tokens } = await registerOne(instance);
    for (const field of ['email', 'emailVerified', 'publicMetadata', 'id', 'password']) {
      const answer = await instance.customer(tokens.accessToken, 'PATCH', '/api/v1/me', { [field]: 'x' });
      expect(answer).toMatchObject({ status: 400, body: { errors: [{ field, code: 'unknown_field' }] } });
    }
  });
});
