import { expectStatus } from '../support/customers.js';
import { LONG_RETRY_SCHEDULE, makeDeliveriesDue } from '../support/delivery-times.js';
import { eventually } from '../support/eventually.js';
import { waitForFeed } from '../support/wait-for-feed.js';
import { TestInstance } from '../support/test-instance.js';
import { retryWhileRejected } from '../support/retry-while-rejected.js';
import { Receiver, respondWithStatus } from '../support/receiver.js';
import { insertProject } from '../support/tenants.js';
import { uniqueEmail } from '../support/unique-email.js';

const PATH = '/v1/events';

let instance: TestInstance;
beforeAll(async () => {
  instance = await TestInstance.startShared({
    workerEnv: { PERIODIC_JOBS: 'off', WEBHOOK_TIMEOUT: '60s', WEBHOOK_RETRY_SCHEDULE: LONG_RETRY_SCHEDULE },
  });
});
afterAll(async () => instance?.stop());

const requestFeed = (query = '', key = instance.credentials.secretKey) =>
  instance.request('GET', PATH + query, { headers: { authorization: `Bearer ${key}` } });
const create = async (key = instance.credentials.secretKey): Promise<string> => {
  const headers = { authorization: `Bearer ${key}` };
  const send = () =>
    instance.request('POST', '/api/v1/customers', { body: { email: uniqueEmail() }, headers });
  return expectStatus(201, await retryWhileRejected(send)).body.id as string;
};
const customersOf = (events: any[]): string[] => events.map(({ data }) => data.customer.id as string);
/** Reads all events after a cursor, page by page. */
const readAll = async (cursor: string | null, query = 'limit=200', key?: string) => {
  const events: any[] = [];
  for (let at = cursor; ;) {
    const response = await requestFeed(`?${query}${at ? `&cursor=${encodeURIComponent(at)}` : ''}`, key);
    expect(response).toMatchObject({ status: 200, body: { success: true, next_cursor: expect.any(String) } });
    events.push(...response.body.data);
    at = response.body.next_cursor as string;
    if (!response.body.has_more) return { events, cursor: at };
  }
};
const newProject = async () => {
  const tenant = await insertProject(instance, instance.credentials.organizationId);
  return { ...tenant, key: tenant.secretKey };
};

