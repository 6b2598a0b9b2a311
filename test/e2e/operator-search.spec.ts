import { randomUUID } from 'node:crypto';
import { TestInstance } from '../support/test-instance.js';
import { getCount, seedInstance, listAll, type SeededInstance } from '../support/seed-instance.js';
import { inviteOperator, signIn, type OperatorClient } from '../support/operator-client.js';
import { seedDeliveries } from '../support/seed-deliveries.js';

let instance: TestInstance;
let admin: OperatorClient;
let viewer: OperatorClient;
let seeded: SeededInstance;
beforeAll(async () => {
  instance = await TestInstance.startShared({ workers: 0 });
  seeded = await seedInstance(instance, 800);
  admin = await signIn(instance);
  viewer = await inviteOperator(admin, 'viewer');
});
afterAll(async () => instance?.stop());

const queryIds = async (sql: string, values: unknown[] = []): Promise<string[]> =>
  (await instance.sql<{ id: string }>(sql, values)).map(({ id }) => id);
const get = (path: string) => viewer.request('GET', path);

describe('the event list for operators', () => {
  it('filters and counts by project, type, customer, address and time, newest first', async () => {
    const [first, second] = seeded.projects;
    const day = (age: number) => new Date(Date.now() - age * 86_400_000).toISOString();
    const span = { created_after: day(3), created_before: day(2) };
    const [ada, other, grace] = seeded.customers.map(({ id }) => id);
    const created = { types: 'customer.created' };
    const filters: [query: Record<string, string>, condition: string, values: unknown[]][] = [
      [{}, 'true', []],
      [{ project_id: second }, 'project_id = $1', [second]],
      [{ types: 'customer.deleted' }, `type = 'customer.deleted'`, []],
      [{ types: 'session.*' }, `type = 'session.created'`, []],
      [{ customer_id: grace! }, 'customer_id = $1', [grace]],
      [
        { q: 'ada@example.com', ...created },
        `customer_id = ANY ($1) AND type = 'customer.created'`,
        [[ada, other]],
      ],
      [
        { project_id: first, ...span },
        'project_id = $1 AND created_at > $2 AND created_at < $3',
        [first, ...Object.values(span)],
      ],
    ];
    for (const [query, condition, values] of filters) {
      const sql = `SELECT 'evt_' || id AS id FROM events WHERE ${condition} ORDER BY events.id DESC`;
      const expectedIds = await queryIds(sql, values);
      expect([query, expectedIds.length > 5]).toEqual([query, true]);
      expect([query, await listAll(viewer, '/events', { ...query, limit: '30' })]).toEqual([
        query,
        expectedIds,
      ]);
      expect(await getCount(viewer, '/events', query)).toEqual({ count: expectedIds.length, isMore: false });
    }
  });

  it('returns the records of the event feed for API keys, with their deliveries', async () => {
    const [event] = (await get(`/events?types=session.created&project_id=${seeded.projects[0]}&limit=1`)).body
      .data;
    const { data } = (await instance.requestWithSecretKey('GET', `/v1/events/${event.id}`)).body;
    expect(event).toEqual(data);
    expect((await get(`/events/${event.id}`)).body).toEqual({ success: true, data });

    const eventId = event.id.slice(4) as string;
    const at = Date.now() - 60_000;
    await seedDeliveries(
      instance,
      [0, 1, 2].map((index) => ({
        endpointId: seeded.endpoints[index]!,
        projectId: seeded.projects[0],
        eventId,
        state: 'succeeded' as const,
        attempts: [{ at: at + index, status: 200 }],
      })),
    );
    const expectedIds = await queryIds(
      `SELECT 'dlv_' || id AS id FROM deliveries WHERE event_id = $1 ORDER BY deliveries.id DESC`,
      [eventId],
    );
    expect(expectedIds).toHaveLength(4);
    expect(await listAll(viewer, `/events/${event.id}/deliveries`)).toEqual(expectedIds);
    expect(await listAll(viewer, `/events/${event.id}/deliveries`, { limit: '3' })).toEqual(expectedIds);
    for (const id of expectedIds) expect(await listAll(viewer, '/events', { q: id })).toEqual([event.id]);
    const [attempt] = await queryIds('SELECT id FROM attempts WHERE delivery_id = $1', [
      expectedIds[0]!.slice(4),
    ]);
    expect(await listAll(viewer, '/events', { q: `att_${attempt}` })).toEqual([event.id]);
    const q = event.id as string;
    expect(await listAll(viewer, '/events', { q })).toEqual([q]);
    const unmatched: Record<string, string>[] = [
      { q, types: 'customer.*' },
      { q, customer_id: randomUUID() },
      { q: seeded.endpoints[0]! },
    ];
    for (const query of unmatched) expect(await listAll(viewer, '/events', query)).toEqual([]);
    expect(await getCount(viewer, '/events', unmatched[1])).toEqual({ count: 0, isMore: false });
    expect(await get(`/events/evt_${randomUUID()}/deliveries`)).toMatchObject({ status: 404 });
  });
});

