import { randomUUID } from 'node:crypto';
import { entireInstallation } from '@gatehouse/domain';
import { DeadLettersRepository, type DeliveryFilter } from '@gatehouse/persistence';
import { checkCases } from '../support/check-cases.js';
import { duplicateDeadLetter } from '../support/dead-letters.js';
import { findExpectedIds, resolutionConditions } from '../support/find-expected-ids.js';
import { Explainer } from '../support/explainer.js';
import { TestInstance } from '../support/test-instance.js';
import { getCount, seedInstance, listAll, type SeededInstance } from '../support/seed-instance.js';
import { insertOperator, signIn, type OperatorClient } from '../support/operator-client.js';
import { uuidAt, seedDeliveries } from '../support/seed-deliveries.js';
import { isNightly } from '../support/is-nightly.js';

const COUNT = 800;
const ATTEMPTS = '/webhooks/attempts';
const DELIVERIES = '/webhooks/deliveries';
const DEAD_LETTERS = '/webhooks/dead-letters';
const lists = { [ATTEMPTS]: 'attempts', [DELIVERIES]: 'deliveries', [DEAD_LETTERS]: 'dead letters' } as const;
type List = keyof typeof lists;

let instance: TestInstance;
let operator: OperatorClient;
let seeded: SeededInstance;
let batches: { small: string; large: string; wide: string };
beforeAll(async () => {
  instance = await TestInstance.startShared({ workers: 0 });
  seeded = await seedInstance(instance, COUNT);
  await instance.sql(`UPDATE attempts SET error = 'timeout' WHERE attempt IN (2, 5) AND NOT success`);
  await instance.sql(
    `UPDATE deliveries SET resolution = 'erased' WHERE id IN (
       SELECT id FROM deliveries WHERE resolution = 'redelivered' ORDER BY id LIMIT 20)`,
  );
  await addUnfinished();
  operator = await signIn(instance);
  const unknownEndpoints = Array.from({ length: 30 }, () => randomUUID());
  batches = {
    small: await insertBatch(150, { created: 150, endpointIds: seeded.endpoints }),
    large: await insertBatch(250, { created: 1_001, endpointIds: seeded.endpoints }),
    wide: await insertBatch(250, { created: 1_001, endpointIds: [...seeded.endpoints, ...unknownEndpoints] }),
  };
});
afterAll(async () => instance?.stop());

/** Makes some deliveries pending, a few of these in progress, and cancels others. */
async function addUnfinished(): Promise<void> {
  await instance.sql(
    `WITH numbered AS (SELECT id, row_number() OVER (ORDER BY id)::int AS n FROM deliveries WHERE state = 'succeeded')
     UPDATE deliveries d SET finished_at = NULL, last_http_status = CASE WHEN n % 13 = 0 THEN 999 ELSE 503 END, last_error = 'http_error',
       state = CASE WHEN n % 13 = 0 THEN 'cancelled' ELSE 'pending' END,
       urgency = n % 3,
       lease_until = CASE WHEN n % 13 <> 0 AND n % 5 = 0 THEN now() + interval '1 day' END,
       next_attempt_at = CASE WHEN n % 13 <> 0 AND n % 5 <> 0 THEN now() + n % 60 * interval '1 minute' END
     FROM numbered WHERE numbered.id = d.id AND (n % 11 = 0 OR n % 13 = 0)`,
  );
  await instance.sql(
    `UPDATE attempts a SET success = false, http_status = 503, error = 'http_error'
     FROM deliveries d WHERE d.id = a.delivery_id AND d.state IN ('pending', 'cancelled')`,
  );
  await instance.sql(`UPDATE deliveries SET last_error = 'http_error' WHERE state = 'failed'`);
}

/** Inserts a batch with a recorded total. Adds every second delivery that has no batch, at most `count`. */
async function insertBatch(
  count: number,
  batch: { created: number; endpointIds: string[] },
): Promise<string> {
  const id = uuidAt(Date.now() - 60_000);
  await instance.sql(
    `UPDATE deliveries SET batch_id = $1 WHERE id IN (
       SELECT id FROM (SELECT id, row_number() OVER (ORDER BY id) AS n FROM deliveries WHERE batch_id IS NULL) d
       WHERE n % 2 = 0 ORDER BY id LIMIT $2)`,
    [id, count],
  );
  await instance.sql(
    `INSERT INTO redelivery_batches (id, kind, filter, state, made, endpoint_ids, created_by, started_at, finished_at)
     SELECT $1, 'redelivery', '{}', 'completed', $2, $3, 'operator:' || $4, min(created_at), max(coalesce(finished_at, created_at))
     FROM deliveries WHERE batch_id = $1`,
    [id, batch.created, batch.endpointIds, operator.operator.id],
  );
  return id;
}

