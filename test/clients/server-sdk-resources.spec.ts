import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer, type ExportedCustomer, type Gatehouse, type Pages } from '@gatehouse/server';
import { enrollTotp } from '../support/customer-factors.js';
import { registerCustomer, withSettings } from '../support/customers.js';
import { eventually } from '../support/eventually.js';
import { insertIdentity } from '../support/identity-providers/insert-provider.js';
import { newProvider } from '../support/identity-providers/provider-requests.js';
import { Receiver, respondWithStatus } from '../support/receiver.js';
import { TestInstance, PASSWORD } from '../support/test-instance.js';
import { uniqueEmail } from '../support/unique-email.js';
import { waitForFeed } from '../support/wait-for-feed.js';

let instance: TestInstance;
let gatehouse: Gatehouse;
beforeAll(async () => {
  instance = await TestInstance.startShared({ workerEnv: { WEBHOOK_RETRY_SCHEDULE: '0s,0s,0s,0s,0s' } });
  const { projectId, secretKey } = instance.credentials;
  gatehouse = createServer({ url: instance.baseUrl, projectId, secretKey });
});
afterAll(async () => instance?.stop());

const collect = async <Item>(pages: Pages<Item>): Promise<Item[]> => {
  const items: Item[] = [];
  for await (const item of pages) items.push(item);
  return items;
};
const ids = async (pages: Pages<{ id: string }>): Promise<string[]> =>
  (await collect(pages)).map(({ id }) => id);

describe('the customers resource', () => {
  it('creates, changes, disables, enables, exports and deletes customers', async () => {
    const { customers } = gatehouse;
    const email = uniqueEmail();
    const { id } = await customers.create({ email, password: PASSWORD, publicMetadata: { plan: 'free' } });
    expect(await customers.get(id)).toMatchObject({ email, publicMetadata: { plan: 'free' } });
    expect(await customers.update(id, { firstName: 'Ada' })).toMatchObject({ firstName: 'Ada' });
    expect((await customers.disable(id)).disabledAt).toEqual(expect.any(String));
    expect((await customers.enable(id)).disabledAt).toBeNull();
    expect((await customers.unlock(id)).id).toBe(id);
    expect((await customers.requireReauthentication(id)).id).toBe(id);
    expect(await customers.export(id)).toMatchObject({ customer: { id } });
    expect(await customers.delete(id)).toBeUndefined();
    await expect(customers.get(id)).rejects.toMatchObject({
      name: 'GatehouseError',
      code: 'not_found',
      status: 404,
      requestId: expect.any(String),
    });
    await expect(customers.create({ email: 'invalid' })).rejects.toMatchObject({
      code: 'validation_failed',
      fields: [{ field: 'email' }],
    });
  });

  it('lists customers across all pages, or one page at a time', async () => {
    const externalIds = ['a', 'b', 'c'].map((name) => `${name}-${uniqueEmail()}`);
    const createdAfter = new Date().toISOString();
    for (const externalId of externalIds)
      await gatehouse.customers.create({ email: uniqueEmail(), externalId });
    const query = { createdAfter, limit: 2 };
    const all = await collect(gatehouse.customers.list(query));
    expect(all.map(({ externalId }) => externalId)).toEqual(externalIds.toReversed());
    const page = await gatehouse.customers.list(query).page();
    expect(page).toMatchObject({ data: [{ id: all[0]!.id }, { id: all[1]!.id }], hasMore: true });
    const next = await gatehouse.customers.list({ ...query, cursor: page.nextCursor! }).page();
    expect(next).toMatchObject({ data: [{ id: all[2]!.id }], hasMore: false, nextCursor: null });
  });

  it('invites customers, and lists their emails', async () => {
    const email = uniqueEmail();
    const { id } = await gatehouse.customers.create({ email, sendInvite: true });
    await gatehouse.customers.invite(id);
    const kinds = (await collect(gatehouse.mails.list({ customerId: id }))).map(({ kind }) => kind);
    expect(kinds).toContain('accept-invite');
  });

  it('imports customers as JSON or as NDJSON', async () => {
    const newCustomer = () => ({ email: uniqueEmail() });
    const results = await gatehouse.customers.import({ customers: [newCustomer()] });
    expect(results).toMatchObject({ created: 1 });
    const lines = [newCustomer(), newCustomer()].map((customer) => `${JSON.stringify(customer)}\n`);
    const importId = randomUUID();
    await gatehouse.customers.import(lines.join(''), { query: { importId, emitEvents: false } });
    expect(await gatehouse.imports.get(importId)).toMatchObject({ id: importId, created: 2 });
  });

  it('removes sessions, factors and identities', async () => {
    const { factors, identities, sessions } = gatehouse.customers;
    const customer = await registerCustomer(instance);
    const { id } = customer;
    await withSettings(instance, { mfa: 'optional' }, () => enrollTotp(instance, customer));
    const { totp } = await factors.list(id);
    await factors.remove(id, totp[0]!.id, { reason: 'lost' });
    expect(await factors.list(id)).toMatchObject({ totp: [] });

    const identityId = await insertIdentity(instance, id);
    expect(await ids(identities.list(id))).toEqual([identityId]);
    await identities.remove(id, identityId, { reason: 'another person' });
    expect(await ids(identities.list(id))).toEqual([]);

    for (let count = 0; count < 3; count += 1) await instance.login(customer.email);
    const [newest, ...others] = await ids(sessions.list(id, { limit: 2 }));
    expect(others).toHaveLength(2);
    await sessions.revoke(id, newest!);
    expect(await ids(sessions.list(id))).toEqual(others);
    await sessions.revokeAll(id);
    expect(await ids(sessions.list(id))).toEqual([]);
  });
});

