import { randomUUID } from 'node:crypto';
import { completeChallenge, openChallenge, registerWithTotp } from '../support/customer-factors.js';
import { openSession, registerCustomer, withSettings } from '../support/customers.js';
import { receiveEmailCode, verifyEmailCode, wrongCode } from '../support/email-codes.js';
import { eventually } from '../support/eventually.js';
import { setFailedSignIns } from '../support/failed-sign-ins.js';
import { importLines, toNdjson } from '../support/ndjson.js';
import { insertOperator, type OperatorClient } from '../support/operator-client.js';
import { Receiver, respondWithStatus } from '../support/receiver.js';
import { listAll } from '../support/seed-instance.js';
import { TestInstance } from '../support/test-instance.js';
import { uniqueEmail } from '../support/unique-email.js';

let instance: TestInstance;
let operator: OperatorClient;
let viewer: OperatorClient;
beforeAll(async () => {
  instance = await TestInstance.startShared();
  operator = await insertOperator(instance, 'operator');
  viewer = await insertOperator(instance, 'viewer');
});
afterAll(async () => instance?.stop());

const FIREFOX = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:140.0) Gecko/20100101 Firefox/140.0';

type Entry = Record<string, any> & { id: string; source: string; kind: string; type: string };

const timelinePath = (id: string): string => `/customers/${id}/timeline`;
/** Returns the first page of a customer's timeline. */
async function listTimeline(id: string, query: Record<string, string> = {}): Promise<Entry[]> {
  const response = await viewer.request('GET', `${timelinePath(id)}?${new URLSearchParams(query)}`);
  if (response.status !== 200) throw new Error(`${response.status} ${JSON.stringify(response.body)}`);
  return response.body.data;
}
const listTypes = async (id: string, query: Record<string, string> = {}): Promise<string[]> =>
  (await listTimeline(id, query)).map(({ type }) => type).sort();
/** Waits for a customer's only failed sign-in. */
const findFailure = (id: string): Promise<Entry> =>
  eventually('the failed sign-in', async () =>
    (await listTimeline(id, { kinds: 'sign_in' })).find(({ type }) => type === 'login.failed'),
  );

