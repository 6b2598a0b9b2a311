import { TestInstance } from '../support/test-instance.js';
import { patiently } from '../support/patiently.js';
import { insertProject } from '../support/tenants.js';

let instance: TestInstance;
// More requests a second than one key may send.
beforeAll(async () => (instance = await TestInstance.shared({ workers: 0 })));
afterAll(async () => instance?.stop());

const base = '/v1/webhooks/endpoints';
const create = (body: object) => instance.server('POST', base, body);

describe('webhook endpoints', () => {
  it('are created with a secret that no other answer shows', async () => {
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
    expect((await instance.server('GET', `${base}/${record.id}`)).body).toEqual({
      success: true,
      data: record,
    });
    const [row] = await instance.sql(
      `SELECT w::text AS line FROM webhook_endpoints w WHERE url = 'https://example.com/hook'`,
    );
    expect(row!['line']).not.toContain(Buffer.from(secret as string).toString('hex'));
  });

  it('change by merge patch and keep their secret', async () => {
    const { id } = (await create({ url: 'https://example.com/a', description: 'x' })).body.data;
    const patched = await instance.server('PATCH', `${base}/${id}`, {
      events: ['customer.*'],
      description: null,
    });
    expect(patched.body.data).toMatchObject({
      url: 'https://example.com/a',
      events: ['customer.*'],
      description: null,
    });
    expect((await instance.server('PATCH', `${base}/${id}`, {})).status).toBe(200);
    for (const body of [
      { url: null },
      { events: null },
      { events: [] },
      { events: ['nope'] },
      { secret: 'x' },
      { status: 'disabled' },
    ]) {
      expect(await instance.server('PATCH', `${base}/${id}`, body)).toMatchObject({
        status: 400,
        body: { code: 'validation_failed' },
      });
    }
  });

  it('are gone after delete, and a second delete finds nothing', async () => {
    const { id } = (await create({ url: 'https://example.com/gone' })).body.data;
    const deleted = await instance.server('DELETE', `${base}/${id}`);
    expect(deleted).toMatchObject({ status: 204, body: '' });
    for (const method of ['GET', 'DELETE'])
      expect((await instance.server(method, `${base}/${id}`)).status).toBe(404);
    const { body } = await instance.server('GET', `${base}?limit=200`);
    expect((body.data as { id: string }[]).map((endpoint) => endpoint.id)).not.toContain(id);
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

  it('of an organization show a project key nothing of what they heard', async () => {
    const endpoint = (await create({ url: 'https://example.com/?token=private', level: 'organization' })).body
      .data;
    await instance.register();
    const [row] = await instance.sql('SELECT id FROM deliveries WHERE endpoint_id = $1', [
      endpoint.id.slice(3),
    ]);
    const headers = { authorization: `Bearer ${instance.credentials.projectSecretKey}` };
    const path = `/v1/webhooks/deliveries/dlv_${row!['id']}`;
    expect((await instance.server('GET', path)).status).toBe(200);
    expect((await instance.request('GET', path, { headers })).status).toBe(404);
    expect((await instance.request('POST', `${path}/redeliver`, { headers })).status).toBe(404);
  });

  it('page through lists with cursors that belong to their list', async () => {
    for (let index = 0; index < 5; index += 1) await create({ url: `https://example.com/page/${index}` });
    const all = (await instance.server('GET', `${base}?limit=200`)).body;
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const query: string = cursor ? `&cursor=${cursor}` : '';
      const { body } = await instance.server('GET', `${base}?limit=2${query}`);
      seen.push(...(body.data as { id: string }[]).map(({ id }) => id));
      expect(body.has_more).toBe(body.next_cursor !== null);
      cursor = body.next_cursor;
    }
    expect(seen).toEqual((all.data as { id: string }[]).map(({ id }) => id));
    expect(all).toMatchObject({ next_cursor: null, has_more: false });

    const first = (await instance.server('GET', `${base}?limit=2`)).body.next_cursor as string;
    const foreign = [
      instance.server('GET', `/v1/webhooks/deliveries?cursor=${first}`),
      instance.server('GET', `${base}?cursor=${first}&project_id=${instance.credentials.projectId}`),
      instance.server('GET', `${base}?cursor=${first.slice(0, -1)}${first.endsWith('A') ? 'B' : 'A'}`),
      instance.server('GET', `${base}?cursor=${first}=`),
      instance.server('GET', `${base}?cursor=`),
      instance.request('GET', `${base}?cursor=${first}`, {
        headers: { authorization: `Bearer ${instance.credentials.projectSecretKey}` },
      }),
    ];
    for (const answer of await Promise.all(foreign)) {
      expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_cursor' } });
    }
  });

  it('refuse targets that no endpoint may have (WH-01, WH-03)', async () => {
    const urls = [
      'ftp://example.com/',
      'javascript:alert(1)',
      '//example.com/',
      'https://user:secret@example.com/',
      'https://example.com/#fragment',
      'https://10.0.0.1/',
      'https://169.254.169.254/latest/meta-data',
      'https://[::ffff:127.0.0.1]/',
      'https://[fe80::1]/',
      'https://0x0a000001/',
      `https://example.com/${'x'.repeat(2050)}`,
    ];
    const answers = await Promise.all(urls.map(async (url) => ({ url, answer: await create({ url }) })));
    const accepted = answers.filter(
      ({ answer }) => answer.status !== 400 || answer.body.errors[0]?.field !== 'url',
    );
    expect(accepted).toEqual([]);
  });

  it('are at most fifty in a project, however many are created at once', async () => {
    const { projectId } = await insertProject(instance, instance.credentials.organizationId);
    // One after the other, while those behind wait for a connection: one that waits too long asks again.
    const inProject = () =>
      patiently(() => create({ url: 'https://example.com/many', project_id: projectId }));
    const answers = await Promise.all(Array.from({ length: 52 }, inProject));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(50);
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused.map(({ body }) => body.code)).toEqual(['too_many_endpoints', 'too_many_endpoints']);
    const [one] = (await instance.server('GET', `${base}?project_id=${projectId}`)).body.data;
    expect((await instance.server('DELETE', `${base}/${one.id}`)).status).toBe(204);
    expect((await inProject()).status).toBe(201);
  });

  it('take loopback outside production, and names that do not resolve', async () => {
    for (const url of [
      'http://127.0.0.1:4000/',
      'http://localhost:4000/',
      'http://[::1]:4000/',
      'https://nowhere.invalid/',
    ]) {
      expect((await create({ url })).status).toBe(201);
    }
  });
});
