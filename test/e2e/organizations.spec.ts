import { randomUUID } from 'node:crypto';
import { checkCases } from '../support/check-cases.js';
import { eventually } from '../support/eventually.js';
import { TestInstance } from '../support/test-instance.js';
import { Receiver } from '../support/receiver.js';
import { insertKey, insertOrganization } from '../support/tenants.js';

const PATH = '/api/v1/organizations';

let instance: TestInstance;
beforeAll(async () => (instance = await TestInstance.startShared()));
afterAll(async () => instance?.stop());

const createSlug = () => `org-${randomUUID().slice(0, 8)}`;
const create = async (key = instance.credentials.secretKey) => {
  const response = await instance.requestWithBearer(key, 'POST', PATH, { name: 'Child', slug: createSlug() });
  expect(response).toMatchObject({ status: 201 });
  return response.body as Record<string, any> & { id: string };
};
const listIds = ({ body }: { body: any }) => (body.data as { id: string }[]).map(({ id }) => id);

it('an organization is created, read and patched; a patch without a change emits no event', async () => {
  const created = await create();
  const path = `${PATH}/${created.id}`;
  expect(created['parentId']).toBe(instance.credentials.organizationId);
  expect((await instance.requestWithSecretKey('GET', path)).body).toEqual(created);
  const same = { name: 'Child', billingReturnOrigins: [] };
  expect(await instance.requestWithSecretKey('PATCH', path, same)).toMatchObject({
    status: 200,
    body: created,
  });
  expect(await instance.events(created.id, 'organization.updated')).toEqual([]);

  const billingReturnOrigins = ['https://app.example.com', 'http://localhost:5173', 'http://127.0.0.1'];
  const patched = await instance.requestWithSecretKey('PATCH', path, { billingReturnOrigins });
  expect(patched).toMatchObject({ status: 200, body: { name: 'Child', billingReturnOrigins } });
  const renamed = await instance.requestWithSecretKey('PATCH', path, { name: 'Other' });
  expect(renamed.body).toMatchObject({ name: 'Other', billingReturnOrigins });
  const unset = await instance.requestWithSecretKey('PATCH', path, { billingReturnOrigins: null });
  expect(unset.body).toMatchObject({ name: 'Other', billingReturnOrigins: [] });
  expect((await instance.requestWithSecretKey('GET', path)).body).toEqual(unset.body);
});

it("an organization's invalid or read-only field is rejected and reported by name", async () => {
  const ownPath = `${PATH}/${instance.credentials.organizationId}`;
  const origins = (...billingReturnOrigins: string[]) => ({ billingReturnOrigins });
  const cases: [field: string, method: string, body: object][] = [
    ['slug', 'POST', { name: 'A', slug: 'ab' }],
    ['slug', 'POST', { name: 'A', slug: 'Abc' }],
    ['name', 'POST', { name: '', slug: 'abc' }],
    ['parentId', 'POST', { name: 'A', slug: 'abc', parentId: randomUUID() }],
    ['billingReturnOrigins', 'PATCH', origins('http://app.example.com')],
    ['billingReturnOrigins', 'PATCH', origins('https://app.example.com/')],
    ['billingReturnOrigins', 'PATCH', origins('javascript:alert(1)')],
    ['billingReturnOrigins', 'PATCH', origins('https://a.example', 'https://a.example')],
    ['billingReturnOrigins', 'PATCH', { billingReturnOrigins: 'https://app.example.com' }],
    ['name', 'PATCH', { name: null }],
    ['slug', 'PATCH', { slug: 'another' }],
    ['parentId', 'PATCH', { parentId: null }],
  ];
  await checkCases(
    cases.map((each) => [JSON.stringify(each), ...each] as const),
    async (field: string, method: string, body: object) => {
      const response = await instance.requestWithSecretKey(method, method === 'POST' ? PATH : ownPath, body);
      expect(response).toMatchObject({
        status: 400,
        body: { code: 'validation_failed', errors: [{ field }] },
      });
    },
  );
});

