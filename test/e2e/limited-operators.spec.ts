import { randomUUID } from 'node:crypto';
import { inviteOperator, insertOperator, signIn, type OperatorClient } from '../support/operator-client.js';
import { insertKey, insertOrganization, insertProject, type Tenant } from '../support/tenants.js';
import { TestInstance } from '../support/test-instance.js';
import { uniqueEmail } from '../support/unique-email.js';

let instance: TestInstance;
let admin: OperatorClient;
let own: Tenant;
let child: Tenant;
let foreign: Tenant;
beforeAll(async () => {
  instance = await TestInstance.startShared({ workers: 0 });
  admin = await signIn(instance);
  [own, child, foreign] = [
    await insertOrganization(instance),
    await insertOrganization(instance),
    await insertOrganization(instance),
  ];
  await instance.sql('UPDATE organizations SET parent_id = $1 WHERE id = $2', [
    own.organizationId,
    child.organizationId,
  ]);
});
afterAll(async () => instance?.stop());

const limitedTo = (...tenants: Tenant[]): Promise<OperatorClient> =>
  insertOperator(
    instance,
    'admin',
    tenants.map(({ organizationId }) => organizationId),
  );
const patch = (id: string, organizationIds: unknown) =>
  admin.request('PATCH', `/operators/${id}`, { organizationIds });
const statusOf = async (operator: OperatorClient, method: string, path: string, body?: unknown) => {
  const response = await operator.request(method, path, body);
  return response.status < 300 ? response.status : `${response.status} ${response.body.code}`;
};
const listIds = async (operator: OperatorClient, path: string): Promise<string[]> =>
  (await operator.request('GET', path)).body.data.map(({ id }: { id: string }) => id);

describe('CO-01: the organization list of an operator', () => {
  it('applies from the invitation on; changes are audited and apply to open sessions immediately', async () => {
    const limit = [own.organizationId];
    const invited = await admin.request('POST', '/operators', {
      email: uniqueEmail(),
      role: 'viewer',
      organizationIds: limit,
    });
    expect(invited).toMatchObject({ status: 201, body: { organizationIds: limit } });

    const operator = await inviteOperator(admin, 'operator');
    const { id } = operator.operator;
    const foreignPath = `/projects/${foreign.projectId}`;
    expect(await statusOf(operator, 'GET', foreignPath)).toBe(200);
    expect(await patch(id, [...limit, own.organizationId])).toMatchObject({
      status: 200,
      body: { organizationIds: limit },
    });
    expect(await statusOf(operator, 'GET', foreignPath)).toBe('404 not_found');
    expect(await listIds(operator, '/projects')).toEqual([child.projectId, own.projectId].sort().reverse());
    expect((await operator.request('GET', '/session')).body.operator.organizationIds).toEqual(limit);
    expect(await patch(id, null)).toMatchObject({ status: 200, body: { organizationIds: null } });
    expect(await statusOf(operator, 'GET', foreignPath)).toBe(200);

    const entries = (await admin.request('GET', `/audit-log?targetId=${id}&action=operator.updated`)).body
      .data;
    expect(entries.map(({ details }: { details: object }) => details)).toEqual([
      { changed: ['organizationIds'], changes: { organizationIds: { from: limit, to: null } } },
      { changed: ['organizationIds'], changes: { organizationIds: { from: null, to: limit } } },
    ]);
  });

  it('rejects unknown organizations and an empty list', async () => {
    const { id } = (await insertOperator(instance, 'viewer')).operator;
    for (const organizationIds of [[], [randomUUID()], ['x'], own.organizationId])
      expect([organizationIds, (await patch(id, organizationIds)).status]).toEqual([organizationIds, 400]);
  });

  it('rejects new limits while an older API process that would ignore them is running', async () => {
    const organizationIds = [own.organizationId];
    const { id } = (await limitedTo(own)).operator;
    await instance.sql(
      `INSERT INTO apis (id, host, version, schema_version) VALUES (gen_random_uuid(), 'old', '0.1.9', 1)`,
    );
    try {
      const invited = { email: uniqueEmail(), role: 'viewer', organizationIds };
      expect(await statusOf(admin, 'POST', '/operators', invited)).toBe('409 conflict');
      expect((await patch(id, [foreign.organizationId])).body.detail).toContain('would ignore this limit');
      expect((await patch(id, organizationIds)).status).toBe(200);
      expect((await patch(id, null)).status).toBe(200);
      expect((await patch(id, organizationIds)).status).toBe(409);
    } finally {
      await instance.sql(`DELETE FROM apis WHERE host = 'old'`);
    }
  });

  it("rejects a limit for an admin's own account, and for the last admin without a limit", async () => {
    expect(await patch(admin.operator.id, [own.organizationId])).toMatchObject({ status: 409 });
    const others = await instance.sql<{ id: string }>(
      `UPDATE operators SET disabled_at = now()
       WHERE role = 'admin' AND organization_ids IS NULL AND disabled_at IS NULL AND id <> $1 RETURNING id`,
      [admin.operator.id],
    );
    await limitedTo(own);
    try {
      expect(await patch(admin.operator.id, [own.organizationId])).toMatchObject({
        status: 409,
        body: { code: 'last_admin' },
      });
      // An admin with a limit does not count as an active admin.
      expect(await statusOf(admin, 'PATCH', `/operators/${admin.operator.id}`, { role: 'viewer' })).toBe(
        '409 last_admin',
      );
    } finally {
      await instance.sql('UPDATE operators SET disabled_at = NULL WHERE id = ANY ($1)', [
        others.map(({ id }) => id),
      ]);
    }
  });
});