describe('the timeline of a customer', () => {
  it('lists each change once, newest first, with actor, reason, email and webhook states', async () => {
    const receiver = await Receiver.start();
    receiver.defaultResponder = respondWithStatus(500);
    const { id: endpointId } = await instance.createEndpoint(receiver.url, ['customer.updated']);
    const { id, email } = await registerCustomer(instance);
    await instance.login(email, 'wrong password', { 'user-agent': FIREFOX });
    await findFailure(id);
    const { accessToken } = await openSession(instance, email, { 'user-agent': FIREFOX });
    await instance.requestWithAccessToken(accessToken, 'PATCH', '/api/v1/me', { firstName: 'Ada' });
    await operator.request('POST', `/customers/${id}/disable`);
    const webhook = await eventually('the first attempt', async () =>
      (await listTimeline(id, { kinds: 'webhook' })).find(
        ({ deliveries }) => deliveries[0].httpStatus === 500,
      ),
    );
    expect(webhook).toMatchObject({
      kind: 'webhook',
      type: 'customer.updated',
      details: { changed: ['firstName'] },
      deliveries: [
        {
          endpointId,
          endpointName: new URL(receiver.url).host,
          targetUrl: receiver.url,
          state: 'pending',
          attempts: 1,
          httpStatus: 500,
        },
      ],
    });
    await receiver.stop();

    const entries = await listTimeline(id);
    expect(entries.map(({ source, kind, type }) => `${source} ${kind} ${type}`).sort()).toEqual([
      'audit_entry account customer.disabled',
      'audit_entry account customer.updated',
      'event account customer.created',
      'event session session.revoked',
      'event session session.revoked',
      'event sign_in login.failed',
      'event sign_in login.succeeded',
      'event webhook customer.updated',
      'mail mail verify-email',
    ]);
    expect(entries.map((entry) => entry.id)).toEqual(
      entries
        .map((entry) => entry.id)
        .sort()
        .reverse(),
    );
    const find = (source: string, type: string) =>
      entries.find((entry) => entry.source === source && entry.type === type);
    expect(find('audit_entry', 'customer.disabled')).toMatchObject({
      actor: { type: 'operator', id: operator.operator.id, name: operator.operator.email },
      deliveries: [],
    });
    expect(find('audit_entry', 'customer.updated')).toMatchObject({
      actor: { type: 'customer', id, name: email },
      details: { changed: ['firstName'] },
    });
    expect(find('event', 'login.failed')).toMatchObject({
      details: { reason: 'wrong_password', methods: ['pwd'] },
      device: 'Firefox on macOS',
      ip: '127.0.0.1',
      actor: null,
    });
    expect(find('event', 'login.succeeded')).toMatchObject({
      details: { methods: ['pwd'], provider: null },
      device: 'Firefox on macOS',
      ip: '127.0.0.1',
    });
    expect(find('mail', 'verify-email')!['mail']).toMatchObject({ reason: null, response: null });
  });

  it('filters by kind and time, and neither loses nor repeats entries of the same millisecond', async () => {
    const { id } = await registerCustomer(instance);
    const { projectId } = instance.credentials;
    const [{ organizationId }] = (await instance.sql(
      'SELECT organization_id AS "organizationId" FROM projects WHERE id = $1',
      [projectId],
    )) as [{ organizationId: string }];
    const time = new Date(Date.now() - 3_600_000);
    const prefix = time
      .getTime()
      .toString(16)
      .padStart(12, '0')
      .replace(/^(.{8})/, '$1-');
    const sameTime = (): string => `${prefix}-7${randomUUID().slice(15)}`;
    const ids = Array.from({ length: 9 }, sameTime);
    await instance.sql(
      `INSERT INTO events (id, organization_id, project_id, customer_id, type, body, created_at)
       SELECT x, $2, $3, $4, 'login.succeeded', '{"data":{}}', $5 FROM unnest($1::uuid[]) x`,
      [ids.slice(0, 3), organizationId, projectId, id, time],
    );
    await instance.sql(
      `INSERT INTO audit_log (id, organization_id, project_id, actor_type, action, target_type, target_id, created_at)
       SELECT x, $2, $3, 'system', 'customer.updated', 'customer', $4, $5 FROM unnest($1::uuid[]) x`,
      [ids.slice(3, 6), organizationId, projectId, id, time],
    );
    await instance.sql(
      `INSERT INTO mails (id, project_id, customer_id, kind, recipient, state, finished_at, created_at)
       SELECT x, $2, $3, 'verify-email', 'ada@example.com', 'sent', $4, $4 FROM unnest($1::uuid[]) x`,
      [ids.slice(6), projectId, id, time],
    );
    const newest = await listTimeline(id, { createdAfter: time.toISOString() });
    expect(newest.map(({ type }) => type).sort()).toEqual(['customer.created', 'verify-email']);
    const expected = [...newest.map((entry) => entry.id), ...ids.sort().reverse()];
    for (const limit of ['1', '2', '4'])
      expect(await listAll(viewer, timelinePath(id), { limit })).toEqual(expected);
    expect(await listAll(viewer, timelinePath(id), { kinds: 'account', limit: '1' })).toHaveLength(4);
    const before = { createdBefore: new Date(time.getTime() + 1).toISOString() };
    expect(await listTypes(id, { ...before, kinds: 'mail,sign_in' })).toEqual([
      ...Array(3).fill('login.succeeded'),
      ...Array(3).fill('verify-email'),
    ]);
    expect(await listTypes(id, { createdBefore: time.toISOString() })).toEqual([]);
    const { nextCursor: cursor } = (await viewer.request('GET', `${timelinePath(id)}?limit=1`)).body;
    for (const [query, code] of [
      [{ kinds: 'sign_in,other' }, 'validation_failed'],
      [{ kinds: 'mail', cursor }, 'invalid_cursor'],
    ] as const) {
      const path = `${timelinePath(id)}?${new URLSearchParams(query)}`;
      expect((await viewer.request('GET', path)).body.code).toBe(code);
    }
  });

  it.each<[string, () => Promise<string>]>([
    [
      'no_password',
      async () => {
        const email = uniqueEmail();
        const { body } = await instance.requestWithSecretKey('POST', '/api/v1/customers', { email });
        expect((await instance.login(email)).status).toBe(401);
        return body.id;
      },
    ],
    [
      'locked',
      async () => {
        const { id, email } = await registerCustomer(instance);
        await setFailedSignIns(instance, email, { inWindow: 10 });
        await instance.sql('DELETE FROM customer_addresses WHERE customer_id = $1', [id]);
        expect((await instance.login(email)).status).toBe(429);
        return id;
      },
    ],
    [
      'customer_disabled',
      async () => {
        const { id, email } = await registerCustomer(instance);
        await operator.request('POST', `/customers/${id}/disable`);
        expect((await instance.login(email)).status).toBe(403);
        return id;
      },
    ],
    [
      'email_not_verified',
      async () => {
        const { id, email } = await registerCustomer(instance);
        await withSettings(instance, { enumerationProtection: true }, () => instance.login(email));
        return id;
      },
    ],
    [
      'wrong_second_factor',
      () =>
        withSettings(instance, { mfa: 'optional' }, async () => {
          const { id, email } = await registerWithTotp(instance);
          await completeChallenge(instance, await openChallenge(instance, email), '000000');
          return id;
        }),
    ],
    [
      'wrong_code',
      () =>
        withSettings(instance, { signIn: { emailCode: true } }, async () => {
          const { id, email } = await registerCustomer(instance);
          await verifyEmailCode(instance, wrongCode(await receiveEmailCode(instance, email)));
          return id;
        }),
    ],
  ])('includes a sign-in that failed because of %s', async (reason, fail) => {
    expect(await findFailure(await fail())).toMatchObject({ details: { reason } });
  });

  it('begins with the creation of an imported customer, and returns 404 after the deletion', async () => {
    const email = uniqueEmail();
    const created = { email, createdAt: '2020-02-03T04:05:06.000Z' };
    const { projectId } = instance.credentials;
    await importLines(instance, toNdjson([created]), { projectId, emitEvents: 'true' });
    const [customer] = await instance.sql<{ id: string }>('SELECT id FROM customers WHERE email = $1', [
      email,
    ]);
    const { id } = customer!;
    expect(await listTimeline(id)).toMatchObject([
      { source: 'customer', kind: 'account', type: 'customer.imported', createdAt: created.createdAt },
    ]);
    await instance.requestWithSecretKey('DELETE', `/api/v1/customers/${id}`);
    for (const missingId of [id, randomUUID()])
      expect((await viewer.request('GET', timelinePath(missingId))).status).toBe(404);
  });
});
