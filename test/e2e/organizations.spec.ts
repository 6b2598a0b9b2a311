import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { eventually } from '../support/eventually.js';
import { TestInstance, type Answer } from '../support/test-instance.js';
import { Receiver } from '../support/receiver.js';
import { insertKey, insertOrganization } from '../support/tenants.js';

const MISSING = '019aa2c0-7d1e-7000-8000-000000000000';
const PATH = '/api/v1/organizations';
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

let instance: TestInstance;
beforeAll(async () => {
  instance = await TestInstance.shared();
});
afterAll(async () => instance?.stop());

const withKey = (key: string, method: string, path: string, body?: unknown) =>
  instance.request(method, path, { body, headers: { authorization: `Bearer ${key}` } });
const slug = () => `org-${randomUUID().slice(0, 8)}`;
const create = async (key = instance.credentials.secretKey) => {
  const answer = await withKey(key, 'POST', PATH, { name: 'Child', slug: slug() });
  expect(answer).toMatchObject({ status: 201 });
  return answer.body as Record<string, any> & { id: string };
};
const idsOf = ({ body }: { body: any }) => (body.data as { id: string }[]).map(({ id }) => id);
/** A whole organization of somebody else, with a key for all of it. */
const stranger = async () => {
  const tenant = await insertOrganization(instance);
  return { ...tenant, key: await insertKey(instance, { ...tenant, type: 'secret', access: 'organization' }) };
};

/** What differs from a refusal that names one field. */
const wrongRefusal = ({ status, body }: Answer, sent: object, field: string): unknown[] => {
  const found = [status, body.code, body.errors?.[0]?.field];
  return isDeepStrictEqual(found, [400, 'validation_failed', field]) ? [] : [{ sent, found }];
};

