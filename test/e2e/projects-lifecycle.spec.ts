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

const created = (answer: TestResponse) => {
  expect(answer).toMatchObject({ status: 201 });
  return answer.body as Record<string, any> & { id: string };
};
const create = async (body: object = { name: 'Made' }) =>
  created(await instance.requestWithSecretKey('POST', PATH, body));
const mint = async (projectId: string, body: object) =>
  created(
    await instance.requestWithSecretKey('POST', `${PATH}/${projectId}/api-keys`, { name: 'test', ...body }),
  );
const archive = (id: string) => instance.requestWithSecretKey('POST', `${PATH}/${id}/archive`);
const childOrganization = async () => {
  const slug = `org-${randomUUID().slice(0, 8)}`;
  return created(
    await instance.requestWithSecretKey('POST', '/api/v1/organizations', { name: 'Child', slug }),
  ).id;
};
const list = async (query = '', key = instance.credentials.secretKey) => {
  const answer = await instance.requestWithBearer(key, 'GET', `${PATH}?limit=200${query}`);
  expect(answer).toMatchObject({ status: 200 });
  return (answer.body.data as { id: string }[]).map(({ id }) => id);
};

describe('creating a project', () => {
  it('takes the defaults for what is left out', async () => {
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

  it('takes everything that is sent; a slug is unique in its organization', async () => {
    const body = { name: 'Shop', slug: 'my-shop', environment: 'production' };
    const settings = { accessTokenTtl: 600, branding: { color: '#0f172a' } };
    for (const organizationId of [await childOrganization(), await childOrganization()]) {
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

  it('makes slugs of its own for names that are the same, also at the same time', async () => {
    const made = await Promise.all(Array.from({ length: 6 }, () => create({ name: 'Twin' })));
    const slugs = made.map(({ slug }) => slug as string);
    expect(new Set(slugs).size).toBe(6);
    for (const slug of slugs) expect(slug).toMatch(/^twin(-[0-9a-f]{8})?$/);
    expect((await create({ name: '日本' }))['slug']).toBe('project');
  });

  it('refuses every field that is missing, wrong or unknown, by its name', async () => {
    const cases: [field: string, wrong: object][] = [
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
      async (field: string, wrong: object) => {
        expect(await instance.requestWithSecretKey('POST', PATH, { name: 'A', ...wrong })).toMatchObject({
          status: 400,
          body: { code: 'validation_failed', errors: [{ field }] },
        });
      },
    );
  });

  it('AK-05: in an organization out of reach is as in one that does not exist', async () => {
    const { organizationId } = await insertOrganization(instance);
    const [there, missing] = await Promise.all(
      [organizationId, MISSING].map((id) =>
        instance.requestWithSecretKey('POST', PATH, { name: 'Intruder', organizationId: id }),
      ),
    );
    expect(missing).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect({ ...there!.body, requestId: '' }).toEqual({ ...missing!.body, requestId: '' });
    expect(await instance.sql(`SELECT id FROM projects WHERE name = 'Intruder'`)).toEqual([]);
  });
});

describe('the list of projects', () => {
  it('shows any secret key the organization and those it created, and no others', async () => {
    const own = await create();
    const theirs = await create({ name: 'Theirs', organizationId: await childOrganization() });
    const stranger = await insertOrganization(instance);
    for (const key of [instance.credentials.secretKey, instance.credentials.projectSecretKey]) {
      const ids = await list('', key);
      expect(ids).toEqual([...ids].sort().reverse());
      expect(ids).toEqual(expect.arrayContaining([instance.credentials.projectId, own.id, theirs.id]));
      expect(ids).not.toContain(stranger.projectId);
    }
    expect(await list('', stranger.secretKey)).toEqual([stranger.projectId]);
  });

  it('is filtered by organization, environment and archival', async () => {
    const organizationId = await childOrganization();
    const staging = await create({ name: 'Staging', organizationId, environment: 'staging' });
    const archived = await create({ name: 'Old', organizationId });
    expect((await archive(archived.id)).status).toBe(200);
    const only = `&organizationId=${organizationId}`;
    expect(await list(only)).toEqual([archived.id, staging.id]);
    expect(await list(`${only}&environment=staging`)).toEqual([staging.id]);
    expect(await list(`${only}&archived=true`)).toEqual([archived.id]);
    expect(await list(`${only}&archived=false`)).toEqual([staging.id]);
    const stranger = await insertOrganization(instance);
    expect(await list(`&organizationId=${stranger.organizationId}`)).toEqual([]);
  });

  it('is read page by page; refuses a filter that is not documented, and a cursor of another one', async () => {
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
  it("stops its keys and its customers' tokens at once, and keeps its data", async () => {
    const project = await create();
    const secret = await mint(project.id, { access: 'project' });
    const { key: publishable } = await mint(project.id, { type: 'publishable' });
    const page = (path: string, body: object) =>
      instance.request('POST', `/api/v1/auth/${path}`, {
        body,
        headers: { 'x-publishable-key': publishable },
      });
    const login = { email: 'ada@example.com', password: PASSWORD };
    const { tokens } = (await page('register', login)).body;
    expect((await instance.requestWithAccessToken(tokens.accessToken, 'GET', '/api/v1/me')).status).toBe(200);

    const archived = await archive(project.id);
    expect(archived).toMatchObject({ status: 200, body: { id: project.id } });
    expect(archived.body.archivedAt).toBe(archived.body.updatedAt);

    expect(await instance.requestWithBearer(secret.key, 'GET', PATH)).toMatchObject({
      status: 401,
      body: { code: 'invalid_api_key' },
    });
    expect((await page('login', login)).status).toBe(401);
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
    const kept = await instance.sql('SELECT email FROM customers WHERE project_id = $1', [project.id]);
    expect(kept).toEqual([{ email: 'ada@example.com' }]);
  });

  it('happens once, also in parallel, with one event', async () => {
    const { id } = await create();
    const answers = await Promise.all([archive(id), archive(id), archive(id)]);
    answers.push(await archive(id));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(new Set(answers.map(({ body }) => body.archivedAt)).size).toBe(1);
    expect(await instance.events(id, 'project.archived')).toHaveLength(1);
  });

  it('leaves a project that takes nothing any more', async () => {
    const { id } = await create();
    const { id: keyId } = await mint(id, {});
    await archive(id);
    const refused = [
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
    for (const answer of refused) {
      expect(answer).toMatchObject({ status: 409, body: { code: 'project_archived' } });
    }
    expect((await instance.requestWithSecretKey('DELETE', `${PATH}/${id}/api-keys/${keyId}`)).status).toBe(
      204,
    );
  });

  it('leaves its customers to organization keys, which read, export and erase but do not change them', async () => {
    const CUSTOMERS = '/api/v1/customers';
    const { id: projectId } = await create();
    const { key: publishable } = await mint(projectId, { type: 'publishable' });
    const email = uniqueEmail();
    const { customer } = created(
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
    const everywhere = await instance.requestWithSecretKey('GET', CUSTOMERS);
    expect(everywhere.body.data).toContainEqual(expect.objectContaining({ id }));
    const path = `${CUSTOMERS}/${id}`;
    expect(await instance.requestWithSecretKey('GET', `${path}/export`)).toMatchObject({
      status: 200,
      body: { customer: { id, email } },
    });
    const state = async () => [
      (await instance.requestWithSecretKey('GET', path)).body,
      (await instance.requestWithSecretKey('GET', `${path}/sessions`)).body,
    ];
    const before = await state();
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
    expect(await state()).toEqual(before);
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

  it('is refused to a key of the project itself', async () => {
    expect(await archive(instance.credentials.projectId)).toMatchObject({
      status: 409,
      body: { code: 'own_project' },
    });
  });

  it('is refused where the last organization key of an organization is', async () => {
    const organizationId = await childOrganization();
    const first = await create({ name: 'First', organizationId });
    const second = await create({ name: 'Second', organizationId });
    const minting = { access: 'organization', scopes: ['api_key:write'] };
    await mint(first.id, minting);
    const refusal = { status: 409, body: { code: 'last_organization_key' } };
    expect(await archive(first.id)).toMatchObject(refusal);
    await mint(second.id, { ...minting, access: 'project' });
    expect(await archive(first.id)).toMatchObject(refusal);
    await mint(second.id, minting);
    const both = await Promise.all([archive(first.id), archive(second.id)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
  });
});