describe('the chain of a delivery', () => {
  it('contains the actor and the reason of each redelivery', async () => {
    const enabled = await instance.createEndpoint('http://127.0.0.1:9/', ['customer.created']);
    const [created] = await seedDeliveries(instance, [
      {
        endpointId: enabled.id.slice(3),
        projectId: seeded.projects[0],
        state: 'failed',
        attempts: [{ at: Date.now() - 60_000, status: 500 }],
      },
    ]);
    const first = `dlv_${created!.id}`;
    const fail = (id: string) =>
      instance.sql(`UPDATE deliveries SET state = 'failed', attempt = 5, finished_at = now() WHERE id = $1`, [
        id.slice(4),
      ]);
    const operator = await inviteOperator(admin, 'operator');
    const second = (
      await operator.request('POST', `/webhooks/deliveries/${first}/redeliver`, { reason: 'it is up again' })
    ).body.data.id as string;
    await fail(second);
    const third = (await instance.requestWithSecretKey('POST', `/v1/webhooks/deliveries/${second}/redeliver`))
      .body.data.id as string;
    await fail(third);
    await operator.request('POST', `/webhooks/deliveries/${third}/discard`, { reason: 'it is gone' });

    const operatorActor = { type: 'operator', id: operator.operator.id, name: operator.operator.email };
    const [key] = await instance.sql<{ id: string; name: string }>(
      `SELECT id, name FROM api_keys WHERE prefix = $1 AND last4 = $2`,
      [instance.credentials.secretKey.slice(0, 8), instance.credentials.secretKey.slice(-4)],
    );
    const { body } = await get(`/webhooks/deliveries/${second}/chain`);
    const keyActor = { type: 'key', ...key };
    const redelivered = { state: 'failed', batchId: null, resolution: 'redelivered' };
    const last = {
      redeliveryOf: second,
      resolution: 'discarded',
      reason: 'it is gone',
      resolvedBy: operatorActor,
    };
    expect(body.data).toHaveLength(3);
    expect(body.data).toMatchObject([
      {
        id: first,
        ...redelivered,
        redeliveryOf: null,
        reason: 'it is up again',
        resolvedBy: operatorActor,
        current: false,
      },
      { id: second, ...redelivered, redeliveryOf: first, reason: null, resolvedBy: keyActor, current: true },
      { id: third, ...last, current: false },
    ]);
    const [attempt] = await queryIds('SELECT id FROM attempts WHERE delivery_id = $1', [created!.id]);
    const byAttempt = (await get(`/webhooks/deliveries/att_${attempt}/chain`)).body.data as any[];
    expect(byAttempt.map(({ id, current }) => [id, current])).toEqual([
      [first, true],
      [second, false],
      [third, false],
    ]);
    // The first delivery and its attempts may have been deleted.
    await instance.sql('DELETE FROM attempts WHERE delivery_id = $1', [created!.id]);
    await instance.sql('DELETE FROM deliveries WHERE id = $1', [created!.id]);
    const remaining = (await get(`/webhooks/deliveries/${third}/chain`)).body.data as any[];
    expect(remaining.map(({ id }) => id)).toEqual([second, third]);
    expect(await get(`/webhooks/deliveries/${first}/chain`)).toMatchObject({ status: 404 });
  });
});