type Query = Record<string, string>;

const listExpectedIds = (path: List, query: Query): Promise<string[]> =>
  findExpectedIds(instance, lists[path], query);

const findDelivery = async (condition: string): Promise<string> => {
  const [row] = await instance.sql<{ id: string }>(
    `SELECT id FROM deliveries WHERE ${condition} ORDER BY id DESC LIMIT 1`,
  );
  return `dlv_${row!.id}`;
};
const findAttempt = async (delivery: string): Promise<string> =>
  (await listExpectedIds(ATTEMPTS, { delivery_id: delivery }))[0]!;

/**
 * Checks that each query lists and counts exactly the expected ids.
 * @param hasResults null if they may be empty
 */
const expectFound = (path: List, queries: Query[], hasResults: boolean | null = true): Promise<void> =>
  checkCases(
    queries.map((query) => [JSON.stringify(query), query] as const),
    async (query) => {
      const ids = await listExpectedIds(path, query);
      if (hasResults !== null) expect(ids.length > 0).toBe(hasResults);
      expect(await listAll(operator, path, query)).toEqual(ids);
      const { limit: _, ...filter } = query;
      expect(await getCount(operator, path, filter)).toEqual({ count: ids.length, isMore: false });
    },
  );

const expectRejected = (paths: string[]): Promise<void> =>
  checkCases(
    paths.map((path) => [path, path] as const),
    async (path) => {
      const { status, body } = await operator.request('GET', path);
      expect([status, body.code]).toEqual([400, 'validation_failed']);
    },
  );