it('the export contains the customers of a project', async () => {
  const project = await gatehouse.projects.create({ name: 'Export' });
  const emails = [uniqueEmail(), uniqueEmail()];
  for (const email of emails)
    await gatehouse.customers.create({ projectId: project.id, email, password: PASSWORD });
  const lines: ExportedCustomer[] = [];
  for await (const line of gatehouse.projects.exportCustomers(project.id, { hashes: true })) lines.push(line);
  expect(lines).toMatchObject(
    emails.map((email) => ({ email, passwordHash: expect.any(String), totpSecret: null })),
  );
  const missing = gatehouse.projects.exportCustomers(randomUUID()).next();
  await expect(missing).rejects.toMatchObject({ code: 'not_found' });
});

describe('the organizations resource', () => {
  it('manages projects, and protects them against concurrent changes with the ETag', async () => {
    const { organizations, projects } = gatehouse;
    const [organization] = await collect(organizations.list());
    expect(await organizations.get(organization!.id)).toEqual(organization);
    const project = await projects.create({ name: 'Shop' });
    expect(await ids(projects.list())).toContain(project.id);
    const [first, second] = [await projects.get(project.id), await projects.get(project.id)];
    const changed = await projects.update(project.id, { name: 'Store' }, { ifMatch: first });
    await expect(projects.update(project.id, { name: 'Late' }, { ifMatch: second })).rejects.toMatchObject({
      code: 'precondition_failed',
      status: 412,
    });
    await projects.update(project.id, { name: 'Market' }, { ifMatch: changed });
    expect(await projects.archive(project.id)).toMatchObject({
      name: 'Market',
      archivedAt: expect.any(String),
    });
  });

  it('manages API keys and identity providers, and reads the audit log', async () => {
    const { apiKeys, auditLog, identityProviders } = gatehouse;
    const { projectId } = instance.credentials;
    const key = await apiKeys.create(projectId, { name: 'Orders', scopes: ['customer:read'] });
    const rotated = await apiKeys.rotate(projectId, key.id, { overlapSeconds: 60 });
    expect(rotated).toMatchObject({ rotatedFrom: key.id, key: expect.stringMatching(/^sk_/) });
    await apiKeys.revoke(projectId, rotated.id);
    expect((await apiKeys.get(projectId, rotated.id)).revokedAt).toEqual(expect.any(String));
    expect(await ids(apiKeys.list(projectId, { limit: 1 }))).toEqual(
      expect.arrayContaining([key.id, rotated.id]),
    );

    const { id } = await identityProviders.create(projectId, newProvider() as never);
    const provider = await identityProviders.get(projectId, id);
    await identityProviders.update(projectId, provider.id, { enabled: false }, { ifMatch: provider });
    expect(await identityProviders.get(projectId, provider.id)).toMatchObject({ enabled: false });
    await identityProviders.delete(projectId, provider.id);
    expect(await ids(identityProviders.list(projectId))).not.toContain(provider.id);

    const entries = await collect(auditLog.list({ targetId: key.id }));
    expect(entries).toContainEqual(expect.objectContaining({ targetId: key.id }));
  });
});

