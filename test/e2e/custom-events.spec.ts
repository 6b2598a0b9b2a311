import { randomUUID } from 'node:crypto';
import { eventually } from '../support/eventually.js';
import { expectStatus } from '../support/customers.js';
import { LONG_RETRY_SCHEDULE } from '../support/delivery-times.js';
import { signIn } from '../support/operator-client.js';
import { Receiver } from '../support/receiver.js';
import { retryWhileRejected } from '../support/retry-while-rejected.js';
import { insertKey, insertOrganization, insertProject, type Tenant } from '../support/tenants.js';
import { TestInstance, type TestResponse } from '../support/test-instance.js';
import { uniqueEmail } from '../support/unique-email.js';
import { waitForFeed } from '../support/wait-for-feed.js';

const PATH = '/v1/events';

let instance: TestInstance;
let receiver: Receiver;
beforeAll(async () => {
  instance = await TestInstance.startShared({
    workerEnv: { PERIODIC_JOBS: 'off', WEBHOOK_TIMEOUT: '60s', WEBHOOK_RETRY_SCHEDULE: LONG_RETRY_SCHEDULE },
  });
  receiver = await Receiver.start();
});
afterAll(async () => {
  await instance?.stop();
  await receiver?.stop();
});

const newProject = (): Promise<Tenant> => insertProject(instance, instance.credentials.organizationId);

const as = (key: string) => ({
  send: (body: unknown): Promise<TestResponse> => instance.requestWithBearer(key, 'POST', PATH, body),
  get: async (path: string): Promise<any> =>
    expectStatus(200, await instance.requestWithBearer(key, 'GET', path)).body.data,
  post: (path: string, body?: unknown) => instance.requestWithBearer(key, 'POST', path, body),
  createEndpoint: async (events: string[], more = {}): Promise<string> => {
    const body = { url: receiver.url, events, ...more };
    return expectStatus(201, await instance.requestWithBearer(key, 'POST', '/v1/webhooks/endpoints', body))
      .body.data.id;
  },
});

const create = async (key: string, body: unknown): Promise<any> =>
  expectStatus(201, await as(key).send(body)).body.data;

/** Returns the endpoints for which an event has deliveries. Deliveries commit with their event. */
const endpointsOf = async (eventId: string): Promise<string[]> => {
  const rows = await instance.sql<{ id: string }>(
    'SELECT endpoint_id AS id FROM deliveries WHERE event_id = $1',
    [eventId.slice('evt_'.length)],
  );
  return rows.map(({ id }) => `ep_${id}`).sort();
};

const typesOf = (events: any[]): string[] => events.map(({ type }) => type as string);