describe('the attempt log for operators', () => {
  it('filters and counts by every filter, alone and together', async () => {
    const [first, second, , long] = seeded.endpoints.map((id) => `ep_${id}`) as [
      string,
      string,
      string,
      string,
    ];
    const [ada, otherAda, grace] = seeded.customers.map(({ id }) => id) as [string, string, string];
    const email = 'ada@example.com';
    await expectFound(ATTEMPTS, [
      {},
      { success: 'false' },
      { http_status: '404' },
      { delivery_state: 'failed' },
      { project_id: seeded.projects[1] },
      { attempt: '3' },
      { error: 'timeout' },
      { error: 'http_error', endpoint_id: first, attempt: '1' },
      { attempt: '1', endpoint_id: first, success: 'false' },
      { customer_id: grace },
      { customer_id: ada, success: 'false', event: 'customer.created' },
      { q: ada },
      { q: ' ADA@example.com ', limit: '7' },
      { q: email, customer_id: otherAda },
      { q: long },
      { q: 'https://one.example.com/hooks/' },
      { organization_id: instance.credentials.organizationId, attempt: '2' },
      // This URL is longer than the indexed prefix.
      { q: `https://one.example.com/${'x'.repeat(299)}`, success: 'false' },
      ...Object.values(batches).flatMap((id): Query[] => [
        { batch_id: `rdl_${id}` },
        { batch_id: `rdl_${id}`, error: 'timeout', endpoint_id: second },
        { batch_id: `rdl_${id}`, q: email },
      ]),
    ]);
    await expectFound(
      ATTEMPTS,
      [
        { error: 'tls_error' },
        { batch_id: `rdl_${randomUUID()}` },
        { customer_id: seeded.customers[3]!.id },
        { q: 'https://one.example.com/', endpoint_id: `ep_${seeded.endpoints[2]}` },
        { q: `evt_${randomUUID()}` },
      ],
      false,
    );
  });

  it('filters a batch by time, and paginates it', async () => {
    for (const id of Object.values(batches)) {
      const [{ middle }] = (await instance.sql(
        `SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY created_at) AS middle FROM deliveries WHERE batch_id = $1`,
        [id],
      )) as [{ middle: string }];
      const at = new Date(middle).toISOString();
      const batch = { batch_id: `rdl_${id}`, limit: '33' };
      await expectFound(ATTEMPTS, [
        { ...batch, created_after: at },
        { ...batch, created_before: at },
      ]);
    }
  });

  it('finds attempts by a pasted id, combined with the other filters', async () => {
    const delivery = await findDelivery(`batch_id = '${batches.small}' AND state = 'failed'`);
    const [{ event }] = (await instance.sql(
      `SELECT 'evt_' || event_id AS event FROM deliveries WHERE id = $1`,
      [delivery.slice(4)],
    )) as [{ event: string }];
    const other = await findDelivery(`batch_id = '${batches.large}'`);
    await expectFound(ATTEMPTS, [
      { q: await findAttempt(delivery) },
      { q: delivery },
      { q: event },
      { q: delivery, attempt: '2' },
      { q: delivery, batch_id: `rdl_${batches.small}` },
    ]);
    await expectFound(
      ATTEMPTS,
      [
        { q: delivery, delivery_id: other },
        { q: event, delivery_id: other },
        { q: delivery, batch_id: `rdl_${batches.large}` },
      ],
      false,
    );
  });

  it('finds nothing for an unknown search term', async () => {
    const searchTerms = [
      ...['customer.created', '%', 'nobody@example.com', 'https://elsewhere.example.com/', randomUUID()],
      ...[`rdl_${randomUUID()}`, `att_${randomUUID()}`, `dlv_${'0'.repeat(36)}`],
    ];
    const cases = [ATTEMPTS, DELIVERIES, DEAD_LETTERS, '/events'].flatMap((path) =>
      searchTerms.map((q) => [`${path}?q=${q}`, path, q] as const),
    );
    await checkCases(cases, async (path, q) => {
      expect(await listAll(operator, path, { q })).toEqual([]);
      expect(await getCount(operator, path, { q })).toEqual({ count: 0, isMore: false });
    });
  });

  it('rejects unknown filters and values, and rejects these filters with an API key', async () => {
    const filters = [
      'attempt=6',
      'attempt=0',
      'q=',
      'customer_id=ada',
      'error=none',
      `batch_id=${randomUUID()}`,
    ];
    await expectRejected([
      ...filters.map((filter) => `${ATTEMPTS}?${filter}`),
      ...[
        `${ATTEMPTS}/count?limit=1`,
        `${ATTEMPTS}/count?cursor=x`,
        `${DEAD_LETTERS}?resolution=lost`,
        `${DEAD_LETTERS}?attempt=1`,
      ],
      ...['/events?types=nothing', '/events/count?limit=1'],
    ]);
    const statuses = await Promise.all(
      [
        ...['attempt=1', 'error=timeout', `batch_id=rdl_${randomUUID()}`, `customer_id=${randomUUID()}`].map(
          (query) => `${DELIVERIES}?${query}`,
        ),
        ...[`${DELIVERIES}?q=ada@example.com`, `${DEAD_LETTERS}?resolution=waiting`, `${DELIVERIES}/count`],
      ].map(async (path) => (await instance.requestWithSecretKey('GET', `/v1${path}`)).status),
    );
    expect(statuses).toEqual([400, 400, 400, 400, 400, 400, 404]);
  });
});

