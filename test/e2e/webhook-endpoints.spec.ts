import { TestInstance } from '../support/test-instance.js';
import { retryWhileRejected } from '../support/retry-while-rejected.js';
import { insertProject } from '../support/tenants.js';

let instance: TestInstance;
// More requests a second than one key may send.
beforeAll(async () => (instance = await TestInstance.startShared({ workers: 0 })));
afterAll(async () => instance?.stop());

const base = '/v1/webhooks/endpoints';
const create = (body: object) => instance.requestWithSecretKey('POST', base, body);

describe('webhook endpoints', () => {
  it('are created with a secret that no other response shows, changed by merge patch, and gone after a delete', async () => {
    const created = await create({ url: 'https://example.com/hook', description: 'CRM' });
    expect(created).toMatchObject({ status: 201, body: { success: true } });
    const { secret, ...record } = created.body.data;
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(record).toEqual({
      id: expect.stringMatching(/^ep_[0-9a-f-]{36}$/),
      level: 'project',
      project_id: instance.credentials.projectId,
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

  it('may hear the whole organization, by an organization key only', async () => {
    const body = { url: 'https://example.com/all', level: 'organization' };
    expect((await create(body)).body.data).toMatchObject({ level: 'organization', project_id: null });
    const headers = { authorization: `Bearer ${instance.credentials.projectSecretKey}` };
    const refused = await instance.request('POST', base, { headers, body });
    expect(refused).toMatchObject({
      status: 403,
      body: { code: 'insufficient_access', requiredAccess: 'organization' },
    });
  });

  it('refuse targets that no endpoint may have, on create and on change, and take loopback outside production (WH-01, WH-03)', async () => {
    const { id } = (await create({ url: 'http://127.0.0.1:4000/' })).body.data;
    for (const url of ['ftp://example.com/', 'https://10.0.0.1/', 'https://[::ffff:127.0.0.1]/']) {
      for (const answer of [
        await create({ url }),
        await instance.requestWithSecretKey('PATCH', `${base}/${id}`, { url }),
      ])
        expect([url, answer]).toMatchObject([url, { status: 400, body: { errors: [{ field: 'url' }] } }]);
    }
    expect((await create({ url: 'https://nowhere.invalid/' })).status).toBe(201);
  });

  it('are at most fifty in a project, however many are created at once', async () => {
    const { projectId } = await insertProject(instance, instance.credentials.organizationId);
    // One after the other, while those behind wait for a connection: one that waits too long asks again.
    const inProject = () =>
      retryWhileRejected(() => create({ url: 'https://example.com/many', project_id: projectId }));
    const answers = await Promise.all(Array.from({ length: 52 }, inProject));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(50);
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused.map(({ body }) => body.code)).toEqual(['too_many_endpoints', 'too_many_endpoints']);
    const [one] = (await instance.requestWithSecretKey('GET', `${base}?project_id=${projectId}`)).body.data;
    expect((await instance.requestWithSecretKey('DELETE', `${base}/${one.id}`)).status).toBe(204);
    expect((await inProject()).status).toBe(201);
  });
});