const search = async (q: string) => {
  const { status, body } = await get(`/search?q=${encodeURIComponent(q)}`);
  expect(status).toBe(200);
  return body.data as Record<string, any>[];
};

describe('the search', () => {
  it('finds a resource of any type by a pasted id', async () => {
    const { organizationId, projectId } = instance.credentials;
    const [attempt] = await instance.sql<any>('SELECT * FROM attempts ORDER BY id OFFSET 40 LIMIT 1');
    const projectFields = { projectId: attempt.project_id };
    expect(await search(` DLV_${attempt.delivery_id} `)).toEqual([
      {
        kind: 'delivery',
        id: `dlv_${attempt.delivery_id}`,
        title: attempt.event_type,
        subtitle: expect.stringContaining(attempt.target_url),
        ...projectFields,
      },
    ]);
    const plan = await admin.request('POST', '/webhooks/redeliveries', {
      filter: { event: 'customer.deleted' },
    });
    const batch = plan.body.data.id as string;
    const [customer] = seeded.customers;
    const [key] = await instance.sql<any>('SELECT * FROM api_keys LIMIT 1');
    for (const [id, found] of [
      [`att_${attempt.id}`, { kind: 'attempt', ...projectFields }],
      [`evt_${attempt.event_id}`, { kind: 'event' }],
      [`ep_${attempt.endpoint_id}`, { kind: 'endpoint', title: 'one.example.com' }],
      [batch, { kind: 'batch', projectId: null }],
      [customer!.id, { kind: 'customer', title: customer!.email }],
      [projectId, { kind: 'project', projectId }],
      [organizationId, { kind: 'organization' }],
      [key.id, { kind: 'api_key', title: key.name }],
    ] as [string, object][])
      expect(await search(id)).toMatchObject([{ id, ...found }]);
    // Ids are found without their prefix too.
    expect(await search(attempt.delivery_id)).toMatchObject([{ kind: 'delivery' }]);
    expect(await search(attempt.id)).toMatchObject([{ kind: 'attempt' }]);
  });

  it('finds customers by address and name, and other resources by name, key and URL', async () => {
    const ids = (found: Record<string, any>[]) => found.map(({ id }) => id as string).sort();
    const [ada, other, grace] = seeded.customers;
    expect(ids(await search('ADA@example.com'))).toEqual([ada!.id, other!.id].sort());
    expect(ids(await search('gra'))).toEqual([grace!.id]);
    await instance.sql(`UPDATE customers SET first_name = 'Grace', last_name = 'Hopper' WHERE id = $1`, [
      grace!.id,
    ]);
    expect(await search('hopper')).toMatchObject([{ id: grace!.id, subtitle: 'Grace Hopper' }]);

    await instance.sql(`UPDATE projects SET name = 'Zebra & Sons <b>' WHERE id = $1`, [seeded.projects[1]]);
    expect(await search('zEBRA &')).toMatchObject([{ kind: 'project', title: 'Zebra & Sons <b>' }]);
    const { organizationId, secretKey } = instance.credentials;
    const [organization] = await instance.sql<any>('SELECT name FROM organizations WHERE id = $1', [
      organizationId,
    ]);
    expect(await search(organization.name)).toContainEqual(
      expect.objectContaining({ kind: 'organization', id: organizationId }),
    );
    expect(await search(secretKey.slice(0, 8))).toMatchObject([
      { kind: 'api_key', subtitle: `${secretKey.slice(0, 8)}…${secretKey.slice(-4)}` },
    ]);
    expect(ids(await search('https://one.example.com/hooks'))).toEqual(
      seeded.endpoints
        .slice(0, 2)
        .map((id) => `ep_${id}`)
        .sort(),
    );
  });

  it('matches any part of a string, as the lists do, and returns exact matches first', async () => {
    const { organizationId, projectId } = instance.credentials;
    const customer = (
      await instance.requestWithSecretKey('POST', '/api/v1/customers', {
        email: 'lovelace_100@analytical.example',
        firstName: 'Augusta',
        lastName: 'Byron-Noel',
      })
    ).body.id as string;
    const endpoint = await instance.createEndpoint('https://127.0.0.1:9/Invoices/received');
    await instance.requestWithSecretKey('PATCH', `/v1/webhooks/endpoints/${endpoint.id}`, {
      name: 'Old billing',
    });
    const key = (await admin.request('POST', `/projects/${projectId}/api-keys`, { name: 'Nightly export' }))
      .body;
    await admin.request('DELETE', `/projects/${projectId}/api-keys/${key.id}`);
    const shop = await admin.request('POST', '/projects', {
      organizationId,
      name: 'Workshop',
      slug: 'bench-7',
    });
    const exact = await admin.request('POST', '/projects', { organizationId, name: 'kshop' });
    const newer = await admin.request('POST', '/projects', { organizationId, name: 'Desk Kshop' });
    const company = await admin.request('POST', '/organizations', {
      name: 'Babbage & Co',
      slug: 'difference',
    });

    const expected: [string, string | null, string[]][] = [
      ['NALYT', '/customers', [customer]],
      ['usta byron', '/customers', [customer]],
      ['lovelace_1', '/customers', [customer]],
      ['love%1', '/customers', []],
      ['love_ace', '/customers', []],
      ['invoices/rec', '/webhooks/endpoints', [endpoint.id]],
      ['d bill', '/webhooks/endpoints', [endpoint.id]],
      ['tly exp', null, [key.id]],
      ['bench-7', '/projects', [shop.body.id]],
      ['ifferenc', '/organizations', [company.body.id]],
      ['bage &', '/organizations', [company.body.id]],
    ];
    for (const [q, list, ids] of expected) {
      expect([q, (await search(q)).map(({ id }) => id)]).toEqual([q, ids]);
      if (!list) continue;
      expect([q, await listAll(viewer, list, { q })]).toEqual([q, ids]);
      expect([q, await getCount(viewer, list, { q })]).toEqual([q, { count: ids.length, isMore: false }]);
    }
    expect((await search('kshop')).map(({ id }) => id)).toEqual([exact.body.id, newer.body.id, shop.body.id]);
    expect(await search('tly exp')).toMatchObject([{ subtitle: expect.stringMatching(/^revoked · sk_/) }]);
    const byKey = { q: 'nalyt' };
    const { body } = await instance.requestWithSecretKey(
      'GET',
      `/api/v1/customers?${new URLSearchParams(byKey)}`,
    );
    expect(body.data).toEqual([]);
  });

  it('finds nothing for an unknown term, and at most ten results', async () => {
    const sql = "'; DROP TABLE customers";
    for (const q of ['%', '_', sql, randomUUID(), `att_${randomUUID()}`, 'nobody@example.com']) {
      expect([q, await search(q)]).toEqual([q, []]);
    }
    await instance.sql(
      `INSERT INTO customers (id, project_id, email)
       SELECT gen_random_uuid(), $1, 'zebra-' || n || '@example.com' FROM generate_series(1, 30) n`,
      [seeded.projects[0]],
    );
    const found = await search('zebra');
    expect(found).toHaveLength(10);
    expect(found[0]).toMatchObject({ kind: 'project' });
    for (const query of ['', '?q=', '?q=%20', '?q=a&limit=1']) {
      expect(await get(`/search${query}`)).toMatchObject({ status: 400 });
    }
  });
});