describe('the delivery list for operators', () => {
  const list = async (query: Query) =>
    (await operator.request('GET', `${DELIVERIES}?${new URLSearchParams(query)}`)).body;

  it('filters and counts by every filter, alone and together', async () => {
    await instance.sql(`UPDATE webhook_endpoints SET name = 'Order Service' WHERE id = $1`, [
      seeded.endpoints[1],
    ]);
    const [first, , wide, other] = seeded.endpoints.map((id) => `ep_${id}`) as [
      string,
      string,
      string,
      string,
    ];
    const [ada, , grace] = seeded.customers.map(({ id }) => id) as [string, string, string];
    const { organizationId } = instance.credentials;
    const middle = new Date(Date.now() - 2 * 86_400_000).toISOString();
    const owners: Query[] = [
      {},
      { project_id: seeded.projects[0] },
      { organization_id: organizationId },
      { endpoint_id: first },
      { endpoint_id: wide },
      { q: 'order s' },
      { q: 'https://one.example.com/' },
      { customer_id: grace },
      { batch_id: `rdl_${batches.small}` },
      { batch_id: `rdl_${batches.large}` },
    ];
    const filters: Query[] = [
      {},
      ...['pending', 'succeeded', 'failed', 'cancelled'].map((state) => ({ state })),
      { failed_attempts: 'true' },
      { failed_attempts: 'false' },
      { status_class: '5xx' },
      { status_class: 'other' },
      { created_after: middle },
    ];
    await expectFound(
      DELIVERIES,
      owners.flatMap((owner, index) =>
        (index < (isNightly ? 4 : 1) ? filters : filters.slice(0, 2)).map((filter) => ({
          ...owner,
          ...filter,
        })),
      ),
      null,
    );
    await expectFound(DELIVERIES, [
      { http_status: '404', limit: '7' },
      { http_status: '999', status_class: 'other' },
      { error: 'http_error', created_before: middle },
      { event: 'customer.created', state: 'pending', limit: '3' },
      { organization_id: organizationId, limit: '23' },
      { project_id: seeded.projects[1], organization_id: await organizationOf(other) },
      { customer_id: ada, q: 'ada@example.com' },
      { q: 'one.example.com' },
      { q: await findDelivery(`state = 'pending'`) },
    ]);
    await expectFound(
      DELIVERIES,
      [
        { project_id: seeded.projects[1], organization_id: organizationId },
        { organization_id: randomUUID() },
        { state: 'succeeded', status_class: '5xx' },
        { q: 'no such endpoint' },
      ],
      false,
    );
  });

  const organizationOf = async (endpoint: string): Promise<string> => {
    const [row] = await instance.sql<{ id: string }>(
      'SELECT organization_id AS id FROM webhook_endpoints WHERE id = $1',
      [endpoint.slice(3)],
    );
    return row!.id;
  };

  it('sorts by creation in both directions, and by the next attempt', async () => {
    const query = { project_id: seeded.projects[0], limit: '50' };
    const newestFirst = await listExpectedIds(DELIVERIES, { project_id: seeded.projects[0] });
    expect(await listAll(operator, DELIVERIES, { ...query, sort: 'created_at' })).toEqual(
      newestFirst.toReversed(),
    );
    const waiting = async (condition: string): Promise<string[]> => {
      const rows = await instance.sql<{ id: string }>(
        `SELECT 'dlv_' || id AS id FROM deliveries WHERE next_attempt_at IS NOT NULL AND ${condition}
         ORDER BY next_attempt_at, deliveries.id`,
      );
      return rows.map(({ id }) => id);
    };
    const cases: [Query, string][] = [
      [{}, 'true'],
      [{ project_id: seeded.projects[0] }, `project_id = '${seeded.projects[0]}'`],
      [{ endpoint_id: `ep_${seeded.endpoints[0]}` }, `endpoint_id = '${seeded.endpoints[0]}'`],
      [{ state: 'failed' }, 'false'],
    ];
    for (const [filter, condition] of cases) {
      const ids = await waiting(condition);
      const sorted = { ...filter, sort: 'next_attempt_at', limit: '4' };
      expect(await listAll(operator, DELIVERIES, sorted)).toEqual(ids);
      expect(await listAll(operator, DELIVERIES, { ...sorted, sort: '-next_attempt_at' })).toEqual(
        ids.toReversed(),
      );
      const { limit: _, ...counted } = sorted;
      expect(await getCount(operator, DELIVERIES, counted)).toEqual({ count: ids.length, isMore: false });
    }
    const { next_cursor: cursor } = await list({ sort: 'next_attempt_at', limit: '1' });
    expect(await list({ sort: 'created_at', limit: '1', cursor })).toMatchObject({ code: 'invalid_cursor' });
  });

  it('contains the customer, the endpoint, the attempts and the last response', async () => {
    const [ada] = seeded.customers;
    const [delivery] = (await list({ customer_id: ada!.id, state: 'failed', limit: '1' })).data;
    expect(delivery).toMatchObject({
      customer_id: ada!.id,
      customer_email: ada!.email,
      organization_id: instance.credentials.organizationId,
      endpoint_name: expect.stringMatching(/example\.com|Order Service/),
      attempt: 5,
      max_attempts: 5,
      last_attempt: { http_status: expect.any(Number), error: 'http_error' },
    });
    await instance.sql('UPDATE deliveries SET last_http_status = NULL, attempt = 0 WHERE id = $1', [
      (await findDelivery(`state = 'pending'`)).slice(4),
    ]);
    const [pending] = (await list({ state: 'pending', limit: '1' })).data;
    expect(pending).toMatchObject({ attempt: 0, last_attempt: null });
  });

  it('rejects unknown filters, orders and cursors', async () => {
    const queries = ['state=lost', 'sort=event', 'success=false', 'organization_id=x', 'failed_attempts=1'];
    await expectRejected(queries.map((query) => `${DELIVERIES}?${query}`));
    await expectRejected([`${DELIVERIES}/count?limit=1`]);
  });
});