it("an organization's slug is unique in the instance, even among parallel requests", async () => {
  const other = await insertOrganization(instance);
  const key = await insertKey(instance, { ...other, type: 'secret', access: 'organization' });
  const requested = { name: 'Same', slug: createSlug() };
  const responses = await Promise.all(
    [instance.credentials.secretKey, key, instance.credentials.secretKey].map((each) =>
      instance.requestWithBearer(each, 'POST', PATH, requested),
    ),
  );
  expect(responses.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
  expect(responses.find(({ status }) => status === 409)!.body.code).toBe('slug_taken');
});

it('a secret key lists its organization and those it created, in pages, newest first', async () => {
  const { organizationId, secretKey, projectSecretKey } = instance.credentials;
  await insertOrganization(instance);
  const child = await create();
  const expected = await instance.sql<{ id: string }>(
    'SELECT id FROM organizations WHERE id = $1 OR parent_id = $1 ORDER BY id DESC',
    [organizationId],
  );
  expect(expected[0]!.id).toBe(child.id);
  for (const key of [secretKey, projectSecretKey]) {
    const listedIds: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page = await instance.requestWithBearer(
        key,
        'GET',
        `${PATH}?limit=2${cursor && `&cursor=${cursor}`}`,
      );
      expect(page.body.hasMore).toBe(page.body.nextCursor !== null);
      listedIds.push(...listIds(page));
      cursor = page.body.nextCursor;
    }
    expect(listedIds).toEqual(expected.map(({ id }) => id));
  }
});

it('an organization can access the organizations that it created, but not its creator', async () => {
  const child = await create();
  const project = (
    await instance.requestWithSecretKey('POST', '/api/v1/projects', {
      name: 'Theirs',
      organizationId: child.id,
    })
  ).body;
  const { key } = (await instance
    .requestWithSecretKey('POST', `/api/v1/projects/${project.id}/api-keys`, {
      name: 'Theirs',
      access: 'organization',
      scopes: ['organization:read', 'organization:write'],
    })
    .then(({ body }) => body)) as { key: string };
  const grandchild = await create(key);
  expect(grandchild['parentId']).toBe(child.id);
  expect(listIds(await instance.requestWithBearer(key, 'GET', PATH))).toEqual([grandchild.id, child.id]);
  expect(
    (await instance.requestWithBearer(key, 'GET', `${PATH}/${instance.credentials.organizationId}`)).status,
  ).toBe(404);
  expect((await instance.requestWithSecretKey('GET', `${PATH}/${grandchild.id}`)).status).toBe(404);
  expect(listIds(await instance.requestWithSecretKey('GET', `${PATH}?limit=200`))).not.toContain(
    grandchild.id,
  );
});

it('organization events without a project are sent only to organization endpoints', async () => {
  const receiver = await Receiver.start();
  const projectReceiver = await Receiver.start();
  const endpoint = { url: receiver.url, level: 'organization' };
  expect((await instance.requestWithSecretKey('POST', '/v1/webhooks/endpoints', endpoint)).status).toBe(201);
  await instance.createEndpoint(projectReceiver.url);
  const child = await create();
  const { organizationId } = instance.credentials;
  const changes = { name: 'Renamed', billingReturnOrigins: ['https://app.example.com'] };
  const updated = await instance.requestWithSecretKey('PATCH', `${PATH}/${organizationId}`, changes);

  const created = await eventually(
    'organization.created',
    () => receiver.listByType('organization.created')[0],
  );
  expect(created.event).toMatchObject({
    project_id: null,
    organization_id: organizationId,
    data: { organization: child },
  });
  const received = await eventually(
    'organization.updated',
    () => receiver.listByType('organization.updated')[0],
  );
  expect(received.event).toMatchObject({ project_id: null, organization_id: organizationId });
  expect(received.event.data).toEqual({
    organization: updated.body,
    previous: { name: 'My organization', billingReturnOrigins: [] },
  });
  const attempts = await eventually('the logged attempt', async () => {
    const found = await instance.listAttempts({ event: 'organization.updated' });
    return found.length > 0 && found;
  });
  expect(attempts).toMatchObject([{ project_id: null, success: true }]);
  // This event is emitted after the others.
  await instance.register();
  await eventually('customer.created', () => projectReceiver.listByType('customer.created')[0]);
  const types = projectReceiver.requests.map(({ event }) => event.type);
  expect(types.filter((type) => type.startsWith('organization'))).toEqual([]);
  await Promise.all([receiver.stop(), projectReceiver.stop()]);
});
