import { randomUUID } from 'node:crypto';
import { checkCases } from '../support/check-cases.js';
import { TestInstance, PASSWORD, type TestResponse } from '../support/test-instance.js';
import { insertOrganization } from '../support/tenants.js';
import { uniqueEmail } from '../support/unique-email.js';

const MISSING = '019aa2c0-7d1e-7000-8000-000000000000';
const PATH = '/api/v1/projects';

let instance: TestInstance;
beforeAll(async () => (instance = await TestInstance.startShared({ workers: 0 })));
afterAll(async () => instance?.stop());

const expectCreated = (response: TestResponse) => {
  expect(response).toMatchObject({ status: 201 });
  return response.body as Record<string, any> & { id: string };
};
const create = async (body: object = { name: 'Shop' }) =>
  expectCreated(await instance.requestWithSecretKey('POST', PATH, body));
const createKey = async (projectId: string, body: object) =>
  expectCreated(
    await instance.requestWithSecretKey('POST', `${PATH}/${projectId}/api-keys`, { name: 'test', ...body }),
  );
const archive = (id: string) => instance.requestWithSecretKey('POST', `${PATH}/${id}/archive`);
const createChildOrganization = async () => {
  const slug = `org-${randomUUID().slice(0, 8)}`;
  return expectCreated(
    await instance.requestWithSecretKey('POST', '/api/v1/organizations', { name: 'Child', slug }),
  ).id;
};
const list = async (query = '', key = instance.credentials.secretKey) => {
  const response = await instance.requestWithBearer(key, 'GET', `${PATH}?limit=200${query}`);
  expect(response).toMatchObject({ status: 200 });
  return (response.body.data as { id: string }[]).map(({ id }) => id);
};

describe('creating a project', () => {
  it('uses the defaults for omitted fields', async () => {
    const project = await create({ name: 'Analytical Engine' });
    expect(project).toMatchObject({
      organizationId: instance.credentials.organizationId,
      slug: 'analytical-engine',
      environment: 'development',
      settings: { accessTokenTtl: 3600, allowedOrigins: [] },
      archivedAt: null,
    });
    expect((await instance.requestWithSecretKey('GET', `${PATH}/${project.id}`)).body).toEqual(project);
    expect(await instance.events(project.id, 'project.created')).toMatchObject([
      { project_id: project.id, organization_id: project['organizationId'], data: { project } },
    ]);
  });

  it('stores all fields, and requires a slug that is unique in its organization', async () => {
    const body = { name: 'Shop', slug: 'my-shop', environment: 'production' };
    const settings = { accessTokenTtl: 600, branding: { color: '#0f172a' } };
    for (const organizationId of [await createChildOrganization(), await createChildOrganization()]) {
      expect(await create({ ...body, organizationId, settings })).toMatchObject({
        ...body,
        organizationId,
        settings: {
          accessTokenTtl: 600,
          passwordMinLength: 8,
          branding: { color: '#0f172a', logoUrl: null },
        },
      });
      expect(await instance.requestWithSecretKey('POST', PATH, { ...body, organizationId })).toMatchObject({
        status: 409,
        body: { code: 'slug_taken' },
      });
    }
  });

  it('creates unique slugs for equal names, even concurrently', async () => {
    const projects = await Promise.all(Array.from({ length: 6 }, () => create({ name: 'Twin' })));
    const slugs = projects.map(({ slug }) => slug as string);
    expect(new Set(slugs).size).toBe(6);
    for (const slug of slugs) expect(slug).toMatch(/^twin(-[0-9a-f]{8})?$/);
    expect((await create({ name: '日本' }))['slug']).toBe('project');
  });

  it('rejects and reports every missing, invalid or unknown field', async () => {
    const cases: [field: string, invalid: object][] = [
      ['name', { name: undefined }],
      ['name', { name: '' }],
      ['slug', { slug: 'A B' }],
      ['environment', { environment: 'test' }],
      ['organizationId', { organizationId: 'x' }],
      ['settings.accessTokenTtl', { settings: { accessTokenTtl: 1 } }],
      ['settings.unheardOf', { settings: { unheardOf: 1 } }],
      ['settings.refreshIdleTtl', { settings: { refreshIdleTtl: 600, refreshAbsoluteTtl: 500 } }],
      ['archivedAt', { archivedAt: null }],
    ];
    await checkCases(
      cases.map((each) => [JSON.stringify(each), ...each] as const),
      async (field: string, invalid: object) => {
        expect(await instance.requestWithSecretKey('POST', PATH, { name: 'A', ...invalid })).toMatchObject({
          status: 400,
          body: { code: 'validation_failed', errors: [{ field }] },
        });
      },
    );
  });

  it('AK-05: returns the same 404 for an inaccessible organization as for a missing one', async () => {
    const { organizationId } = await insertOrganization(instance);
    const [foreign, missing] = await Promise.all(
      [organizationId, MISSING].map((id) =>
        instance.requestWithSecretKey('POST', PATH, { name: 'Intruder', organizationId: id }),
      ),
    );
    expect(missing).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect({ ...foreign!.body, requestId: '' }).toEqual({ ...missing!.body, requestId: '' });
    expect(await instance.sql(`SELECT id FROM projects WHERE name = 'Intruder'`)).toEqual([]);
  });
});