describe('the event feed', () => {
  it('contains the bodies of the webhooks, oldest first, and continues from the last cursor', async () => {
    const { key } = await newProject();
    const ids = [await create(key), await create(key), await create(key)];
    await waitForFeed(instance);
    const first = await requestFeed('?limit=2', key);
    expect(first.body).toMatchObject({ success: true, has_more: true });
    expect(customersOf(first.body.data)).toEqual(ids.slice(0, 2));
    expect(first.body.data[0]).toEqual({
      id: expect.stringMatching(/^evt_/),
      type: 'customer.created',
      created_at: expect.any(String),
      project_id: expect.any(String),
      organization_id: instance.credentials.organizationId,
      data: { customer: expect.objectContaining({ id: ids[0] }) },
    });
    const query = (cursor: string) => `?limit=2&cursor=${encodeURIComponent(cursor)}`;
    const second = await requestFeed(query(first.body.next_cursor), key);
    expect(customersOf(second.body.data)).toEqual([ids[2]]);
    expect(second.body.has_more).toBe(false);
    const emptyPage = await requestFeed(query(second.body.next_cursor), key);
    expect(emptyPage.body).toMatchObject({ data: [], has_more: false, next_cursor: expect.any(String) });
    const late = await create(key);
    await waitForFeed(instance);
    const nextPage = await requestFeed(query(emptyPage.body.next_cursor), key);
    expect(customersOf(nextPage.body.data)).toEqual([late]);
    const one = await requestFeed(`/${nextPage.body.data[0].id}`, key);
    expect(one).toMatchObject({ status: 200, body: { success: true, data: nextPage.body.data[0] } });
  });

  it('filters by type and time', async () => {
    const { key } = await newProject();
    const id = await create(key);
    await instance.request('POST', `/api/v1/customers/${id}/disable`, {
      headers: { authorization: `Bearer ${key}` },
    });
    await waitForFeed(instance);
    const typesOf = async (query: string) => (await readAll(null, query, key)).events.map(({ type }) => type);
    expect(await typesOf('types=customer.disabled')).toEqual(['customer.disabled']);
    expect(await typesOf('types=customer.created,customer.disabled')).toEqual([
      'customer.created',
      'customer.disabled',
    ]);
    expect(await typesOf('types=session.*')).toEqual([]);
    expect(await typesOf('types=*')).toHaveLength(2);
    const [created] = (await readAll(null, 'types=customer.created', key)).events;
    const after = new Date(Date.parse(created.created_at as string) - 1).toISOString();
    expect(await typesOf(`created_after=${after}`)).toHaveLength(2);
    expect(await typesOf('created_after=2999-01-01T00:00:00.000Z')).toEqual([]);
  });

  it('starts after all existing events on request, and then continues from the cursor', async () => {
    const { key } = await newProject();
    await create(key);
    await waitForFeed(instance);
    const first = await requestFeed('?start=latest', key);
    expect(first.body).toMatchObject({ data: [], has_more: false, next_cursor: expect.any(String) });
    const id = await create(key);
    await waitForFeed(instance);
    for (const start of ['', '&start=latest']) {
      const { events } = await readAll(first.body.next_cursor, `limit=200${start}`, key);
      expect(customersOf(events)).toEqual([id]);
    }
    expect(customersOf((await readAll(null, 'start=earliest', key)).events)).toHaveLength(2);
  });

  it('contains webhook bodies byte for byte on request, unless they were erased', async () => {
    const { key, projectId } = await newProject();
    const headers = { authorization: `Bearer ${key}` };
    const data = '{ "total": 49.90, "2": "\\u00e9", "1": [1E2] }';
    const body = `{"type":"app.order.paid","data":${data}}`;
    expectStatus(201, await instance.request('POST', PATH, { body, headers }));
    const customer = await create(key);
    expectStatus(204, await instance.request('DELETE', `/api/v1/customers/${customer}`, { headers }));
    await waitForFeed(instance);
    const { events } = await readAll(null, 'include_body=true', key);
    const stored = await instance.sql<{ type: string; body: string }>(
      'SELECT type, body FROM events WHERE project_id = $1',
      [projectId],
    );
    const bodyOf = (type: string): string => stored.find((each) => each.type === type)!.body;
    expect(bodyOf('app.order.paid')).toContain(data);
    expect(events.map((event) => [event.type, event.body])).toEqual([
      ['app.order.paid', bodyOf('app.order.paid')],
      ['customer.created', null],
      ['customer.deleted', bodyOf('customer.deleted')],
    ]);
    const [{ body: _, ...event }] = events;
    expect((await readAll(null, 'include_body=false', key)).events[0]).toEqual(event);
  });

  it('continues past any number of events of other types', async () => {
    const { projectId, key } = await newProject();
    await instance.sql(
      `INSERT INTO events (id, organization_id, project_id, type, body, created_at)
       SELECT gen_random_uuid(), $1, $2, 'session.created', '{}', now() FROM generate_series(1, 12000)`,
      [instance.credentials.organizationId, projectId],
    );
    const id = await create(key);
    await waitForFeed(instance);
    const { events } = await readAll(null, 'types=customer.created', key);
    expect(customersOf(events)).toEqual([id]);
  });

  it('rejects invalid queries and the cursor of another list', async () => {
    const { key } = await newProject();
    const { cursor } = await readAll(null, 'types=customer.created', key);
    const cases: [query: string, code: string, key?: string][] = [
      ['types=customer.born', 'validation_failed'],
      ['types=', 'validation_failed'],
      ['created_after=yesterday', 'validation_failed'],
      ['since=1', 'validation_failed'],
      ['cursor=abc', 'invalid_cursor'],
      [`cursor=${encodeURIComponent(cursor)}`, 'invalid_cursor', key],
      [`types=customer.created&cursor=${encodeURIComponent(cursor)}`, 'invalid_cursor'],
    ];
    for (const [query, code, callerKey] of cases)
      expect([query, await requestFeed(`?${query}`, callerKey)]).toMatchObject([
        query,
        { status: 400, body: { code } },
      ]);
  });

  it('omits an event while an earlier one can still be committed', async () => {
    const { projectId, key } = await newProject();
    const customer = await create(key);
    await waitForFeed(instance);
    const { cursor } = await readAll(null, 'limit=200', key);
    const openTransaction = await instance.db.connect();
    try {
      await openTransaction.query('BEGIN');
      await openTransaction.query(
        `INSERT INTO events (id, organization_id, project_id, type, body, created_at)
         SELECT uuidv7(), organization_id, project_id, type, body, now() FROM events WHERE project_id = $1`,
        [projectId],
      );
      const late = await create(key);
      expect(await readAll(cursor, 'limit=200', key)).toMatchObject({ events: [] });
      await openTransaction.query('COMMIT');
      await waitForFeed(instance);
      const { events } = await readAll(cursor, 'limit=200', key);
      expect(customersOf(events)).toEqual([customer, late]);
    } finally {
      openTransaction.release();
    }
  });

  it('can begin at a given time without skipping events from transactions that are still open', async () => {
    const { projectId, key } = await newProject();
    const customer = await create(key);
    const openTransaction = await instance.db.connect();
    try {
      await openTransaction.query('BEGIN');
      await openTransaction.query(
        `INSERT INTO events (id, organization_id, project_id, type, body, created_at)
         SELECT uuidv7(), organization_id, project_id, type, body, now() + interval '1 hour' FROM events
         WHERE project_id = $1`,
        [projectId],
      );
      // The events up to this time must not determine where the feed begins.
      const now = Date.now();
      await eventually('the next millisecond', () => Date.now() > now + 1);
      const query = `created_after=${new Date(now + 60_001).toISOString()}`;
      await create(key);
      const { events: none, cursor } = await readAll(null, query, key);
      await openTransaction.query('COMMIT');
      await waitForFeed(instance);
      const { events } = await readAll(cursor, query, key);
      expect([none, customersOf(events)]).toEqual([[], [customer]]);
    } finally {
      openTransaction.release();
    }
  });

  it("contains only events of the key's project or organization", async () => {
    const [one, other] = [await newProject(), await newProject()];
    const ids = [await create(one.key), await create(other.key)];
    await waitForFeed(instance);
    const ownEvents = await readAll(null, 'limit=200', one.key);
    expect(customersOf(ownEvents.events)).toEqual([ids[0]]);
    const all = await readAll(null, `types=customer.created`);
    expect(customersOf(all.events)).toEqual(expect.arrayContaining(ids));
    const projectFeed = await readAll(null, `project_id=${other.projectId}`);
    expect(customersOf(projectFeed.events)).toEqual([ids[1]]);
    expect((await readAll(null, `project_id=${other.projectId}`, one.key)).events).toEqual([]);
    expect(await requestFeed(`/${ownEvents.events[0].id}`, other.key)).toMatchObject({ status: 404 });
  });

  it('gives a poller the same 200 ids as a receiver after an outage, despite 10 parallel writers', async () => {
    const { projectId, key } = await newProject();
    const receiver = await Receiver.start();
    receiver.defaultResponder = respondWithStatus(503);
    try {
      const endpoint = await instance.request('POST', '/v1/webhooks/endpoints', {
        body: { url: receiver.url, project_id: projectId },
        headers: { authorization: `Bearer ${key}` },
      });
      expect(endpoint).toMatchObject({ status: 201 });
      const seen: string[] = [];
      let cursor: string | null = null;
      const poll = async () => {
        const page = await readAll(cursor, 'limit=20', key);
        seen.push(...page.events.map(({ id }) => id as string));
        ({ cursor } = page);
      };
      const write = async (count: number) => {
        let isWriting = true;
        const writers = Array.from({ length: 10 }, async () => {
          for (let written = 0; written < count / 10; written += 1) await create(key);
        });
        const written = Promise.all(writers).finally(() => (isWriting = false));
        while (isWriting) await poll();
        await written;
      };
      await write(80);
      // Retries are due only after an hour, so no delivery becomes a dead letter, which would add events.
      await eventually('80 failed attempts', () => receiver.requests.length === 80);
      receiver.defaultResponder = respondWithStatus(200);
      await write(120);
      await eventually('the last events', async () => (await poll(), seen.length >= 200));
      expect(seen).toHaveLength(200);
      expect(new Set(seen).size).toBe(200);
      await eventually('every delivery', async () => {
        await makeDeliveriesDue(instance);
        const unfinished = `SELECT FROM deliveries WHERE project_id = $1 AND state <> 'succeeded'`;
        return (await instance.sql(unfinished, [projectId])).length === 0;
      });
      const received = new Set(receiver.requests.map(({ event }) => event.id));
      expect([...received].sort()).toEqual([...seen].sort());
    } finally {
      await receiver.stop();
    }
  });
});

it('the list of event types contains each type with its schema and an example', async () => {
  const { body } = await instance.requestWithSecretKey('GET', '/v1/webhooks/event-types');
  expect(body).toMatchObject({ success: true, next_cursor: null, has_more: false });
  const type = body.data.find((entry: any) => entry.type === 'login.failed');
  expect(type).toMatchObject({
    named_only: true,
    schema: { $schema: 'https://json-schema.org/draft/2020-12/schema', title: 'login.failed' },
    example: { type: 'login.failed', data: { customer: expect.any(Object) } },
  });
});