describe('the dead letter list for operators', () => {
  it('filters and counts by every filter, alone and together', async () => {
    const url = 'https://one.example.com';
    const queries: Query[] = [
      {},
      ...Object.keys(resolutionConditions).map((resolution) => ({ resolution })),
      { resolution: 'resolved', project_id: seeded.projects[0] },
      { resolution: 'discarded', endpoint_id: `ep_${seeded.endpoints[0]}`, http_status: '404' },
      { customer_id: seeded.customers[0]!.id },
      { q: 'ada@example.com', resolution: 'resolved' },
      { q: `${url}/hooks` },
      { q: url, resolution: 'resolved', event: 'session.created' },
      { organization_id: instance.credentials.organizationId },
      { organization_id: instance.credentials.organizationId, resolution: 'resolved' },
    ];
    await expectFound(DEAD_LETTERS, [...queries, ...queries.map((query) => ({ ...query, limit: '13' }))]);
  });

  it('finds a dead letter by a pasted delivery or attempt id', async () => {
    const id = await findDelivery(`state = 'failed' AND resolution IS NULL`);
    await expectFound(DEAD_LETTERS, [{ q: id }, { q: await findAttempt(id) }]);
    const succeeded = await findDelivery(`state = 'succeeded'`);
    await expectFound(DEAD_LETTERS, [{ q: id, resolution: 'resolved' }, { q: succeeded }], false);
  });
});

describe('the batch list for operators', () => {
  const path = '/webhooks/redeliveries';
  const getBatch = async (id: string) => (await operator.request('GET', `${path}/${id}`)).body.data;

  it('filters and counts by the displayed state', async () => {
    const created: Record<string, string> = {
      expired: '',
      cancelled: '',
      running: '',
      planned: '',
      late: '',
    };
    for (const name of Object.keys(created)) {
      created[name] = (await operator.request('POST', path, { filter: {} })).body.data.id as string;
    }
    await operator.request('POST', `${path}/${created.cancelled}/cancel`);
    await operator.request('POST', `${path}/${created.running}/start`, { reason: 'to see' });
    // Two plans are a day old. Maintenance has marked only one of them as expired.
    const backdate = (name: string, set: string) =>
      instance.sql(
        `UPDATE redelivery_batches SET created_at = now() - interval '25 hours' ${set} WHERE id = $1`,
        [created[name]!.slice(4)],
      );
    await backdate('expired', `, state = 'expired', finished_at = now()`);
    await backdate('late', '');

    const all = (await operator.request('GET', `${path}?limit=200`)).body.data as {
      id: string;
      state: string;
    }[];
    expect(await getCount(operator, path)).toEqual({ count: all.length, isMore: false });
    const listedIds: string[] = [];
    for (const state of ['planned', 'running', 'completed', 'cancelled', 'expired']) {
      const shown = all.filter((each) => each.state === state).map(({ id }) => id);
      const listed = await listAll(operator, path, { state, limit: '2' });
      const { count } = await getCount(operator, path, { state });
      expect([state, listed, count]).toEqual([state, shown, shown.length]);
      listedIds.push(...shown);
    }
    expect(listedIds.sort()).toEqual(all.map(({ id }) => id).sort());
    const stateOf = (id: string) => all.find((each) => each.id === id)?.state;
    for (const [name, id] of Object.entries(created))
      expect([name, stateOf(id)]).toEqual([name, name === 'late' ? 'planned' : name]);
    expect(stateOf(`rdl_${batches.small}`)).toBe('completed');
  });

  it('rejects the cursor of another state, and unknown states', async () => {
    const { next_cursor: cursor } = (await operator.request('GET', `${path}?limit=1&state=completed`)).body;
    const next = `${path}?limit=1&cursor=${cursor}`;
    expect(await operator.request('GET', `${next}&state=completed`)).toMatchObject({ status: 200 });
    for (const other of [next, `${next}&state=planned`]) {
      expect(await operator.request('GET', other)).toMatchObject({ body: { code: 'invalid_cursor' } });
    }
    await expectRejected(['?state=late', '/count?state=late', '/count?limit=1'].map((query) => path + query));
    expect((await instance.requestWithSecretKey('GET', `/v1${path}?state=planned`)).status).toBe(400);
    expect((await instance.requestWithSecretKey('GET', `/v1${path}/count`)).status).toBe(404);
  });

  it('names the actors who planned, started and canceled each batch, but not for API keys', async () => {
    const other = await insertOperator(instance, 'operator');
    const { id } = (await operator.request('POST', path, { filter: {} })).body.data as { id: string };
    const names = {
      created_by_name: operator.operator.email,
      started_by_name: null,
      cancelled_by_name: null,
    };
    expect(await getBatch(id)).toMatchObject(names);
    await other.request('POST', `${path}/${id}/start`, { reason: 'to see' });
    await operator.request('POST', `${path}/${id}/cancel`);
    const ended = { started_by_name: other.operator.email, cancelled_by_name: operator.operator.email };
    expect(await getBatch(id)).toMatchObject({ ...names, ...ended, state: 'cancelled' });
    const listed = (await operator.request('GET', `${path}?limit=1`)).body.data;
    expect(listed).toMatchObject([{ id, ...ended }]);
    // This key no longer exists, so it has no name.
    const missingKey = `key:${randomUUID()}`;
    await instance.sql('UPDATE redelivery_batches SET started_by = $2 WHERE id = $1', [
      id.slice(4),
      missingKey,
    ]);
    expect(await getBatch(id)).toMatchObject({ started_by_name: null });

    const planned = (await instance.requestWithSecretKey('POST', `/v1${path}`, { filter: {} })).body.data;
    const [key] = await instance.sql('SELECT name FROM api_keys WHERE id = $1', [
      planned.created_by.slice(4),
    ]);
    expect(await getBatch(planned.id)).toMatchObject({ created_by_name: key!['name'] });
    expect(
      (await instance.requestWithSecretKey('GET', `/v1${path}/${planned.id}`)).body.data,
    ).not.toHaveProperty('created_by_name');
  });
});