describe('the list of projects', () => {
  it("contains only the projects of a secret key's organization and of its child organizations", async () => {
    const ownProject = await create();
    const childProject = await create({ name: 'Theirs', organizationId: await createChildOrganization() });
    const otherTenant = await insertOrganization(instance);
    for (const key of [instance.credentials.secretKey, instance.credentials.projectSecretKey]) {
      const ids = await list('', key);
      expect(ids).toEqual([...ids].sort().reverse());
      expect(ids).toEqual(
        expect.arrayContaining([instance.credentials.projectId, ownProject.id, childProject.id]),
      );
      expect(ids).not.toContain(otherTenant.projectId);
    }
    expect(await list('', otherTenant.secretKey)).toEqual([otherTenant.projectId]);
  });

  it('filters by organization, environment and archival', async () => {
    const organizationId = await createChildOrganization();
    const staging = await create({ name: 'Staging', organizationId, environment: 'staging' });
    const archived = await create({ name: 'Old', organizationId });
    expect((await archive(archived.id)).status).toBe(200);
    const filter = `&organizationId=${organizationId}`;
    expect(await list(filter)).toEqual([archived.id, staging.id]);
    expect(await list(`${filter}&environment=staging`)).toEqual([staging.id]);
    expect(await list(`${filter}&archived=true`)).toEqual([archived.id]);
    expect(await list(`${filter}&archived=false`)).toEqual([staging.id]);
    const otherTenant = await insertOrganization(instance);
    expect(await list(`&organizationId=${otherTenant.organizationId}`)).toEqual([]);
  });

  it('returns pages, and rejects undocumented filters and the cursor of another filter', async () => {
    await create();
    const all = await list();
    const first = (await instance.requestWithSecretKey('GET', `${PATH}?limit=1`)).body;
    expect(first).toMatchObject({ hasMore: true, data: [{ id: all[0] }] });
    const second = (await instance.requestWithSecretKey('GET', `${PATH}?limit=1&cursor=${first.nextCursor}`))
      .body;
    expect(second.data).toMatchObject([{ id: all[1] }]);
    for (const [query, code] of [
      [`environment=staging&cursor=${first.nextCursor}`, 'invalid_cursor'],
      ['environment=test', 'validation_failed'],
      ['archived=yes', 'validation_failed'],
      ['organizationId=x', 'validation_failed'],
      ['page=2', 'validation_failed'],
    ]) {
      expect(await instance.requestWithSecretKey('GET', `${PATH}?${query}`)).toMatchObject({
        status: 400,
        body: { code },
      });
    }
  });
});