describe('the webhook endpoints resource', () => {
  let receiver: Receiver;
  beforeAll(async () => (receiver = await Receiver.start()));
  afterAll(async () => receiver?.stop());

  it('creates, changes, tests and deletes endpoints', async () => {
    const { webhookEndpoints } = gatehouse;
    const { id, secret } = await webhookEndpoints.create({ url: receiver.url, events: ['customer.created'] });
    expect(secret).toMatch(/^whsec_/);
    const endpoint = await webhookEndpoints.get(id);
    const changed = await webhookEndpoints.update(id, { description: 'Shop' }, { ifMatch: endpoint });
    expect(changed.description).toBe('Shop');
    expect((await webhookEndpoints.disable(id)).status).toBe('disabled');
    expect((await webhookEndpoints.enable(id)).status).toBe('enabled');
    expect((await webhookEndpoints.rotateSecret(id)).secret).not.toBe(secret);
    expect(await webhookEndpoints.sendTest(id)).toMatchObject({ event: 'webhook.test', endpoint_id: id });
    expect(await webhookEndpoints.getStats(id, { window: '24h' })).toBeTruthy();
    expect(await ids(webhookEndpoints.list({ limit: 1 }))).toContain(id);
    await webhookEndpoints.delete(id);
    await expect(webhookEndpoints.get(id)).rejects.toMatchObject({ code: 'not_found' });
    expect((await collect(gatehouse.eventTypes.list())).map(({ type }) => type)).toContain(
      'customer.created',
    );
  });

  it('reads deliveries and dead letters, and redelivers them', async () => {
    const { deadLetters, deliveries, redeliveries, webhookEndpoints } = gatehouse;
    const { id: endpointId } = await webhookEndpoints.create({ url: receiver.url, events: ['app.*'] });
    receiver.defaultResponder = respondWithStatus(500);
    const send = async (): Promise<string> =>
      (await gatehouse.events.create({ type: 'app.test', data: {} })).id;
    const eventIds = [await send(), await send()];
    const filter = { endpoint_id: endpointId };
    const dead = await eventually('two dead letters', async () => {
      const list = await collect(deadLetters.list({ ...filter, limit: 1 }));
      return list.length === 2 && list;
    });
    expect(dead.map(({ event_id: eventId }) => eventId).sort()).toEqual(eventIds.toSorted());
    expect(await collect(deliveries.listAttempts({ ...filter, success: false, limit: 4 }))).toHaveLength(10);
    const [first, second] = dead.map(({ id }) => id) as [string, string];
    receiver.defaultResponder = respondWithStatus(200);
    expect(await deliveries.discard(first, { reason: 'test' })).toMatchObject({ resolution: 'discarded' });
    const redelivered = await deliveries.redeliver(second, { reason: 'repaired' });
    expect(redelivered).toMatchObject({ redelivery_of: second });
    await eventually(
      'the redelivery',
      async () => (await deliveries.get(redelivered.id)).state === 'succeeded',
    );
    const planned = await redeliveries.plan({ filter });
    expect(await redeliveries.cancel(planned.id)).toMatchObject({ id: planned.id });
    expect((await redeliveries.get(planned.id)).state).toBe('cancelled');
    expect(await ids(redeliveries.list())).toContain(planned.id);
  });
});