it('a dead letter contains the name of the operator who resolved it', async () => {
  const deadLetter = await findDelivery(`resolution = 'discarded'`);
  const listResolved = async () =>
    (await operator.request('GET', `${DEAD_LETTERS}?resolution=resolved&delivery_id=${deadLetter}`)).body
      .data;
  expect(await listResolved()).toMatchObject([{ id: deadLetter, resolved_by: null, resolved_by_name: null }]);
  await instance.sql('UPDATE deliveries SET resolved_by = $2 WHERE id = $1', [
    deadLetter.slice(4),
    `operator:${operator.operator.id}`,
  ]);
  expect(await listResolved()).toMatchObject([{ id: deadLetter, resolved_by_name: operator.operator.email }]);
});

it("a delivery for operators contains its endpoint's status, even if the endpoint is deleted", async () => {
  const id = await findDelivery(`endpoint_id = '${seeded.endpoints[1]}'`);
  for (const state of ['disabled', 'deleted', 'enabled']) {
    await instance.sql('UPDATE webhook_endpoints SET status = $2 WHERE id = $1', [
      seeded.endpoints[1],
      state,
    ]);
    expect((await operator.request('GET', `${DELIVERIES}/${id}`)).body.data.endpoint_status).toBe(state);
  }
  const { body } = await instance.requestWithSecretKey('GET', `/v1/webhooks/deliveries/${id}`);
  expect(body.data).not.toHaveProperty('endpoint_status');
});

const plan = (filter: object, client = operator) =>
  client.request('POST', '/webhooks/redeliveries', { filter });