describe('archiving a project', () => {
  it("invalidates its keys and its customers' tokens immediately, but deletes no data", async () => {
    const project = await create();
    const secret = await createKey(project.id, { access: 'project' });
    const { key: publishable } = await createKey(project.id, { type: 'publishable' });
    const post = (path: string, body: object) =>
      instance.request('POST', `/api/v1/auth/${path}`, {
        body,
        headers: { 'x-publishable-key': publishable },
      });
    const login = { email: 'ada@example.com', password: PASSWORD };
    const { tokens } = (await post('register', login)).body;
    expect((await instance.requestWithAccessToken(tokens.accessToken, 'GET', '/api/v1/me')).status).toBe(200);

    const archived = await archive(project.id);
    expect(archived).toMatchObject({ status: 200, body: { id: project.id } });
    expect(archived.body.archivedAt).toBe(archived.body.updatedAt);

    expect(await instance.requestWithBearer(secret.key, 'GET', PATH)).toMatchObject({
      status: 401,
      body: { code: 'invalid_api_key' },
    });
    expect((await post('login', login)).status).toBe(401);
    expect(await instance.requestWithAccessToken(tokens.accessToken, 'GET', '/api/v1/me')).toMatchObject({
      status: 401,
      body: { code: 'invalid_access_token' },
    });
    const { refreshToken } = tokens;
    expect(await instance.request('POST', '/api/v1/auth/refresh', { body: { refreshToken } })).toMatchObject({
      status: 401,
      body: { code: 'invalid_refresh_token' },
    });
    expect((await instance.requestWithSecretKey('GET', `${PATH}/${project.id}`)).body).toEqual(archived.body);
    const keys = await instance.requestWithSecretKey('GET', `${PATH}/${project.id}/api-keys`);
    expect(keys.body.data).toHaveLength(2);
    const stored = await instance.sql('SELECT email FROM customers WHERE project_id = $1', [project.id]);
    expect(stored).toEqual([{ email: 'ada@example.com' }]);
  });

  it('takes effect once, even in parallel, with one event', async () => {
    const { id } = await create();
    const responses = await Promise.all([archive(id), archive(id), archive(id)]);
    responses.push(await archive(id));
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(new Set(responses.map(({ body }) => body.archivedAt)).size).toBe(1);
    expect(await instance.events(id, 'project.archived')).toHaveLength(1);
  });

  it('rejects later changes and new resources, but still revokes keys', async () => {
    const { id } = await create();
    const { id: keyId } = await createKey(id, {});
    await archive(id);
    const rejected = [
      await instance.requestWithSecretKey('PATCH', `${PATH}/${id}`, { name: 'Again' }),
      await instance.requestWithSecretKey('POST', `${PATH}/${id}/api-keys`, { name: 'Late' }),
      await instance.requestWithSecretKey('POST', `${PATH}/${id}/api-keys/${keyId}/rotate`),
      await instance.requestWithSecretKey('POST', '/api/v1/customers', {
        projectId: id,
        email: 'late@example.com',
      }),
      await instance.requestWithSecretKey('POST', '/v1/webhooks/endpoints', {
        project_id: id,
        url: 'http://127.0.0.1:9/',
      }),
    ];
    for (const response of rejected) {
      expect(response).toMatchObject({ status: 409, body: { code: 'project_archived' } });
    }
    expect((await instance.requestWithSecretKey('DELETE', `${PATH}/${id}/api-keys/${keyId}`)).status).toBe(
      204,
    );
  });

  it('still lets organization keys read, export and delete customers, but not change them', async () => {
    const CUSTOMERS = '/api/v1/customers';
    const { id: projectId } = await create();
    const { key: publishable } = await createKey(projectId, { type: 'publishable' });
    const email = uniqueEmail();
    const { customer } = expectCreated(
      await instance.request('POST', '/api/v1/auth/register', {
        body: { email, password: PASSWORD },
        headers: { 'x-publishable-key': publishable },
      }),
    );
    const { id } = customer;
    expect((await archive(projectId)).status).toBe(200);

    for (const query of [`projectId=${projectId}`, `email=${email}`, `projectId=${projectId}&q=${email}`]) {
      expect(await instance.requestWithSecretKey('GET', `${CUSTOMERS}?${query}`)).toMatchObject({
        status: 200,
        body: { data: [{ id, projectId, email }], hasMore: false },
      });
    }
    const unfiltered = await instance.requestWithSecretKey('GET', CUSTOMERS);
    expect(unfiltered.body.data).toContainEqual(expect.objectContaining({ id }));
    const path = `${CUSTOMERS}/${id}`;
    expect(await instance.requestWithSecretKey('GET', `${path}/export`)).toMatchObject({
      status: 200,
      body: { customer: { id, email } },
    });
    const readCustomer = async () => [
      (await instance.requestWithSecretKey('GET', path)).body,
      (await instance.requestWithSecretKey('GET', `${path}/sessions`)).body,
    ];
    const before = await readCustomer();
    expect(before).toMatchObject([{ id, email }, { data: [{}] }]);
    for (const [method, route, body] of [
      ['PATCH', '', { firstName: 'Late' }],
      ['POST', '/disable'],
      ['POST', '/enable'],
      ['POST', '/unlock'],
      ['DELETE', '/sessions'],
      ['DELETE', `/sessions/${before[1].data[0].id}`],
    ] as const) {
      expect(await instance.requestWithSecretKey(method, path + route, body)).toMatchObject({
        status: 409,
        body: { code: 'project_archived' },
      });
    }
    expect(await readCustomer()).toEqual(before);
    expect(
      await instance.requestWithBearer(instance.credentials.projectSecretKey, 'GET', path),
    ).toMatchObject({
      status: 404,
    });

    expect((await instance.requestWithSecretKey('DELETE', path)).status).toBe(204);
    expect((await instance.requestWithSecretKey('GET', path)).status).toBe(404);
    expect(await instance.sql('SELECT id FROM customers WHERE project_id = $1', [projectId])).toEqual([]);
    expect(await instance.events(projectId, 'customer.deleted')).toMatchObject([
      { data: { customer: { id } } },
    ]);
  });

  it("fails with one of the project's own keys", async () => {
    expect(await archive(instance.credentials.projectId)).toMatchObject({
      status: 409,
      body: { code: 'own_project' },
    });
  });

  it('fails if the project has the last organization key of its organization', async () => {
    const organizationId = await createChildOrganization();
    const first = await create({ name: 'First', organizationId });
    const second = await create({ name: 'Second', organizationId });
    const keyOptions = { access: 'organization', scopes: ['api_key:write'] };
    await createKey(first.id, keyOptions);
    const rejection = { status: 409, body: { code: 'last_organization_key' } };
    expect(await archive(first.id)).toMatchObject(rejection);
    await createKey(second.id, { ...keyOptions, access: 'project' });
    expect(await archive(first.id)).toMatchObject(rejection);
    await createKey(second.id, keyOptions);
    const both = await Promise.all([archive(first.id), archive(second.id)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
  });
});