describe('the events resource', () => {
  it('creates a list of events, reads all pages, and follows the feed from a cursor', async () => {
    const { events } = gatehouse;
    const created = await events.create(
      ['a', 'b', 'c'].map((name) => ({ type: 'app.page', data: { name } })),
    );
    await waitForFeed(instance);
    const query = { types: 'app.page', limit: 2 };
    expect(await ids(events.list(query))).toEqual(created.map(({ id }) => id));
    expect(await events.get(created[1]!.id)).toMatchObject({ data: { name: 'b' } });

    const { nextCursor } = await events.list({ ...query, limit: 3 }).page();
    const controller = new AbortController();
    const later: string[] = [];
    const feed = events.iterate(
      { ...query, cursor: nextCursor! },
      { interval: 0.02, signal: controller.signal },
    );
    await events.create({ type: 'app.page', data: { name: 'd' } });
    for await (const page of feed) {
      later.push(...page.data.map(({ data }) => data['name'] as string));
      if (later.length === 1) await events.create({ type: 'app.page', data: { name: 'e' } });
      if (later.length === 2) controller.abort();
    }
    expect(later).toEqual(['d', 'e']);
  });
});

describe('request', () => {
  it('sends any documented request', async () => {
    const { id } = await registerCustomer(instance);
    const path = '/api/v1/customers/{customerId}';
    const customer = await gatehouse.request('PATCH', path, {
      params: { customerId: id },
      body: { lastName: 'Byron' },
    });
    expect(customer.lastName).toBe('Byron');
    expect((await gatehouse.request('GET', '/livez')).status).toBe('ok');
  });

  it('repeats a POST with the same key after a lost response, so that it takes effect once', async () => {
    const received: unknown[] = [];
    // Forwards each request. Closes the connection of the first request instead of responding.
    const forward = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      const body = Buffer.concat((await request.toArray()) as Buffer[]);
      const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers;
      received.push(headers['idempotency-key']);
      const init = { method: request.method!, headers: headers as Record<string, string>, body };
      const forwarded = await fetch(`${instance.baseUrl}${request.url}`, init);
      const text = await forwarded.text();
      if (received.length === 1) return void request.socket.destroy();
      const contentType = forwarded.headers.get('content-type')!;
      response.writeHead(forwarded.status, { 'content-type': contentType }).end(text);
    };
    const proxy = createHttpServer((request, response) => void forward(request, response)).listen(
      0,
      '127.0.0.1',
    );
    await once(proxy, 'listening');
    try {
      const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
      const { projectId, projectSecretKey: secretKey } = instance.credentials;
      const email = uniqueEmail();
      const customer = await createServer({ url, projectId, secretKey }).customers.create({ email });
      expect(customer.email).toBe(email);
      expect(received).toEqual([expect.any(String), received[0]]);
    } finally {
      proxy.close();
    }
  });
});

describe('vouchFor', () => {
  it('passes the IP address and device of the customer to the session', async () => {
    const { email, id } = await registerCustomer(instance);
    const { projectId, projectSecretKey: secretKey, publishableKey } = instance.credentials;
    const server = createServer({ url: instance.baseUrl, projectId, secretKey });
    const userAgent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
    const response = await fetch(`${instance.baseUrl}/api/v1/auth/login`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...server.vouchFor('203.0.113.7', { publishableKey, userAgent }),
      },
      body: JSON.stringify({ email, password: PASSWORD }),
    });
    expect(response.status).toBe(200);
    const { data } = await server.customers.sessions.list(id).page();
    expect(data[0]).toMatchObject({ ip: '203.0.113.7', device: 'Firefox on Linux' });
  });
});