describe('a custom event', () => {
  it('reaches endpoints subscribed to its type, to app.* or to *, with its data unchanged', async () => {
    const { projectId, organizationId, secretKey: key } = await newProject();
    const { createEndpoint } = as(key);
    const [full, all, any] = [
      await createEndpoint(['app.order.paid']),
      await createEndpoint(['customer.*', 'app.*']),
      await createEndpoint(['*']),
    ];
    await createEndpoint(['app.order', 'app.order.paid_late', 'customer.*', 'webhook.*']);
    const organizationEndpoint = await as(instance.credentials.secretKey).createEndpoint(['app.*'], {
      level: 'organization',
    });

    const data = '{ "total": 49.90, "2": "\\u00e9\\/", "1":[1E2, 0.12345678901234567890 ],\n\t"data":{} }';
    const event = await create(key, `{"data" : ${data} , "type":"app.order.paid"}`);
    expect(event).toEqual({
      id: expect.stringMatching(/^evt_/),
      type: 'app.order.paid',
      created_at: expect.any(String),
      project_id: projectId,
      organization_id: organizationId,
      data: JSON.parse(data),
    });
    expect(await endpointsOf(event.id)).toEqual([full, all, any, organizationEndpoint].sort());
    const received = () => receiver.requests.filter((request) => request.event.id === event.id);
    await eventually('four deliveries', () => received().length === 4);
    const { data: _, ...members } = event;
    const body = `${JSON.stringify(members).slice(0, -1)},"data":${data}}`;
    expect(received().map((request) => request.body)).toEqual([body, body, body, body]);
    expect(received()[0]!.headers['webhook-id']).toBe(event.id);

    const other = await create(key, { type: 'app.order', data: {} });
    expect(await endpointsOf(other.id)).not.toContain(full);
    expectStatus(
      200,
      await as(instance.credentials.secretKey).post(`/v1/webhooks/endpoints/${organizationEndpoint}/disable`),
    );
  });

  it('keeps its position in the list in which it is sent', async () => {
    const { secretKey: key } = await newProject();
    const types = Array.from({ length: 100 }, (_, index) => `app.step_${index}`);
    const { body } = expectStatus(
      201,
      await as(key).send(types.map((type) => ({ type, data: { deep: { type } } }))),
    );
    expect(body).toMatchObject({ success: true, next_cursor: null, has_more: false });
    expect(typesOf(body.data)).toEqual(types);
    expect(body.data[99].data).toEqual({ deep: { type: 'app.step_99' } });
    await waitForFeed(instance);
    expect(await as(key).get(`${PATH}?limit=200`)).toEqual(body.data);
    expect(await as(key).get(`${PATH}/${body.data[7].id}`)).toEqual(body.data[7]);
  });

  it('fails together with the other events in its list, with an error for each invalid field', async () => {
    const { secretKey: key } = await newProject();
    const response = await as(key).send([
      { type: 'app.paid', data: {} },
      { type: 'order.paid', data: [] },
      'app.paid',
      { type: 7, data: {}, project_id: 'x', id: 'evt_1' },
      {},
    ]);
    expect(response).toMatchObject({ status: 400, body: { success: false, code: 'validation_failed' } });
    expect(response.body.errors.map(({ field, code }: any) => [field, code])).toEqual([
      ['[1].type', 'invalid'],
      ['[1].data', 'invalid_type'],
      ['[2]', 'invalid_type'],
      ['[3].id', 'unknown_field'],
      ['[3].type', 'invalid_type'],
      ['[3].project_id', 'invalid'],
      ['[4].type', 'required'],
      ['[4].data', 'required'],
    ]);
    const foreign = await insertOrganization(instance);
    const events = [
      { type: 'app.paid', data: {} },
      { type: 'app.paid', data: {}, project_id: foreign.projectId },
    ];
    expect(await as(key).send(events)).toMatchObject({ status: 404, body: { code: 'not_found' } });
    await waitForFeed(instance);
    expect(await as(key).get(PATH)).toEqual([]);
  });

  it('has a type of at most 128 characters and data of at most 32 KiB, in a body of 64 KiB', async () => {
    const { secretKey: key } = await newProject();
    const type = (length: number): string => `app.${'x'.repeat(length - 4)}`;
    const data = (bytes: number): string => `{"a":"é${'x'.repeat(bytes - 10)}"}`;
    const event = (text: string): string => `{"type":"app.paid","data":${text}}`;
    const list = (bytes: number): string => {
      const start = `[${event(data(30_000))},${event(data(30_000))}`;
      return `${start}${' '.repeat(bytes - Buffer.byteLength(start) - 1)}]`;
    };
    const hundredEvents = Array.from({ length: 100 }, () => ({ type: 'app.paid', data: {} }));
    const cases: [body: unknown, status: number, error?: [field: string, code: string] | string][] = [
      [{ type: type(128), data: {} }, 201],
      [{ type: type(129), data: {} }, 400, ['type', 'too_long']],
      [event(data(32_768)), 201],
      [event(data(32_769)), 400, ['data', 'too_long']],
      [`[${event('{}')},${event(data(32_769))}]`, 400, ['[1].data', 'too_long']],
      [list(65_536), 201],
      [list(65_537), 413, 'payload_too_large'],
      [hundredEvents, 201],
      [[...hundredEvents, hundredEvents[0]], 400, ['body', 'too_long']],
      [[], 400, ['body', 'too_short']],
      ['"app.paid"', 400, 'invalid_json'],
      [undefined, 400, 'invalid_json'],
      [event('{"constructor":1}'), 400, 'invalid_json'],
      [`[${event('{"n":9007199254740993}')}]`, 400, 'invalid_json'],
    ];
    const failures = [];
    for (const [body, status, error] of cases) {
      const response = await as(key).send(body);
      const [first] = response.body.errors ?? [];
      const found = Array.isArray(error) ? [first?.field, first?.code] : error && response.body.code;
      if (response.status !== status || String(found) !== String(error))
        failures.push({ body: JSON.stringify(body)?.slice(0, 60), status: response.status, found });
    }
    expect(failures).toEqual([]);
    const inexact = await as(key).send(`[${event('{"n":9007199254740993}')}]`);
    expect(inexact.body.errors).toMatchObject([{ field: '[0].data.n', code: 'inexact_integer' }]);
  });

  it('belongs to the project of the key, or to another project that the key can access', async () => {
    const [ownProject, sibling] = [await newProject(), await newProject()];
    const foreign = await insertOrganization(instance);
    const archived = await newProject();
    await instance.sql('UPDATE projects SET archived_at = now() WHERE id = $1', [archived.projectId]);
    const organizationKey = await insertKey(instance, {
      ...ownProject,
      type: 'secret',
      access: 'organization',
    });
    const readOnlyKey = await insertKey(instance, { ...ownProject, type: 'secret', scopes: ['event:read'] });
    const event = (project?: string) => ({ type: 'app.paid', data: {}, project_id: project });
    const cases: [key: string, project: string | undefined, status: number, code: string | undefined][] = [
      [ownProject.secretKey, undefined, 201, undefined],
      [ownProject.secretKey, ownProject.projectId, 201, undefined],
      [ownProject.secretKey, sibling.projectId, 404, 'not_found'],
      [ownProject.secretKey, foreign.projectId, 404, 'not_found'],
      [organizationKey, undefined, 201, undefined],
      [organizationKey, sibling.projectId, 201, undefined],
      [organizationKey, archived.projectId, 409, 'project_archived'],
      [organizationKey, foreign.projectId, 404, 'not_found'],
      [organizationKey, randomUUID(), 404, 'not_found'],
      [readOnlyKey, undefined, 403, 'insufficient_scope'],
      [ownProject.publishableKey, undefined, 403, 'wrong_credential_type'],
    ];
    for (const [key, project, status, code] of cases) {
      const headers = { [key.startsWith('pk_') ? 'x-publishable-key' : 'x-api-key']: key };
      const response = await instance.request('POST', PATH, { body: event(project), headers });
      expect([project, response.status, response.body.code]).toEqual([project, status, code]);
      if (status === 201) expect(response.body.data.project_id).toBe(project ?? ownProject.projectId);
    }
    const list = [event(sibling.projectId), event(), event(sibling.projectId)];
    const events = await create(organizationKey, list);
    expect(events.map((each: any) => each.project_id)).toEqual([
      sibling.projectId,
      ownProject.projectId,
      sibling.projectId,
    ]);
  });

  it('appears once per Idempotency-Key', async () => {
    const { secretKey: key } = await newProject();
    const post = (idempotencyKey: string, body: unknown) =>
      instance.request('POST', PATH, {
        body,
        headers: { authorization: `Bearer ${key}`, 'idempotency-key': idempotencyKey },
      });
    const event = { type: 'app.paid', data: { customer: { id: 'cus_1' }, email: 'ada@example.com' } };
    for (const body of [event, [event, event]]) {
      const idempotencyKey = randomUUID();
      const first = expectStatus(201, await post(idempotencyKey, body));
      const second = expectStatus(201, await post(idempotencyKey, body));
      expect(second.body).toEqual(first.body);
      expect(second.headers.get('idempotent-replayed')).toBe('true');
      expect(await post(idempotencyKey, [event])).toMatchObject({
        status: 422,
        body: { code: 'idempotency_key_reused' },
      });
    }
    await waitForFeed(instance);
    expect(await as(key).get(PATH)).toHaveLength(3);
  });

  it('appears on the next page of the feed if the current one exceeds 2 MiB', async () => {
    const { secretKey: key } = await newProject();
    const large = { type: 'app.large', data: { text: 'x'.repeat(31_000) } };
    const ids: string[] = [];
    // Two of these events fit into one request.
    for (let sent = 0; sent < 80; sent += 2)
      ids.push(...(await create(key, [large, large])).map(({ id }: any) => id as string));
    await waitForFeed(instance);
    const read = async (query: string) =>
      expectStatus(200, await instance.requestWithBearer(key, 'GET', `${PATH}?limit=200${query}`)).body;
    const first = await read('');
    expect(first.data.length).toBeGreaterThan(60);
    expect(first.data.length).toBeLessThan(80);
    expect(first.has_more).toBe(true);
    const second = await read(`&cursor=${first.next_cursor}`);
    expect([...first.data, ...second.data].map(({ id }: any) => id as string)).toEqual(ids);
    expect(second.has_more).toBe(false);
  });

  it('appears under its type and under app.* in every list', async () => {
    const { projectId, secretKey: key } = await newProject();
    const { get, createEndpoint } = as(key);
    await createEndpoint(['app.*', 'customer.created']);
    const sent = await create(key, [
      { type: 'app.order.paid', data: {} },
      { type: 'app.order', data: {} },
      { type: 'app.order_paid', data: {} },
    ]);
    const customer = { email: uniqueEmail() };
    expectStatus(201, await instance.requestWithBearer(key, 'POST', '/api/v1/customers', customer));
    await waitForFeed(instance);
    const custom = typesOf(sent);
    const operator = await signIn(instance);
    const expected: [filter: string, types: string[]][] = [
      ['app.order.paid', ['app.order.paid']],
      ['app.*', custom],
      ['app.order,customer.*', ['app.order', 'customer.created']],
      ['*', [...custom, 'customer.created']],
      ['app.order.paid.twice', []],
    ];
    for (const [types, found] of expected) {
      expect([types, typesOf(await get(`${PATH}?types=${types}`))]).toEqual([types, found]);
      const query = `project_id=${projectId}&types=${types}`;
      const searched = await operator.request('GET', `/events?${query}`);
      expect([types, typesOf(searched.body.data).reverse()]).toEqual([types, found]);
      expect((await operator.request('GET', `/events/count?${query}`)).body.count).toBe(found.length);
    }
    expect(
      (await as(key).post('/v1/webhooks/endpoints', { url: receiver.url, events: ['app.order.*'] })).status,
    ).toBe(400);
    const invalid = ['types=app.order.*', 'types=app.'];
    for (const query of invalid)
      expect((await instance.requestWithBearer(key, 'GET', `${PATH}?${query}`)).status).toBe(400);

    const log = '/v1/webhooks/deliveries';
    const listed = async (event: string): Promise<string[]> =>
      (await get(`${log}?event=${event}`)).map((attempt: any) => attempt.event as string).sort();
    await eventually('four attempts', async () => (await get(log)).length === 4);
    expect(await listed('app.*')).toEqual([...custom].sort());
    expect(await listed('app.order')).toEqual(['app.order']);
    expect((await instance.requestWithBearer(key, 'GET', `${log}?event=app.order.*`)).status).toBe(400);
    const overview = await operator.request('GET', `/overview?range=1h&projectId=${projectId}`);
    expect(overview.body.byEvent).toEqual([
      { event: 'app.*', attempts: 3, failed: 0 },
      { event: 'customer.created', attempts: 1, failed: 0 },
    ]);
  });

  it('becomes a dead letter, is redelivered with the same bytes, and is recovered', async () => {
    const { secretKey: key, projectId } = await newProject();
    const { get, post, createEndpoint } = as(key);
    const endpoint = await createEndpoint(['app.*']);
    // Members named as in a customer response are not mistaken for a customer.
    const event = await create(
      key,
      '{"type":"app.invoice.due","data":{"customer":{"id":"cus_1"},"sum":1.50}}',
    );
    const received = () => receiver.requests.filter((request) => request.event.id === event.id);
    await eventually('a delivery', () => received().length === 1);
    const [attempt] = await eventually('an attempt', async () => {
      const attempts = await get('/v1/webhooks/deliveries?event=app.invoice.due');
      return attempts.length === 1 && attempts;
    });
    await instance.sql(`UPDATE deliveries SET state = 'failed' WHERE project_id = $1`, [projectId]);
    for (const filter of ['app.invoice.due', 'app.*']) {
      const deadLetters = await get(`/v1/webhooks/dead-letters?event=${filter}`);
      expect(deadLetters).toMatchObject([{ id: attempt.delivery_id, event: 'app.invoice.due' }]);
      const plan = await post('/v1/webhooks/redeliveries', { filter: { event: filter } });
      expect(plan).toMatchObject({ status: 201, body: { data: { eligible: 1 } } });
    }
    expect(await get('/v1/webhooks/dead-letters?event=app.invoice')).toEqual([]);
    const redeliver = () =>
      instance.request('POST', `/v1/webhooks/deliveries/${attempt.delivery_id}/redeliver`, {
        headers: { authorization: `Bearer ${key}`, 'idempotency-key': projectId },
      });
    const redelivery = expectStatus(202, await redeliver());
    expect((await redeliver()).body).toEqual(redelivery.body);
    await eventually('the redelivery', () => received().length === 2);
    expect(received()[1]!.body).toBe(received()[0]!.body);
    expect(received()[1]!.body).toContain('"sum":1.50');

    const path = `/v1/webhooks/endpoints/${endpoint}`;
    expectStatus(200, await post(`${path}/disable`));
    const since = new Date(Date.parse(event.created_at as string)).toISOString();
    const missed = await create(key, { type: 'app.invoice.paid', data: {} });
    expect(await endpointsOf(missed.id)).toEqual([]);
    expectStatus(200, await post(`${path}/enable`));
    const recovery = await retryWhileRejected(() => post(`${path}/recover`, { since }));
    expect(recovery).toMatchObject({ body: { data: { kind: 'recovery', eligible: 1 } } });
  });

  it('does not belong to a customer: deleting a customer whose id it contains does not erase it', async () => {
    const { secretKey: key } = await newProject();
    const created = await instance.requestWithBearer(key, 'POST', '/api/v1/customers', {
      email: uniqueEmail(),
    });
    const { id } = expectStatus(201, created).body;
    const event = await create(key, { type: 'app.order.paid', data: { customer: { id } } });
    expectStatus(204, await instance.requestWithBearer(key, 'DELETE', `/api/v1/customers/${id}`));
    expect(await as(key).get(`${PATH}/${event.id}`)).toEqual(event);
  });
});

it('IN-03: only POST /v1/events accepts a JSON array', async () => {
  for (const path of ['/v1/webhooks/endpoints', '/api/v1/customers', '/v1/webhooks/redeliveries']) {
    const response = await instance.requestWithSecretKey('POST', path, '[{}]');
    expect([path, response.status, response.body.code]).toEqual([path, 400, 'invalid_json']);
  }
});