describe('an organization', () => {
  it('is created below that of the key, and shows itself as it was created', async () => {
    const body = { name: 'Menabrea', slug: slug() };
    const created = await instance.server('POST', PATH, body);
    expect(created).toMatchObject({ status: 201 });
    expect(created.body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      ...body,
      parentId: instance.credentials.organizationId,
      billingReturnOrigins: [],
      createdAt: expect.stringMatching(TIME),
      updatedAt: expect.stringMatching(TIME),
    });
    const shown = await instance.server('GET', `${PATH}/${created.body.id}`);
    expect(shown).toMatchObject({ status: 200, body: created.body });
  });

  it('is not created with a field that is missing, wrong or not to be chosen', async () => {
    const faults: unknown[] = [];
    for (const [body, field] of [
      [{ slug: 'abc' }, 'name'],
      [{ name: 'A' }, 'slug'],
      [{ name: 'A', slug: 'ab' }, 'slug'],
      [{ name: 'A', slug: 'a'.repeat(49) }, 'slug'],
      [{ name: 'A', slug: 'Abc' }, 'slug'],
      [{ name: '', slug: 'abc' }, 'name'],
      [{ name: 'A', slug: 'abc', parentId: MISSING }, 'parentId'],
    ] as const)
      faults.push(...wrongRefusal(await instance.server('POST', PATH, body), body, field));
    expect(faults).toEqual([]);
  });

  it('has a slug that nobody else in the instance has; of parallel ones one is created', async () => {
    const other = await stranger();
    const wanted = { name: 'Same', slug: slug() };
    const answers = await Promise.all(
      [instance.credentials.secretKey, other.key, instance.credentials.secretKey].map((key) =>
        withKey(key, 'POST', PATH, wanted),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    expect(answers.find(({ status }) => status === 409)!.body.code).toBe('slug_taken');
  });

  it('merges a patch, and null brings the origins back', async () => {
    const { id } = await create();
    const billingReturnOrigins = ['https://app.example.com', 'http://localhost:5173', 'http://127.0.0.1'];
    const patched = await instance.server('PATCH', `${PATH}/${id}`, { billingReturnOrigins });
    expect(patched).toMatchObject({ status: 200, body: { id, name: 'Child', billingReturnOrigins } });
    const renamed = await instance.server('PATCH', `${PATH}/${id}`, { name: 'Other' });
    expect(renamed.body).toMatchObject({ name: 'Other', billingReturnOrigins });
    const unset = await instance.server('PATCH', `${PATH}/${id}`, { billingReturnOrigins: null });
    expect(unset.body).toMatchObject({ name: 'Other', billingReturnOrigins: [] });
    expect((await instance.server('GET', `${PATH}/${id}`)).body).toEqual(unset.body);
  });

  it('refuses a patch with a field that is wrong or not to be changed', async () => {
    const cases: [body: object, field: string][] = [
      [{ billingReturnOrigins: ['http://app.example.com'] }, 'billingReturnOrigins'],
      [{ billingReturnOrigins: ['https://app.example.com/'] }, 'billingReturnOrigins'],
      [{ billingReturnOrigins: ['https://app.example.com/billing'] }, 'billingReturnOrigins'],
      [{ billingReturnOrigins: ['javascript:alert(1)'] }, 'billingReturnOrigins'],
      [{ billingReturnOrigins: ['https://a.example', 'https://a.example'] }, 'billingReturnOrigins'],
      [{ billingReturnOrigins: 'https://app.example.com' }, 'billingReturnOrigins'],
      [{ name: null }, 'name'],
      [{ slug: 'another' }, 'slug'],
      [{ parentId: null }, 'parentId'],
    ];
    const faults: unknown[] = [];
    for (const [body, field] of cases) {
      const answer = await instance.server('PATCH', `${PATH}/${instance.credentials.organizationId}`, body);
      faults.push(...wrongRefusal(answer, body, field));
    }
    expect(faults).toEqual([]);
  });

  it('that a patch does not change keeps its updatedAt and tells nobody', async () => {
    const before = await create();
    const answer = await instance.server('PATCH', `${PATH}/${before.id}`, {
      name: before['name'],
      billingReturnOrigins: [],
    });
    expect(answer).toMatchObject({ status: 200, body: before });
    expect(await instance.events(before.id, 'organization.updated')).toEqual([]);
  });
});

describe('who may see and change organizations', () => {
  it('any secret key lists its own and those it created, page by page, newest first', async () => {
    const { organizationId } = instance.credentials;
    await stranger();
    const child = await create();
    const { secretKey, projectSecretKey } = instance.credentials;
    for (const key of [secretKey, projectSecretKey]) {
      const all = idsOf(await withKey(key, 'GET', `${PATH}?limit=200`));
      const known = await instance.sql<{ id: string }>(
        'SELECT id FROM organizations WHERE id = $1 OR parent_id = $1 ORDER BY id DESC',
        [organizationId],
      );
      expect(all).toEqual(known.map(({ id }) => id));
      expect(all[0]).toBe(child.id);

      const paged: string[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const page = await withKey(key, 'GET', `${PATH}?limit=2${cursor && `&cursor=${cursor}`}`);
        expect(page.body.hasMore).toBe(page.body.nextCursor !== null);
        paged.push(...idsOf(page));
        cursor = page.body.nextCursor;
      }
      expect(paged).toEqual(all);
    }
  });

  it('reaches one level down, and never up', async () => {
    const child = await create();
    const project = (
      await instance.server('POST', '/api/v1/projects', { name: 'Theirs', organizationId: child.id })
    ).body;
    const { key } = (await instance
      .server('POST', `/api/v1/projects/${project.id}/api-keys`, {
        name: 'Theirs',
        scopes: ['organization:read', 'organization:write'],
      })
      .then(({ body }) => body)) as { key: string };
    const grandchild = await create(key);
    expect(grandchild['parentId']).toBe(child.id);
    expect(idsOf(await withKey(key, 'GET', PATH))).toEqual([grandchild.id, child.id]);
    expect((await withKey(key, 'GET', `${PATH}/${instance.credentials.organizationId}`)).status).toBe(404);
    expect((await instance.server('GET', `${PATH}/${grandchild.id}`)).status).toBe(404);
    expect(idsOf(await instance.server('GET', `${PATH}?limit=200`))).not.toContain(grandchild.id);
  });

  it('AK-04: out of reach is like one that does not exist, and nothing is written', async () => {
    const other = await stranger();
    const targets: [key: string, id: string][] = [
      [instance.credentials.secretKey, other.organizationId],
      [other.key, instance.credentials.organizationId],
      [instance.credentials.secretKey, 'x'],
      [instance.credentials.secretKey, instance.credentials.organizationId.toUpperCase()],
    ];
    for (const [key, id] of targets) {
      for (const [method, body] of [
        ['GET', undefined],
        ['PATCH', { name: 'Taken over' }],
      ] as const) {
        const missing = await withKey(key, method, `${PATH}/${MISSING}`, body);
        expect(missing).toMatchObject({ status: 404, body: { code: 'not_found' } });
        const answer = await withKey(key, method, `${PATH}/${id}`, body);
        expect({ ...answer.body, requestId: '' }).toEqual({ ...missing.body, requestId: '' });
      }
    }
    expect(await instance.sql(`SELECT id FROM organizations WHERE name = 'Taken over'`)).toEqual([]);
  });

  it("AK-04: another organization's cursor is refused", async () => {
    const other = await stranger();
    await create();
    const { nextCursor } = (await instance.server('GET', `${PATH}?limit=1`)).body;
    expect(nextCursor).not.toBeNull();
    const answer = await withKey(other.key, 'GET', `${PATH}?limit=1&cursor=${nextCursor}`);
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_cursor' } });
  });

  it('a project key changes none', async () => {
    const { projectSecretKey, organizationId } = instance.credentials;
    const refusal = { status: 403, body: { code: 'insufficient_access', requiredAccess: 'organization' } };
    expect(await withKey(projectSecretKey, 'POST', PATH, { name: 'A', slug: slug() })).toMatchObject(refusal);
    const path = `${PATH}/${organizationId}`;
    expect(await withKey(projectSecretKey, 'PATCH', path, { name: 'A' })).toMatchObject(refusal);
    expect((await withKey(projectSecretKey, 'GET', path)).status).toBe(200);
  });

  it('AK-06: each route needs its scope', async () => {
    const options = { ...instance.credentials, type: 'secret', access: 'organization' } as const;
    const [reader, writer] = [
      await insertKey(instance, { ...options, scopes: ['organization:read'] }),
      await insertKey(instance, { ...options, scopes: ['organization:write'] }),
    ];
    const own = `${PATH}/${instance.credentials.organizationId}`;
    for (const [method, path] of [
      ['GET', PATH],
      ['GET', own],
      ['POST', PATH],
      ['PATCH', own],
    ] as const) {
      const isRead = method === 'GET';
      const body = isRead ? undefined : {};
      const refused = await withKey(isRead ? writer : reader, method, path, body);
      const taken = await withKey(isRead ? reader : writer, method, path, body);
      const requiredScopes = [isRead ? 'organization:read' : 'organization:write'];
      expect([method, path, refused]).toMatchObject([
        method,
        path,
        { status: 403, body: { code: 'insufficient_scope', requiredScopes } },
      ]);
      expect([method, path, taken.status]).not.toEqual([method, path, 403]);
    }
  });
});

describe('events of organizations', () => {
  it('are heard by endpoints of organization level alone, and belong to no project', async () => {
    const receiver = await Receiver.start();
    const projectReceiver = await Receiver.start();
    const endpoint = { url: receiver.url, level: 'organization' };
    expect((await instance.server('POST', '/v1/webhooks/endpoints', endpoint)).status).toBe(201);
    await instance.createEndpoint(projectReceiver.url);
    const child = await create();
    const { organizationId } = instance.credentials;
    const changes = { name: 'Renamed', billingReturnOrigins: ['https://app.example.com'] };
    const updated = await instance.server('PATCH', `${PATH}/${organizationId}`, changes);

    const created = await eventually(
      'organization.created',
      () => receiver.ofType('organization.created')[0],
    );
    expect(created.event).toMatchObject({
      project_id: null,
      organization_id: organizationId,
      data: { organization: child },
    });
    const told = await eventually('organization.updated', () => receiver.ofType('organization.updated')[0]);
    expect(told.event).toMatchObject({ project_id: null, organization_id: organizationId });
    expect(told.event.data).toEqual({
      organization: updated.body,
      previous: { name: 'My organization', billingReturnOrigins: [] },
    });
    const attempts = await eventually('the log', async () => {
      const found = await instance.attempts({ event: 'organization.updated' });
      return found.length > 0 && found;
    });
    expect(attempts).toMatchObject([{ project_id: null, success: true }]);
    // An event that comes after the others.
    await instance.register();
    await eventually('customer.created', () => projectReceiver.ofType('customer.created')[0]);
    const types = projectReceiver.requests.map(({ event }) => event.type);
    expect(types.filter((type) => type.startsWith('organization'))).toEqual([]);
    await Promise.all([receiver.stop(), projectReceiver.stop()]);
  });
});
