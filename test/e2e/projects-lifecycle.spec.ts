import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { inChunks } from '../support/in-chunks.js';
import { TestInstance, PASSWORD } from '../support/test-instance.js';
import { insertKey, insertOrganization, insertProject } from '../support/tenants.js';

const MISSING = '019aa2c0-7d1e-7000-8000-000000000000';
const PATH = '/api/v1/projects';

let instance: TestInstance;
beforeAll(async () => {
  instance = await TestInstance.shared({ workers: 0 });
});
afterAll(async () => instance?.stop());

const withKey = (key: string, method: string, path: string, body?: unknown) =>
  instance.request(method, path, { body, headers: { authorization: `Bearer ${key}` } });
const create = async (body: object = { name: 'Made' }) => {
  const answer = await instance.server('POST', PATH, body);
  expect(answer).toMatchObject({ status: 201 });
  return answer.body as Record<string, any> & { id: string };
};
const mint = async (projectId: string, body: object) => {
  const answer = await instance.server('POST', `${PATH}/${projectId}/api-keys`, { name: 'test', ...body });
  expect(answer).toMatchObject({ status: 201 });
  return answer.body as { id: string; key: string };
};
const archive = (id: string) => instance.server('POST', `${PATH}/${id}/archive`);
const childOrganization = async () => {
  const slug = `org-${randomUUID().slice(0, 8)}`;
  const { body } = await instance.server('POST', '/api/v1/organizations', { name: 'Child', slug });
  return body.id as string;
};
const list = async (query = '', key = instance.credentials.secretKey) => {
  const answer = await withKey(key, 'GET', `${PATH}?limit=200${query}`);
  expect(answer).toMatchObject({ status: 200 });
  return (answer.body.data as { id: string }[]).map(({ id }) => id);
};

describe('creating a project', () => {
  it('takes the defaults for what is left out', async () => {
    const project = await create({ name: 'Analytical Engine' });
    expect(project).toMatchObject({
      organizationId: instance.credentials.organizationId,
      name: 'Analytical Engine',
      slug: 'analytical-engine',
      environment: 'development',
      settings: { accessTokenTtl: 3600, allowedOrigins: [] },
      archivedAt: null,
    });
    expect((await instance.server('GET', `${PATH}/${project.id}`)).body).toEqual(project);
    expect(await instance.events(project.id, 'project.created')).toMatchObject([
      { project_id: project.id, organization_id: project['organizationId'], data: { project } },
    ]);
  });

  it('takes everything that is sent', async () => {
    const organizationId = await childOrganization();
    const settings = { accessTokenTtl: 600, branding: { color: '#0f172a' } };
    const body = { name: 'Shop', slug: 'my-shop', environment: 'production', organizationId };
    expect(await create({ ...body, settings })).toMatchObject({
      ...body,
      settings: { accessTokenTtl: 600, passwordMinLength: 8, branding: { color: '#0f172a', logoUrl: null } },
    });
  });

  it('makes slugs of its own for names that are the same, also at the same time', async () => {
    const made = await Promise.all(Array.from({ length: 6 }, () => create({ name: 'Twin' })));
    const slugs = made.map(({ slug }) => slug as string);
    expect(new Set(slugs).size).toBe(6);
    for (const slug of slugs) expect(slug).toMatch(/^twin(-[0-9a-f]{8})?$/);
    expect((await create({ name: '日本' }))['slug']).toBe('project');
  });

  it('refuses a slug that the organization has, and takes it in another one', async () => {
    const body = { name: 'A', slug: `slug-${randomUUID().slice(0, 8)}` };
    await create(body);
    expect(await instance.server('POST', PATH, body)).toMatchObject({
      status: 409,
      body: { code: 'slug_taken' },
    });
    await create({ ...body, organizationId: await childOrganization() });
  });

  it('refuses every field that is missing, wrong or unknown, by its name', async () => {
    const cases: [body: object, field: string][] = [
      [{}, 'name'],
      [{ name: '' }, 'name'],
      [{ name: 'A', slug: 'A B' }, 'slug'],
      [{ name: 'A', environment: 'test' }, 'environment'],
      [{ name: 'A', organizationId: 'x' }, 'organizationId'],
      [{ name: 'A', settings: { accessTokenTtl: 1 } }, 'settings.accessTokenTtl'],
      [{ name: 'A', settings: { unheardOf: 1 } }, 'settings.unheardOf'],
      [{ name: 'A', settings: { refreshIdleTtl: 600, refreshAbsoluteTtl: 500 } }, 'settings.refreshIdleTtl'],
      [{ name: 'A', archivedAt: null }, 'archivedAt'],
    ];
    const faults = await inChunks(cases, async ([sent, field]) => {
      const { status, body } = await instance.server('POST', PATH, sent);
      const found = [status, body.code, body.errors?.[0]?.field];
      return isDeepStrictEqual(found, [400, 'validation_failed', field]) ? [] : [{ sent, found }];
    });
    expect(faults).toEqual([]);
  });

  it('AK-05: in an organization out of reach is as in one that does not exist', async () => {
    const stranger = await insertOrganization(instance);
    const answers = [stranger.organizationId, MISSING].map((organizationId) =>
      instance.server('POST', PATH, { name: 'Intruder', organizationId }),
    );
    const [there, missing] = await Promise.all(answers);
    expect(missing).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect({ ...there!.body, requestId: '' }).toEqual({ ...missing!.body, requestId: '' });
    expect(await instance.sql(`SELECT id FROM projects WHERE name = 'Intruder'`)).toEqual([]);
  });

  it('asks for an organization key with the scope', async () => {
    const { projectSecretKey } = instance.credentials;
    expect(await withKey(projectSecretKey, 'POST', PATH, { name: 'A' })).toMatchObject({
      status: 403,
      body: { code: 'insufficient_access', requiredAccess: 'organization' },
    });
    const key = await insertKey(instance, {
      ...instance.credentials,
      type: 'secret',
      access: 'organization',
      scopes: ['project:read'],
    });
    expect(await withKey(key, 'POST', PATH, { name: 'A' })).toMatchObject({
      status: 403,
      body: { code: 'insufficient_scope', requiredScopes: ['project:write'] },
    });
  });
});

