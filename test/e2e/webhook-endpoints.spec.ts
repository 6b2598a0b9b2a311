import { TestInstance } from '../support/test-instance.js';
import { retryWhileRejected } from '../support/retry-while-rejected.js';
import { insertProject } from '../support/tenants.js';

let instance: TestInstance;
// Rate limits are off, because the tests send more requests per second than a key may.
beforeAll(async () => (instance = await TestInstance.startShared({ workers: 0 })));
afterAll(async () => instance?.stop());

const base = '/v1/webhooks/endpoints';
const create = (body: object) => instance.requestWithSecretKey('POST', base, body);

describe('a webhook endpoint', () => {
  it('returns its secret only when created, changes by merge patch, and can be deleted', async () => {
    const created = await create({ url: 'https://example.com/hook', description: 'CRM' });
    expect(created).toMatchObject({ status: 201, body: { success: true } });
    const { secret, ...record } = created.body.data;
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(record).toEqual({
      id: expect.stringMatching(/^ep_[0-9a-f-]{36}$/),
      level: 'project',
      project_id: instance.credentials.projectId,
      name: 'example.com',
      url: 'https://example.com/hook',
      description: 'CRM',
      events: ['*'],
      status: 'enabled',
      disabled_reason: null,
      headers: {},
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    const path = `${base}/${record.id}`;
    expect((await instance.requestWithSecretKey('GET', path)).body).toEqual({ success: true, data: record });
    const [row] = await instance.sql(
      `SELECT w::text AS line FROM webhook_endpoints w WHERE url = 'https://example.com/hook'`,
    );
    expect(row!['line']).not.toContain(Buffer.from(secret as string).toString('hex'));

    const change = { events: ['customer.*'], description: null };
    const patched = await instance.requestWithSecretKey('PATCH', path, change);
    expect(patched.body.data).toEqual({ ...record, ...change, updated_at: expect.any(String) });
    expect((await instance.requestWithSecretKey('PATCH', path, {})).status).toBe(200);
    for (const body of [
      ...[{ url: null }, { events: null }, { events: [] }, { events: ['nope'] }],
      ...[{ secret: 'x' }, { status: 'disabled' }],
    ]) {
      const { status, body: problem } = await instance.requestWithSecretKey('PATCH', path, body);
      expect([body, status, problem.code]).toEqual([body, 400, 'validation_failed']);
    }

    expect(await instance.requestWithSecretKey('DELETE', path)).toMatchObject({ status: 204, body: '' });
    for (const method of ['GET', 'DELETE'])
      expect((await instance.requestWithSecretKey(method, path)).status).toBe(404);
    const { body } = await instance.requestWithSecretKey('GET', `${base}?limit=200`);
    expect((body.data as { id: string }[]).map(({ id }) => id)).not.toContain(record.id);
  });

  it("uses the URL's host as its name until it gets another name of 1 to 100 characters", async () => {
    const named = { url: 'https://Hooks.example.com:8443/a?b', name: '  Order service ' };
    const { id, name, url } = (await create(named)).body.data;
    expect([name, url]).toEqual(['Order service', 'https://hooks.example.com:8443/a?b']);
    const rename = async (change: object) =>
      (await instance.requestWithSecretKey('PATCH', `${base}/${id}`, change)).body.data?.name;
    expect(await rename({ description: 'CRM' })).toBe('Order service');
    expect(await rename({ name: 'x'.repeat(101) })).toBeUndefined();
    expect(await rename({ name: null })).toBe('hooks.example.com:8443');
    expect(await rename({ url: 'https://crm.example.com' })).toBe('crm.example.com');
  });

  it('returns the normalized URL that deliveries use', async () => {
    const called = 'https://xn--mnchen-3ya.example/a%20b?c=%C3%A4';
    const { id, url } = (await create({ url: 'HTTPS://MÜNCHEN.example:443/x/../a%20b?c=ä' })).body.data;
    const patched = await instance.requestWithSecretKey('PATCH', `${base}/${id}`, {
      url: 'https://CRM.example',
    });
    expect([url, patched.body.data.url]).toEqual([called, 'https://crm.example/']);
    const tooLong = await create({ url: `https://example.com/${'ä'.repeat(1_000)}` });
    expect(tooLong).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'url', code: 'invalid_target' }] },
    });
  });

  it('receives the events of the whole organization only if created with an organization key', async () => {
    const body = { url: 'https://example.com/all', level: 'organization' };
    expect((await create(body)).body.data).toMatchObject({ level: 'organization', project_id: null });
    const headers = { authorization: `Bearer ${instance.credentials.projectSecretKey}` };
    const rejected = await instance.request('POST', base, { headers, body });
    expect(rejected).toMatchObject({
      status: 403,
      body: { code: 'insufficient_access', requiredAccess: 'organization' },
    });
  });

  it('WH-01, WH-03: rejects forbidden URLs, and accepts loopback outside production', async () => {
    const { id } = (await create({ url: 'http://127.0.0.1:4000/' })).body.data;
    for (const url of ['ftp://example.com/', 'https://10.0.0.1/', 'https://[::ffff:127.0.0.1]/']) {
      for (const response of [
        await create({ url }),
        await instance.requestWithSecretKey('PATCH', `${base}/${id}`, { url }),
      ])
        expect([url, response]).toMatchObject([url, { status: 400, body: { errors: [{ field: 'url' }] } }]);
    }
    expect((await create({ url: 'https://nowhere.invalid/' })).status).toBe(201);
  });

  it('causes an error if it is the fifty-first in a project, even if created concurrently', async () => {
    const { projectId } = await insertProject(instance, instance.credentials.organizationId);
    // The endpoints are created one after the other. A request that waits too long for a connection is retried.
    const createInProject = () =>
      retryWhileRejected(() => create({ url: 'https://example.com/many', project_id: projectId }));
    const responses = await Promise.all(Array.from({ length: 52 }, createInProject));
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(50);
    const rejected = responses.filter(({ status }) => status !== 201);
    expect(rejected.map(({ body }) => body.code)).toEqual(['too_many_endpoints', 'too_many_endpoints']);
    const [first] = (await instance.requestWithSecretKey('GET', `${base}?project_id=${projectId}`)).body.data;
    expect((await instance.requestWithSecretKey('DELETE', `${base}/${first.id}`)).status).toBe(204);
    expect((await createInProject()).status).toBe(201);
  });
});