describe('a search term in the URL', () => {
  it('CO-05: returns an error for a complete secret, but finds a key by its prefix', async () => {
    const { secretKey } = instance.credentials;
    const countedLists =
      `customers operators organizations projects webhooks/attempts webhooks/deliveries webhooks/endpoints`.split(
        ' ',
      );
    const paths = [
      ...['/search', '/events', '/webhooks/dead-letters'],
      ...countedLists.flatMap((list) => [`/${list}`, `/${list}/count`]),
    ];
    for (const path of paths)
      for (const q of [secretKey, `KEY=${secretKey}`, `whsec_${Buffer.alloc(24, 7).toString('base64')}`]) {
        const response = await admin.request('GET', `${path}?${new URLSearchParams({ q })}`);
        expect([path, response.status, response.body.code]).toEqual([path, 400, 'validation_failed']);
        expect(JSON.stringify(response.body)).not.toContain(q.slice(-20));
      }
    const query = new URLSearchParams({ q: secretKey });
    expect((await instance.requestWithSecretKey('GET', `/api/v1/customers?${query}`)).status).toBe(400);
    const { data } = (await get(`/search?q=${secretKey.slice(0, 8)}`)).body;
    expect(data).toContainEqual(expect.objectContaining({ kind: 'api_key' }));
  });
});