describe('the list of projects', () => {
  it('shows any secret key the organization and those it created, and nobody else', async () => {
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

  it('refuses a filter or a page that is not documented', async () => {
    const queries = [
      'environment=test',
      'archived=yes',
      'organizationId=x',
      'limit=0',
      'limit=201',
      'page=2',
    ];
    const faults = await inChunks(queries, async (query) => {
      const { status, body } = await instance.server('GET', `${PATH}?${query}`);
      return status === 400 && body.code === 'validation_failed' ? [] : [{ query, status }];
    });
    expect(faults).toEqual([]);
  });

  it('is read page by page; a cursor belongs to its list, its filter and its organization', async () => {
    await create();
    await create();
    const all = await list();
    const first = (await instance.server('GET', `${PATH}?limit=1`)).body;
    expect(first).toMatchObject({ hasMore: true, data: [{ id: all[0] }] });
    const second = (await instance.server('GET', `${PATH}?limit=1&cursor=${first.nextCursor}`)).body;
    expect(second.data).toMatchObject([{ id: all[1] }]);

    const stranger = await insertOrganization(instance);
    const refusals = [
      await withKey(stranger.secretKey, 'GET', `${PATH}?cursor=${first.nextCursor}`),
      await instance.server('GET', `${PATH}?environment=staging&cursor=${first.nextCursor}`),
      await instance.server('GET', `/api/v1/organizations?cursor=${first.nextCursor}`),
    ];
    for (const answer of refusals) {
      expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_cursor' } });
    }
  });

  it('AK-06: needs project:read', async () => {
    const key = await insertKey(instance, {
      ...instance.credentials,
      type: 'secret',
      scopes: ['project:write'],
    });
    expect(await withKey(key, 'GET', PATH)).toMatchObject({
      status: 403,
      body: { code: 'insufficient_scope', requiredScopes: ['project:read'] },
    });
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
    expect((await instance.customer(tokens.accessToken, 'GET', '/api/v1/me')).status).toBe(200);

    const archived = await archive(project.id);
    expect(archived).toMatchObject({ status: 200, body: { id: project.id } });
    expect(archived.body.archivedAt).toBe(archived.body.updatedAt);

    expect(await withKey(secret.key, 'GET', PATH)).toMatchObject({
      status: 401,
      body: { code: 'invalid_api_key' },
    });
    expect((await page('login', login)).status).toBe(401);
    expect(await instance.customer(tokens.accessToken, 'GET', '/api/v1/me')).toMatchObject({
      status: 401,
      body: { code: 'invalid_access_token' },
    });
    const { refreshToken } = tokens;
    expect(await instance.request('POST', '/api/v1/auth/refresh', { body: { refreshToken } })).toMatchObject({
      status: 401,
      body: { code: 'invalid_refresh_token' },
    });
    expect((await instance.server('GET', `${PATH}/${project.id}`)).body).toEqual(archived.body);
    const keys = await instance.server('GET', `${PATH}/${project.id}/api-keys`);
    expect(keys.body.data).toHaveLength(2);
    const kept = await instance.sql('SELECT email FROM customers WHERE project_id = $1', [project.id]);
    expect(kept).toEqual([{ email: 'ada@example.com' }]);
  });

  it('a second time, or at the same time, changes nothing and tells nobody', async () => {
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
      await instance.server('PATCH', `${PATH}/${id}`, { name: 'Again' }),
      await instance.server('POST', `${PATH}/${id}/api-keys`, { name: 'Late' }),
      await instance.server('POST', `${PATH}/${id}/api-keys/${keyId}/rotate`),
      await instance.server('POST', '/api/v1/customers', { projectId: id, email: 'late@example.com' }),
      await instance.server('POST', '/v1/webhooks/endpoints', { project_id: id, url: 'http://127.0.0.1:9/' }),
    ];
    for (const answer of refused) {
      expect(answer).toMatchObject({ status: 409, body: { code: 'project_archived' } });
    }
    expect((await instance.server('DELETE', `${PATH}/${id}/api-keys/${keyId}`)).status).toBe(204);
  });

  describe('with customers in it', () => {
    const CUSTOMERS = '/api/v1/customers';
    const archivedWithCustomer = async () => {
      const { id: projectId } = await create();
      const { key: publishable } = await mint(projectId, { type: 'publishable' });
      const email = `${randomUUID()}@example.com`;
      const headers = { 'x-publishable-key': publishable };
      const body = { email, password: PASSWORD };
      const registered = await instance.request('POST', '/api/v1/auth/register', { body, headers });
      expect(registered).toMatchObject({ status: 201 });
      const [row] = await instance.sql('SELECT id FROM customers WHERE project_id = $1', [projectId]);
      const id = row!['id'] as string;
      expect((await archive(projectId)).status).toBe(200);
      return { projectId, id, email };
    };

    it('lets an organization key list, read and export them', async () => {
      const { projectId, id, email } = await archivedWithCustomer();
      const lists = [
        `projectId=${projectId}`,
        `email=${email}`,
        `q=${email}`,
        `projectId=${projectId}&q=${email}`,
      ];
      for (const query of lists) {
        expect(await instance.server('GET', `${CUSTOMERS}?${query}`)).toMatchObject({
          status: 200,
          body: { data: [{ id, projectId, email }], hasMore: false },
        });
      }
      const everywhere = await instance.server('GET', CUSTOMERS);
      expect(everywhere.body.data).toEqual(expect.arrayContaining([expect.objectContaining({ id })]));
      expect(await instance.server('GET', `${CUSTOMERS}/${id}`)).toMatchObject({
        status: 200,
        body: { id, email },
      });
      expect(await instance.server('GET', `${CUSTOMERS}/${id}/export`)).toMatchObject({
        status: 200,
        body: { customer: { id, email } },
      });
      const sessions = await instance.server('GET', `${CUSTOMERS}/${id}/sessions`);
      expect(sessions).toMatchObject({ status: 200, body: { data: [{}] } });
    });

    it('refuses every change of them, and leaves them as they were', async () => {
      const { id } = await archivedWithCustomer();
      const before = (await instance.server('GET', `${CUSTOMERS}/${id}`)).body;
      const sessions = (await instance.server('GET', `${CUSTOMERS}/${id}/sessions`)).body;
      const refused = [
        await instance.server('PATCH', `${CUSTOMERS}/${id}`, { firstName: 'Late' }),
        await instance.server('POST', `${CUSTOMERS}/${id}/disable`),
        await instance.server('POST', `${CUSTOMERS}/${id}/enable`),
        await instance.server('POST', `${CUSTOMERS}/${id}/unlock`),
        await instance.server('DELETE', `${CUSTOMERS}/${id}/sessions`),
        await instance.server('DELETE', `${CUSTOMERS}/${id}/sessions/${sessions.data[0].id}`),
      ];
      for (const answer of refused) {
        expect(answer).toMatchObject({ status: 409, body: { code: 'project_archived' } });
      }
      expect((await instance.server('GET', `${CUSTOMERS}/${id}`)).body).toEqual(before);
      expect((await instance.server('GET', `${CUSTOMERS}/${id}/sessions`)).body).toEqual(sessions);
    });

    it('lets an organization key erase them', async () => {
      const { projectId, id } = await archivedWithCustomer();
      expect((await instance.server('DELETE', `${CUSTOMERS}/${id}`)).status).toBe(204);
      expect((await instance.server('GET', `${CUSTOMERS}/${id}`)).status).toBe(404);
      expect(await instance.sql('SELECT id FROM customers WHERE project_id = $1', [projectId])).toEqual([]);
      expect(await instance.events(projectId, 'customer.deleted')).toMatchObject([
        { data: { customer: { id } } },
      ]);
    });

    it('hides them from keys that do not reach the project', async () => {
      const { projectId, id } = await archivedWithCustomer();
      const stranger = await insertOrganization(instance);
      const foreign = await insertKey(instance, { ...stranger, type: 'secret', access: 'organization' });
      for (const key of [foreign, instance.credentials.projectSecretKey]) {
        expect((await withKey(key, 'GET', `${CUSTOMERS}?projectId=${projectId}`)).body.data).toEqual([]);
        for (const [method, path, body] of [
          ['GET', ''],
          ['GET', '/export'],
          ['PATCH', '', { firstName: 'Mine' }],
          ['POST', '/disable'],
          ['DELETE', '/sessions'],
          ['DELETE', ''],
        ] as const) {
          const answer = await withKey(key, method, `${CUSTOMERS}/${id}${path}`, body);
          expect(answer).toMatchObject({ status: 404, body: { code: 'not_found' } });
        }
      }
      expect((await instance.server('GET', `${CUSTOMERS}/${id}`)).status).toBe(200);
    });
  });

  it('is refused to a key of the project itself', async () => {
    expect(await archive(instance.credentials.projectId)).toMatchObject({
      status: 409,
      body: { code: 'own_project' },
    });
  });

  it('is refused where the last organization key of an organization lives', async () => {
    const organizationId = await childOrganization();
    const first = await create({ name: 'First', organizationId });
    const second = await create({ name: 'Second', organizationId });
    const minting = { scopes: ['api_key:write'] };
    await mint(first.id, minting);
    const refusal = { status: 409, body: { code: 'last_organization_key' } };
    expect(await archive(first.id)).toMatchObject(refusal);
    await mint(second.id, { ...minting, access: 'project' });
    expect(await archive(first.id)).toMatchObject(refusal);
    await mint(second.id, minting);
    const both = await Promise.all([archive(first.id), archive(second.id)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  it('AK-04: out of reach is like one that does not exist, and stays', async () => {
    const stranger = await insertOrganization(instance);
    const key = await insertKey(instance, { ...stranger, type: 'secret', access: 'organization' });
    const sibling = await insertProject(instance, instance.credentials.organizationId);
    const missing = await archive(MISSING);
    expect(missing).toMatchObject({ status: 404, body: { code: 'not_found' } });
    for (const [with_, id] of [
      [instance.credentials.secretKey, stranger.projectId],
      [key, sibling.projectId],
    ] as const) {
      const answer = await withKey(with_, 'POST', `${PATH}/${id}/archive`);
      expect({ ...answer.body, requestId: '' }).toEqual({ ...missing.body, requestId: '' });
    }
    expect(await withKey(sibling.secretKey, 'POST', `${PATH}/${sibling.projectId}/archive`)).toMatchObject({
      status: 403,
      body: { code: 'insufficient_access' },
    });
    const archived = await instance.sql(
      'SELECT id FROM projects WHERE id = ANY($1) AND archived_at IS NOT NULL',
      [[stranger.projectId, sibling.projectId]],
    );
    expect(archived).toEqual([]);
  });
});