describe('a plan to redeliver the listed dead letters', () => {
  it('contains exactly the listed dead letters', async () => {
    const queries: Query[] = [
      {},
      { customer_id: seeded.customers[0]!.id },
      { q: ' Ada@example.com', http_status: '404' },
      { q: 'https://one.example.com/hooks/' },
      { q: `ep_${seeded.endpoints[2]}`, project_id: seeded.projects[0] },
    ];
    await expectFound(DEAD_LETTERS, queries);
    for (const { http_status: status, ...query } of queries) {
      const ids = await listExpectedIds(DEAD_LETTERS, { ...query, ...(status && { http_status: status }) });
      const filter = { ...query, ...(status && { http_status: Number(status) }), resolution: 'waiting' };
      const { body } = await plan(filter);
      expect(body.data).toMatchObject({ total: ids.length, eligible: ids.length, not_eligible: [] });
      const items = await instance.sql<{ id: string }>(
        `SELECT 'dlv_' || delivery_id AS id FROM redelivery_items WHERE batch_id = $1 ORDER BY delivery_id DESC`,
        [body.data.id.slice(4)],
      );
      expect(items.map(({ id }) => id)).toEqual(ids);
    }
  });

  it('stores the customers of a search as ids, without the email address', async () => {
    const { body } = await plan({ q: 'ada@example.com', resolution: 'waiting' });
    const ids = seeded.customers.slice(0, 2).map(({ id }) => id);
    expect(body.data.filter).toEqual({ resolution: 'waiting', customer_ids: expect.arrayContaining(ids) });
  });

  it('contains only listed deliveries that match the resolution filter, if it is set', async () => {
    const deadLetter = await findDelivery(`state = 'failed' AND resolution IS NULL`);
    const succeeded = await findDelivery(`state = 'succeeded'`);
    const total = async (filter: object): Promise<number> => (await plan(filter)).body.data.total as number;
    expect(await total({ q: deadLetter, resolution: 'waiting' })).toBe(1);
    expect(await total({ q: succeeded, resolution: 'waiting' })).toBe(0);
    expect(await total({ q: succeeded })).toBe(0);
    expect(await total({ delivery_ids: [deadLetter, succeeded], resolution: 'waiting' })).toBe(1);
    expect(await total({ delivery_ids: [deadLetter, succeeded] })).toBe(2);
    expect(await total({ delivery_ids: [deadLetter, succeeded], q: deadLetter })).toBe(1);
  });

  it('rejects unsupported filters, and requires an operator', async () => {
    const rejected = [
      ...[{ resolution: 'discarded' }, { resolution: 'resolved' }, { attempt: 5 }],
      ...[{ q: '' }, { customer_id: 'ada' }],
    ];
    for (const filter of rejected) expect([filter, (await plan(filter)).status]).toEqual([filter, 400]);
    for (const q of ['nobody@example.com', 'customer.created', `att_${randomUUID()}`])
      expect([q, (await plan({ q, resolution: 'waiting' })).status]).toEqual([q, 404]);
    expect(await plan({}, await insertOperator(instance, 'viewer'))).toMatchObject({
      status: 403,
      body: { code: 'insufficient_role' },
    });
    const byKey = await instance.requestWithSecretKey('POST', '/v1/webhooks/redeliveries', {
      filter: { q: 'x' },
    });
    expect(byKey.status).toBe(400);
  });
});

describe('the deliveries of customers with many events', () => {
  const EVENTS = 400;
  let quiet: string;
  let busy: string;
  beforeAll(async () => {
    const { organizationId, projectId } = instance.credentials;
    [quiet, busy] = [seeded.customers[3]!.id, seeded.customers[0]!.id];
    const at = Date.now() - 7_200_000;
    const deadLetters = Array.from({ length: EVENTS }, randomUUID).flatMap((eventId) =>
      seeded.endpoints.slice(0, 3).map((endpointId) => ({
        ...{ endpointId, projectId, eventId, customerId: quiet, state: 'failed' as const },
        attempts: [{ at, status: 503 }],
      })),
    );
    await seedDeliveries(instance, deadLetters);
    // All the busy customer's deliveries are older than these events.
    await instance.sql(
      `INSERT INTO events (id, organization_id, project_id, customer_id, type, body, created_at)
       SELECT uuidv7(), $1, $2, $3, 'session.created', '{}', now() FROM generate_series(1, 5001)`,
      [organizationId, projectId, busy],
    );
  });

  it('appear in lists, counts and plans even if there are too many events for individual scans', async () => {
    const queries: Query[] = [
      { customer_id: quiet },
      { customer_id: busy },
      { q: 'ada@example.com' },
      { customer_id: busy, event: 'customer.created' },
    ];
    for (const path of [ATTEMPTS, DELIVERIES, DEAD_LETTERS] as const) await expectFound(path, queries);
    for (const query of queries) {
      const { body } = await plan({ ...query, resolution: 'waiting' });
      expect([query, body.data.total]).toEqual([query, (await listExpectedIds(DEAD_LETTERS, query)).length]);
    }
  });

  it('are found through the index by event, even without table statistics', async () => {
    await instance.sql(`DELETE FROM pg_statistic WHERE starelid = 'deliveries'::regclass`);
    const explainer = new Explainer(instance);
    const deadLettersRepository = explainer.repository(DeadLettersRepository);
    expect(
      await deadLettersRepository.count(entireInstallation, { customerIds: [quiet] } as DeliveryFilter),
    ).toEqual({
      count: 3 * EVENTS,
      isMore: false,
    });
    await instance.sql('ANALYZE deliveries');
    const plans = explainer.plans.flat().join('\n');
    expect(plans).toContain('deliveries_event');
    expect(plans).not.toMatch(/deliveries_dead|Seq Scan on (deliveries|events)/);
  });
});

