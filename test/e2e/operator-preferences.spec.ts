import { insertOperator, type OperatorClient } from '../support/operator-client.js';
import { TestInstance, type TestResponse } from '../support/test-instance.js';

let instance: TestInstance;
beforeAll(async () => void (instance = await TestInstance.startShared({ workers: 0 })));
afterAll(async () => instance?.stop());

const newViewer = (): Promise<OperatorClient> => insertOperator(instance, 'viewer');
const getPreferences = async (client: OperatorClient): Promise<unknown> =>
  (await client.request('GET', '/session')).body.preferences;
const patch = (client: OperatorClient, body: unknown): Promise<TestResponse> =>
  client.request('PATCH', '/session/preferences', body);

describe('the preferences of an operator', () => {
  it('have defaults, merge changes, and apply to this operator only', async () => {
    const [viewer, other] = [await newViewer(), await newViewer()];
    const defaults = { timeZone: 'local', pageSize: 50, columns: {} };
    expect(await getPreferences(viewer)).toEqual(defaults);
    await patch(viewer, { timeZone: 'utc' });
    await patch(viewer, { pageSize: 200, columns: { events: ['event'] } });
    const last = await patch(viewer, { columns: { customers: ['-email', 'status'] } });
    const expected = {
      timeZone: 'utc',
      pageSize: 200,
      columns: { events: ['event'], customers: ['-email', 'status'] },
    };
    expect([last.status, last.body, await getPreferences(viewer)]).toEqual([200, expected, expected]);
    await patch(viewer, { columns: { events: null } });
    expect(await getPreferences(viewer)).toMatchObject({ columns: { customers: ['-email', 'status'] } });
    expect(await getPreferences(other)).toEqual(defaults);
  });

  it.each([
    { timeZone: 'Europe/Vienna' },
    { pageSize: 1000 },
    { pageSize: null },
    { columns: { unknown: ['event'] } },
    { columns: { events: [] } },
    { columns: { events: ['event', 'event'] } },
    { columns: { events: ['<b>'] } },
    { columns: { events: Array.from({ length: 31 }, (_, index) => `c${index}`) } },
    { columns: [] },
    { theme: 'dark' },
  ])('reject %j', async (body) => {
    expect(await patch(await newViewer(), body)).toMatchObject({
      status: 400,
      body: { code: 'validation_failed' },
    });
  });
});

describe('a saved view of an operator', () => {
  const view = { list: 'deliveries', name: 'Failed today', query: 'success=false&time=today' };
  const listViews = async (client: OperatorClient): Promise<unknown> =>
    (await client.request('GET', '/session/views')).body.data;

  it('belongs to the operator, who creates, renames, updates and deletes it', async () => {
    const [viewer, other] = [await newViewer(), await newViewer()];
    const created = await viewer.request('POST', '/session/views', view);
    expect(created).toMatchObject({ status: 201, body: view });
    const path = `/session/views/${created.body.id}`;
    for (const response of [
      await other.request('PATCH', path, { name: 'Stolen' }),
      await other.request('DELETE', path),
    ])
      expect(response).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect(await listViews(other)).toEqual([]);
    await viewer.request('PATCH', path, { query: 'success=false' });
    const renamed = await viewer.request('PATCH', path, { name: 'Failures' });
    const expected = { ...created.body, name: 'Failures', query: 'success=false' };
    expect([renamed.body, await listViews(viewer)]).toEqual([expected, [expected]]);
    expect((await viewer.request('DELETE', path)).status).toBe(204);
    expect(await listViews(viewer)).toEqual([]);
  });

  it('has a limited size, and each operator has a limited number of views', async () => {
    const viewer = await newViewer();
    for (const body of [
      { ...view, list: 'unknown' },
      { ...view, name: '' },
      { ...view, query: 'x'.repeat(2001) },
    ])
      expect(await viewer.request('POST', '/session/views', body)).toMatchObject({ status: 400 });
    await instance.sql(
      `INSERT INTO saved_views (id, operator_id, list, name, query)
       SELECT gen_random_uuid(), $1, 'events', n, '' FROM generate_series(1, 49) n`,
      [viewer.operator.id],
    );
    const responses = await Promise.all([1, 2, 3].map(() => viewer.request('POST', '/session/views', view)));
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    expect(responses.find(({ status }) => status === 409)!.body.code).toBe('too_many_saved_views');
  });
});