describe('an operator limited to organizations', () => {
  it('gets 403 for an organization key in a child organization', async () => {
    const operator = await limitedTo(own);
    const create = (projectId: string, access: string) =>
      statusOf(operator, 'POST', `/projects/${projectId}/api-keys`, { name: 'key', access });
    expect(await create(own.projectId, 'organization')).toBe(201);
    expect(await create(child.projectId, 'project')).toBe(201);
    expect(await create(child.projectId, 'organization')).toBe('403 insufficient_access');
    expect(await create(foreign.projectId, 'project')).toBe('404 not_found');
  });

  it('shares a bulk redelivery only with operators who can access all of its organizations', async () => {
    const [both, one] = [await limitedTo(own, foreign), await limitedTo(own)];
    const planned = await both.request('POST', '/webhooks/redeliveries', { filter: {} });
    const { id } = planned.body.data;
    const path = `/webhooks/redeliveries/${id}`;
    const statuses = [both, one, admin].map((operator) => statusOf(operator, 'GET', path));
    expect(await Promise.all(statuses)).toEqual([200, '404 not_found', 200]);
    expect(await listIds(both, '/webhooks/redeliveries')).toContain(id);
    expect(await statusOf(one, 'POST', `${path}/cancel`)).toBe('404 not_found');
    // Each organization whose deliveries are included has its own audit entry.
    expect(await listIds(one, `/audit-log?targetId=${id}`)).toHaveLength(1);
    expect(await listIds(both, `/audit-log?targetId=${id}`)).toHaveLength(2);
  });

  it("gets 404 for a child operator's bulk redelivery, which includes the child's own children", async () => {
    const [childOperator, parentOperator] = [await limitedTo(child), await limitedTo(own)];
    const planned = await childOperator.request('POST', '/webhooks/redeliveries', { filter: {} });
    const { id } = planned.body.data;
    const path = `/webhooks/redeliveries/${id}`;
    expect(await statusOf(parentOperator, 'GET', path)).toBe('404 not_found');
    expect(await statusOf(parentOperator, 'POST', `${path}/start`, { reason: 'test' })).toBe('404 not_found');
    expect(await listIds(parentOperator, '/webhooks/redeliveries')).not.toContain(id);
    expect(await statusOf(await limitedTo(own, child), 'GET', path)).toBe(200);
  });

  it("gets 404 for bulk redeliveries created with a child's key, and so does the parent's key", async () => {
    const createKey = (tenant: Tenant) =>
      insertKey(instance, { ...tenant, type: 'secret', access: 'organization' });
    const [childKey, parentKey] = [await createKey(child), await createKey(own)];
    const [childOperator, parentOperator] = [await limitedTo(child), await limitedTo(own)];
    const post = async (key: string, path: string, body: object = { filter: {} }): Promise<string> =>
      (await instance.requestWithBearer(key, 'POST', `/v1/webhooks${path}`, body)).body.data.id;
    const wide = await post(childKey, '/redeliveries');
    const projectRedelivery = await post(child.secretKey, '/redeliveries');
    const url = 'http://127.0.0.1:9/';
    const endpoint = await post(childKey, '/endpoints', {
      ...{ url, level: 'organization', events: ['customer.created'] },
    });
    const recovery = await post(parentKey, `/endpoints/${endpoint}/recover`, {
      since: new Date().toISOString(),
    });
    const path = `/webhooks/redeliveries/${wide}`;
    expect(await statusOf(parentOperator, 'GET', path)).toBe('404 not_found');
    for (const [action, body] of [['start', { reason: 'test' }], ['cancel']] as const) {
      expect(await statusOf(parentOperator, 'POST', `${path}/${action}`, body)).toBe('404 not_found');
      const response = await instance.requestWithBearer(parentKey, 'POST', `/v1${path}/${action}`, body);
      expect(response.status).toBe(404);
    }
    expect((await parentOperator.request('GET', `/search?q=${wide}`)).body.data).toEqual([]);
    const { data } = (await instance.requestWithBearer(parentKey, 'GET', '/v1/webhooks/redeliveries')).body;
    const lists = [
      data.map(({ id }: { id: string }) => id),
      await listIds(parentOperator, '/webhooks/redeliveries'),
    ];
    for (const ids of lists) {
      expect(ids).toEqual(expect.arrayContaining([projectRedelivery, recovery]));
      expect(ids).not.toContain(wide);
    }
    for (const operator of [childOperator, admin]) expect(await statusOf(operator, 'GET', path)).toBe(200);
    expect((await instance.requestWithBearer(childKey, 'POST', `/v1${path}/cancel`)).status).toBe(200);
  });

  it('gets 400 for metrics without a project if there are too many projects to sum', async () => {
    const large = await insertOrganization(instance);
    const { projectId } = await insertProject(instance, large.organizationId);
    const operator = await limitedTo(large);
    expect(await statusOf(operator, 'GET', '/overview')).toBe(200);
    await instance.sql(
      `INSERT INTO projects (id, organization_id, name, slug, environment)
       SELECT gen_random_uuid(), $1, 'Project', 'project-' || n, 'development' FROM generate_series(1, 100) n`,
      [large.organizationId],
    );
    expect(await statusOf(operator, 'GET', '/overview')).toBe('400 validation_failed');
    expect(await statusOf(operator, 'GET', `/overview?projectId=${projectId}`)).toBe(200);
  });
});