describe('a count', () => {
  const MANY = 21_000;
  let endpoint: string;
  beforeAll(async () => {
    endpoint = seeded.endpoints[2]!;
    const [created] = await seedDeliveries(instance, [
      {
        endpointId: endpoint,
        projectId: seeded.projects[0],
        state: 'failed',
        attempts: [{ at: Date.now() - 3_600_000, status: 500 }],
      },
    ]);
    const many = `generate_series(1, ${MANY}) n WHERE id = $1`;
    // A real delivery has at most five attempts. Here one delivery has them all, which does not affect the counts.
    await instance.sql(
      `INSERT INTO attempts (id, organization_id, project_id, event_id, event_type, endpoint_id, delivery_id, target_url,
         attempt, http_status, success, error, duration_ms, response_body, started_at)
       SELECT uuidv7(), organization_id, project_id, event_id, event_type, endpoint_id, id, target_url, 1, 500, false,
         'http_error', 1, '', now()
       FROM deliveries, ${many}`,
      [created!.id],
    );
    await instance.sql(
      `INSERT INTO events (id, organization_id, project_id, type, body, created_at)
       SELECT ('ffffffff-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, organization_id, project_id,
         'login.failed', '{}', now()
       FROM events, ${many}`,
      [created!.eventId],
    );
    await duplicateDeadLetter(instance, `dlv_${created!.id}`, MANY);
  });

  it('stops at ten thousand', async () => {
    const full = { count: 10_000, isMore: true };
    expect(await getCount(operator, ATTEMPTS)).toEqual(full);
    expect(await getCount(operator, ATTEMPTS, { endpoint_id: `ep_${endpoint}` })).toEqual(full);
    expect(
      await getCount(operator, ATTEMPTS, { http_status: '500', project_id: seeded.projects[0] }),
    ).toEqual(full);
    expect(await getCount(operator, DEAD_LETTERS)).toEqual(full);
    expect(await getCount(operator, DELIVERIES)).toEqual(full);
    expect(await getCount(operator, DELIVERIES, { endpoint_id: `ep_${endpoint}` })).toEqual(full);
    expect(await getCount(operator, '/events')).toEqual(full);
  });

  it('reports if it has not scanned all rows', async () => {
    const query = {
      endpoint_id: `ep_${endpoint}`,
      created_before: new Date(Date.now() + 60_000).toISOString(),
    };
    const rare = await getCount(operator, ATTEMPTS, { ...query, http_status: '404' });
    expect(rare.isMore).toBe(true);
    expect(rare.count).toBeLessThan(MANY);
    expect(await getCount(operator, DEAD_LETTERS, { http_status: '404' })).toMatchObject({ isMore: true });
    expect(await getCount(operator, '/events', { types: 'customer.deleted' })).toMatchObject({
      isMore: true,
    });
    // The same applies to a deleted batch whose remaining deliveries exceed the bounded scan.
    const deletedBatch = randomUUID();
    await instance.sql(
      `UPDATE deliveries SET batch_id = $1, state = CASE WHEN id >= $2 THEN state ELSE 'succeeded' END
       WHERE id >= $2 OR id IN (SELECT delivery_id FROM attempts GROUP BY 1 HAVING count(*) > 5)`,
      [deletedBatch, 'ffffffff-0000-0000-0000-000000000000'],
    );
    const deletedBatchQuery = { batch_id: `rdl_${deletedBatch}` };
    expect(await getCount(operator, ATTEMPTS, deletedBatchQuery)).toEqual({ count: 10_000, isMore: true });
    const page = await operator.request('GET', `${ATTEMPTS}?${new URLSearchParams(deletedBatchQuery)}`);
    expect(page.body).toMatchObject({ has_more: true, data: expect.arrayContaining([expect.anything()]) });
    // Rows found through an index are counted completely.
    const batchQuery = { batch_id: `rdl_${batches.wide}` };
    const { length: count } = await listExpectedIds(ATTEMPTS, batchQuery);
    expect(await getCount(operator, ATTEMPTS, batchQuery)).toEqual({ count, isMore: false });
    expect(await getCount(operator, ATTEMPTS, { endpoint_id: `ep_${seeded.endpoints[0]}` })).toMatchObject({
      isMore: false,
    });
  });
});