describe('a list of customers or audit log entries', () => {
  it('has a count that matches the list', async () => {
    await instance.sql(
      `INSERT INTO customers (id, project_id, email, first_name, email_verified, disabled_at, last_login_at, created_at)
       SELECT gen_random_uuid(), $1, 'c' || n || '@example.com', CASE WHEN n % 2 = 0 THEN 'C' || n END, n % 3 = 0,
         CASE WHEN n % 5 = 0 THEN now() END, CASE WHEN n % 7 = 0 THEN now() END, now() - n * interval '1 minute'
       FROM generate_series(1, 500) n`,
      [seeded.projects[1]],
    );
    const yesterday = new Date(Date.now() - 86_400_000).toISOString();
    const queries: Record<string, string>[] = [
      {},
      { projectId: seeded.projects[1] },
      { projectId: randomUUID() },
      { email: 'ada@example.com' },
      { q: 'c1' },
      { q: 'c1', disabled: 'true' },
      { emailVerified: 'true', disabled: 'false' },
      { lastLoginAfter: yesterday },
      { createdAfter: new Date(Date.now() - 3_600_000).toISOString() },
    ];
    for (const query of queries) {
      const ids = await listAll(viewer, '/customers', query);
      expect([query, await getCount(viewer, '/customers', query)]).toEqual([
        query,
        { count: ids.length, isMore: false },
      ]);
    }
    expect((await listAll(viewer, '/customers', { q: 'c1' })).length).toBeGreaterThan(50);
  });

  it('has a count that stops at ten thousand or at the limit of the bounded scan', async () => {
    await instance.sql(
      `INSERT INTO customers (id, project_id, email, created_at)
       SELECT gen_random_uuid(), $1, 'd' || n || '@example.com', now() FROM generate_series(1, 21000) n`,
      [seeded.projects[0]],
    );
    const full = { count: 10_000, isMore: true };
    expect(await getCount(viewer, '/customers', { emailVerified: 'false', disabled: 'false' })).toEqual(full);
    expect((await getCount(viewer, '/customers')).isMore).toBe(true);
    // A frequent term is searched for in the newest rows first. A rare one is found through the trigram index.
    const newest = await queryIds(
      `SELECT id FROM customers WHERE email LIKE '%@example.com' ORDER BY created_at DESC, id DESC LIMIT 50`,
    );
    const page = (await get('/customers?q=example&limit=50')).body;
    expect([page.data.map(({ id }: { id: string }) => id), page.hasMore]).toEqual([newest, true]);
    expect(await getCount(viewer, '/customers', { q: 'example' })).toMatchObject({ isMore: true });
    expect(await getCount(viewer, '/customers', { q: '2099' })).toEqual({ count: 12, isMore: false });
    expect(await listAll(viewer, '/customers', { q: '2099', disabled: 'false' })).toHaveLength(12);
    const inProject = { q: 'd2099', projectId: seeded.projects[1] };
    expect(await listAll(viewer, '/customers', inProject)).toEqual([]);
    await instance.sql(
      `INSERT INTO audit_log (id, organization_id, project_id, actor_type, actor_id, action, target_type, target_id, created_at)
       SELECT ('0000ffff-ffff-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, NULL, $1, 'key', $2,
         CASE WHEN n % 3000 = 0 THEN 'customer.deleted' ELSE 'customer.updated' END, 'customer', 'target-' || n % 1000,
         to_timestamp(x'ffffffff'::bigint / 1000.0)
       FROM generate_series(1, 21000) n`,
      [seeded.projects[0], randomUUID()],
    );
    expect(await getCount(viewer, '/audit-log')).toEqual(full);
    expect(await getCount(viewer, '/audit-log', { action: 'customer.deleted' })).toMatchObject({
      isMore: true,
    });
  });

  it('filters the audit log across organizations', async () => {
    const [entry] = await instance.sql<any>(
      `SELECT * FROM audit_log WHERE action = 'operator.invited' LIMIT 1`,
    );
    const filters: [Record<string, string>, string, unknown[]][] = [
      [{ targetId: 'target-7' }, 'target_id = $1', ['target-7']],
      [{ requestId: entry.request_id }, 'request_id = $1', [entry.request_id]],
      [
        { action: 'operator.*', actorId: entry.actor_id },
        `action LIKE 'operator.%' AND actor_id = $1`,
        [entry.actor_id],
      ],
      [{ action: 'customer.deleted', projectId: seeded.projects[0] }, `action = 'customer.deleted'`, []],
      [{ createdAfter: entry.created_at.toISOString() }, 'created_at > $1', [entry.created_at]],
    ];
    for (const [query, condition, values] of filters) {
      const expectedIds = await queryIds(
        `SELECT id FROM audit_log WHERE ${condition} ORDER BY id DESC`,
        values,
      );
      expect([query, await listAll(viewer, '/audit-log', query)]).toEqual([query, expectedIds]);
      expect([query, expectedIds.length > 0]).toEqual([query, true]);
    }
    expect((await getCount(viewer, '/audit-log', { targetId: 'target-7' })).count).toBe(21);
  });

  it('includes the names of audit log targets while they exist', async () => {
    const { organizationId, projectId } = instance.credentials;
    const newestName = async (targetId: string, query = {}) =>
      (await get(`/audit-log?${new URLSearchParams({ targetId, limit: '1', ...query })}`)).body.data[0]
        ?.targetName;
    const key = (await admin.request('POST', `/projects/${projectId}/api-keys`, { name: 'Reports' })).body;
    const endpoint = await instance.createEndpoint('https://127.0.0.1:9/hooks');
    const customer = (
      await instance.requestWithSecretKey('POST', '/api/v1/customers', { email: 'erased@example.com' })
    ).body.id;
    await admin.request('PATCH', `/projects/${projectId}`, { name: 'Renamed shop' });
    const names = [key.id, endpoint.id, customer, projectId].map((id) => newestName(id, { organizationId }));
    expect(await Promise.all(names)).toEqual([
      'Reports',
      '127.0.0.1:9',
      'erased@example.com',
      'Renamed shop',
    ]);
    expect(await newestName(key.id, { organizationId: randomUUID() })).toBeUndefined();
    await instance.requestWithSecretKey('DELETE', `/api/v1/customers/${customer}`);
    expect(await newestName(customer)).toBeNull();
    expect(await search(admin.operator.email)).toContainEqual(
      expect.objectContaining({ kind: 'operator', id: admin.operator.id }),
    );
  });

  it('returns a single audit log entry in the same form as the list', async () => {
    const [entry] = (await get('/audit-log?action=operator.invited')).body.data;
    expect(entry).toMatchObject({
      actorName: admin.operator.email,
      targetName: expect.stringContaining('@'),
    });
    const found = await get(`/audit-log/${entry.id}`);
    expect([found.status, found.body]).toEqual([200, entry]);
    for (const id of [randomUUID(), 'not-an-id']) {
      expect(await get(`/audit-log/${id}`)).toMatchObject({ status: 404, body: { code: 'not_found' } });
    }
  });
});
