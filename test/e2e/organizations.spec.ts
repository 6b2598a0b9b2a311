import { randomUUID } from 'node:crypto';
import { eventually } from '../support/eventually.js';
import { House } from '../support/house.js';
import { Receiver } from '../support/receiver.js';
import { insertKey, insertOrganization } from '../support/tenants.js';

const MISSING = '019aa2c0-7d1e-7000-8000-000000000000';
const PATH = '/api/v1/organizations';
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

let house: House;
beforeAll(async () => {
  // The tables of refusals ask more often than a key may.
  house = await House.start({ env: { RATE_LIMITS: 'off' } });
});
afterAll(async () => house?.stop());

const withKey = (key: string, method: string, path: string, body?: unknown) =>
  house.request(method, path, { body, headers: { authorization: `Bearer ${key}` } });
const slug = () => `org-${randomUUID().slice(0, 8)}`;
const create = async (key = house.credentials.secretKey) => {
  const answer = await withKey(key, 'POST', PATH, { name: 'Child', slug: slug() });
  expect(answer).toMatchObject({ status: 201 });
  return answer.body as Record<string, any> & { id: string };
};
const idsOf = ({ body }: { body: any }) => (body.data as { id: string }[]).map(({ id }) => id);
/** A whole organization of somebody else, with a key for all of it. */
const stranger = async () => {
  const tenant = await insertOrganization(house);
  return { ...tenant, key: await insertKey(house, { ...tenant, type: 'secret', access: 'organization' }) };
};