describe('a list for an operator limited to organizations', () => {
  const emptyPage = { data: [], nextCursor: null, hasMore: false };

  it('scans only the locked customers in its organizations', async () => {
    const operator = await limitedTo(own);
    await instance.sql(
      `WITH added AS (
         INSERT INTO customers (id, organization_id, project_id, email)
         SELECT uuidv7(), $1, $2, 'locked-' || n || '@example.com' FROM generate_series(1, 1100) n RETURNING id
       )
       INSERT INTO factor_attempts (customer_id, tries, window_ends_at, failures)
       SELECT id, 10, now() + interval '1 hour', 10 FROM added`,
      [foreign.organizationId, foreign.projectId],
    );
    try {
      for (const projectId of ['', own.projectId, foreign.projectId]) {
        const query = `locked=true&limit=1${projectId && `&projectId=${projectId}`}`;
        expect((await operator.request('GET', `/customers?${query}`)).body).toEqual(emptyPage);
      }
      expect((await operator.request('GET', '/customers/count?locked=true')).body).toMatchObject({
        count: 0,
        isMore: false,
      });
    } finally {
      await instance.sql('DELETE FROM customers WHERE project_id = $1', [foreign.projectId]);
    }
  });

  it('scans only the audit entries and emails of its organizations', async () => {
    const operator = await limitedTo(own);
    const email = uniqueEmail();
    const { organizationId, projectId } = foreign;
    const [actorId, customerId, requestId] = [randomUUID(), randomUUID(), randomUUID()];
    await instance.sql(
      `INSERT INTO audit_log (id, organization_id, project_id, actor_type, actor_id, action, target_type, target_id,
         request_id, created_at)
       SELECT uuidv7(), $1, $2, 'key', $3, 'customer.updated', 'customer', $4, $5, now() FROM generate_series(1, 5010)`,
      [organizationId, projectId, actorId, customerId, requestId],
    );
    await instance.sql('INSERT INTO customers (id, project_id, email) VALUES ($1, $2, $3)', [
      customerId,
      projectId,
      email,
    ]);
    await instance.sql(
      `INSERT INTO mails (id, project_id, customer_id, kind, recipient, state, finished_at)
       SELECT uuidv7(), $1, $2, 'reset-password', $3, 'sent', now() FROM generate_series(1, 5010)`,
      [projectId, customerId, email],
    );
    const lists = [
      ...Object.entries({ projectId, organizationId, actorId, requestId, targetId: customerId }).map(
        (filter) => `/audit-log?${new URLSearchParams([filter])}`,
      ),
      ...Object.entries({ projectId, customerId, email }).map(
        (filter) => `/mails?${new URLSearchParams([filter])}`,
      ),
    ];
    for (const path of lists) {
      const list = `${path}&limit=1`;
      expect([path, (await operator.request('GET', list)).body]).toEqual([path, emptyPage]);
      expect([path, (await admin.request('GET', list)).body.data]).toEqual([path, [expect.anything()]]);
    }
    const invited = await instance.requestWithBearer(own.secretKey, 'POST', '/api/v1/customers', {
      email: uniqueEmail(),
      sendInvite: true,
    });
    const [entry] = (await operator.request('GET', `/audit-log?targetId=${invited.body.id}`)).body.data;
    for (const key of ['projectId', 'organizationId', 'actorId', 'requestId'])
      expect(await listIds(operator, `/audit-log?${key}=${entry[key]}`)).toContain(entry.id);
    const [mail] = (await operator.request('GET', `/mails?customerId=${invited.body.id}`)).body.data;
    for (const query of [`projectId=${own.projectId}`, `email=${encodeURIComponent(invited.body.email)}`])
      expect(await listIds(operator, `/mails?${query}`)).toContain(mail.id);
  });
});