describe('an organization', () => {
  it('is created below that of the key, and shows itself as it was created', async () => {
    const body = { name: 'Menabrea', slug: slug() };
    const created = await house.server('POST', PATH, body);
    expect(created).toMatchObject({ status: 201 });
    expect(created.body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      ...body,
      parentId: house.credentials.organizationId,
      billingReturnOrigins: [],
      createdAt: expect.stringMatching(TIME),
      updatedAt: expect.stringMatching(TIME),
    });
    const shown = await house.server('GET', `${PATH}/${created.body.id}`);
    expect(shown).toMatchObject({ status: 200, body: created.body });
  });

  it.each([
    ['no name', { slug: 'abc' }, 'name'],
    ['no slug', { name: 'A' }, 'slug'],
    ['a short slug', { name: 'A', slug: 'ab' }, 'slug'],
    ['a long slug', { name: 'A', slug: 'a'.repeat(49) }, 'slug'],
    ['a slug in capitals', { name: 'A', slug: 'Abc' }, 'slug'],
    ['an empty name', { name: '', slug: 'abc' }, 'name'],
    ['a parent of its own choice', { name: 'A', slug: 'abc', parentId: MISSING }, 'parentId'],
  ])('is not created with %s', async (_, body, field) => {
    const answer = await house.server('POST', PATH, body);
    expect(answer).toMatchObject({ status: 400, body: { code: 'validation_failed', errors: [{ field }] } });
  });

  it('has a slug that nobody else in the house has; of parallel ones one is created', async () => {
    const other = await stranger();
    const wanted = { name: 'Same', slug: slug() };
    const answers = await Promise.all(
      [house.credentials.secretKey, other.key, house.credentials.secretKey].map((key) =>
        withKey(key, 'POST', PATH, wanted),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    expect(answers.find(({ status }) => status === 409)!.body.code).toBe('slug_taken');
  });

  it('merges a patch, and null brings the origins back', async () => {
    const { id } = await create();
    const billingReturnOrigins = ['https://app.example.com', 'http://localhost:5173', 'http://127.0.0.1'];
    const patched = await house.server('PATCH', `${PATH}/${id}`, { billingReturnOrigins });
    expect(patched).toMatchObject({ status: 200, body: { id, name: 'Child', billingReturnOrigins } });
    const renamed = await house.server('PATCH', `${PATH}/${id}`, { name: 'Other' });
    expect(renamed.body).toMatchObject({ name: 'Other', billingReturnOrigins });
    const unset = await house.server('PATCH', `${PATH}/${id}`, { billingReturnOrigins: null });
    expect(unset.body).toMatchObject({ name: 'Other', billingReturnOrigins: [] });
    expect((await house.server('GET', `${PATH}/${id}`)).body).toEqual(unset.body);
  });

  it.each([
    [{ billingReturnOrigins: ['http://app.example.com'] }, 'billingReturnOrigins'],
    [{ billingReturnOrigins: ['https://app.example.com/'] }, 'billingReturnOrigins'],
    [{ billingReturnOrigins: ['https://app.example.com/billing'] }, 'billingReturnOrigins'],
    [{ billingReturnOrigins: ['javascript:alert(1)'] }, 'billingReturnOrigins'],
    [{ billingReturnOrigins: ['https://a.example', 'https://a.example'] }, 'billingReturnOrigins'],
    [{ billingReturnOrigins: 'https://app.example.com' }, 'billingReturnOrigins'],
    [{ name: null }, 'name'],
    [{ slug: 'another' }, 'slug'],
    [{ parentId: null }, 'parentId'],
  ])('refuses the patch %j', async (body, field) => {
    const answer = await house.server('PATCH', `${PATH}/${house.credentials.organizationId}`, body);
    expect(answer).toMatchObject({ status: 400, body: { code: 'validation_failed', errors: [{ field }] } });
  });

  it('that a patch does not change keeps its updatedAt and tells nobody', async () => {
    const before = await create();
    const answer = await house.server('PATCH', `${PATH}/${before.id}`, {
      name: before['name'],
      billingReturnOrigins: [],
    });
    expect(answer).toMatchObject({ status: 200, body: before });
    expect(await house.events(before.id, 'organization.updated')).toEqual([]);
  });
});

describe('who may see and change organizations', () => {
  it('any secret key lists its own and those it created, page by page, newest first', async () => {
    const { organizationId } = house.credentials;
    await stranger();
    const child = await create();
    const { secretKey, projectSecretKey } = house.credentials;
    for (const key of [secretKey, projectSecretKey]) {
      const all = idsOf(await withKey(key, 'GET', `${PATH}?limit=200`));
      const known = await house.sql<{ id: string }>(
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
      await house.server('POST', '/api/v1/projects', { name: 'Theirs', organizationId: child.id })
    ).body;
    const { key } = (await house
      .server('POST', `/api/v1/projects/${project.id}/api-keys`, {
        name: 'Theirs',
        scopes: ['organization:read', 'organization:write'],
      })
      .then(({ body }) => body)) as { key: string };
    const grandchild = await create(key);
    expect(grandchild['parentId']).toBe(child.id);
    expect(idsOf(await withKey(key, 'GET', PATH))).toEqual([grandchild.id, child.id]);
    expect((await withKey(key, 'GET', `${PATH}/${house.credentials.organizationId}`)).status).toBe(404);
    expect((await house.server('GET', `${PATH}/${grandchild.id}`)).status).toBe(404);
    expect(idsOf(await house.server('GET', `${PATH}?limit=200`))).not.toContain(grandchild.id);
  });

  it('AK-04: out of reach is like one that does not exist, and nothing is written', async () => {
    const other = await stranger();
    const targets: [key: string, id: string][] = [
      [house.credentials.secretKey, other.organizationId],
      [other.key, house.credentials.organizationId],
      [house.credentials.secretKey, 'x'],
      [house.credentials.secretKey, house.credentials.organizationId.toUpperCase()],
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
    expect(await house.sql(`SELECT id FROM organizations WHERE name = 'Taken over'`)).toEqual([]);
  });

  it("AK-04: another organization's cursor is refused", async () => {
    const other = await stranger();
    await create();
    const { nextCursor } = (await house.server('GET', `${PATH}?limit=1`)).body;
    expect(nextCursor).not.toBeNull();
    const answer = await withKey(other.key, 'GET', `${PATH}?limit=1&cursor=${nextCursor}`);
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_cursor' } });
  });

  it('a project key changes none', async () => {
    const { projectSecretKey, organizationId } = house.credentials;
    const refusal = { status: 403, body: { code: 'insufficient_access', requiredAccess: 'organization' } };
    expect(await withKey(projectSecretKey, 'POST', PATH, { name: 'A', slug: slug() })).toMatchObject(refusal);
    const path = `${PATH}/${organizationId}`;
    expect(await withKey(projectSecretKey, 'PATCH', path, { name: 'A' })).toMatchObject(refusal);
    expect((await withKey(projectSecretKey, 'GET', path)).status).toBe(200);
  });

  it.each([
    ['GET', '', 'organization:read', 'organization:write'],
    ['GET', '/own', 'organization:read', 'organization:write'],
    ['POST', '', 'organization:write', 'organization:read'],
    ['PATCH', '/own', 'organization:write', 'organization:read'],
  ])('AK-06: %s %s needs %s', async (method, target, needed, other) => {
    const options = { ...house.credentials, type: 'secret', access: 'organization' } as const;
    const path = PATH + target.replace('own', house.credentials.organizationId);
    const body = method === 'GET' ? undefined : {};
    const refused = await withKey(
      await insertKey(house, { ...options, scopes: [other] }),
      method,
      path,
      body,
    );
    expect(refused).toMatchObject({
      status: 403,
      body: { code: 'insufficient_scope', requiredScopes: [needed] },
    });
    const taken = await withKey(await insertKey(house, { ...options, scopes: [needed] }), method, path, body);
    expect(taken.status).not.toBe(403);
  });
});

describe('events of organizations', () => {
  it('are heard by endpoints of organization level alone, and belong to no project', async () => {
    const receiver = await Receiver.start();
    const projectReceiver = await Receiver.start();
    const endpoint = { url: receiver.url, level: 'organization' };
    expect((await house.server('POST', '/v1/webhooks/endpoints', endpoint)).status).toBe(201);
    await house.createEndpoint(projectReceiver.url);
    const child = await create();
    const { organizationId } = house.credentials;
    const changes = { name: 'Renamed', billingReturnOrigins: ['https://app.example.com'] };
    const updated = await house.server('PATCH', `${PATH}/${organizationId}`, changes);

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
      const found = await house.attempts({ event: 'organization.updated' });
      return found.length > 0 && found;
    });
    expect(attempts).toMatchObject([{ project_id: null, success: true }]);
    expect(projectReceiver.requests).toEqual([]);
    await Promise.all([receiver.stop(), projectReceiver.stop()]);
  });
});
