import { randomUUID } from 'node:crypto';
import { DeadLettersRepository, type DeliveryFilter } from '#persistence';
import { checkCases } from '../support/check-cases.js';
import { Explainer } from '../support/explainer.js';
import { TestInstance } from '../support/test-instance.js';
import { countOf, fillInstance, readAll, type InstanceLog } from '../support/instance-log.js';
import { insertOperator, signIn, type OperatorClient } from '../support/operator.js';
import { idAt, insertDeliveries } from '../support/past.js';

const DELIVERIES = 1_600;
const LOG = '/webhooks/deliveries';
const DEAD = '/webhooks/dead-letters';

let instance: TestInstance;
let operator: OperatorClient;
let log: InstanceLog;
let batches: { small: string; large: string; wide: string };
beforeAll(async () => {
  instance = await TestInstance.shared({ workers: 0 });
  log = await fillInstance(instance, DELIVERIES);
  await instance.sql(`UPDATE attempts SET error = 'timeout' WHERE attempt IN (2, 5) AND NOT success`);
  operator = await signIn(instance);
  const nobody = Array.from({ length: 30 }, () => randomUUID());
  batches = {
    small: await insertBatch(300, { made: 300, endpointIds: log.endpoints }),
    large: await insertBatch(500, { made: 1_001, endpointIds: log.endpoints }),
    wide: await insertBatch(500, { made: 1_001, endpointIds: [...log.endpoints, ...nobody] }),
  };
});
afterAll(async () => instance?.stop());

/** A batch that is said to have made so many of which some are there: every second one of those that have none. */
async function insertBatch(count: number, batch: { made: number; endpointIds: string[] }): Promise<string> {
  const id = idAt(Date.now() - 60_000);
  await instance.sql(
    `UPDATE deliveries SET batch_id = $1 WHERE id IN (
       SELECT id FROM (SELECT id, row_number() OVER (ORDER BY id) AS n FROM deliveries WHERE batch_id IS NULL) d
       WHERE n % 2 = 0 ORDER BY id LIMIT $2)`,
    [id, count],
  );
  await instance.sql(
    `INSERT INTO redelivery_batches (id, kind, filter, state, made, endpoint_ids, created_by, started_at, finished_at)
     SELECT $1, 'redelivery', '{}', 'completed', $2, $3, 'operator:' || $4, min(created_at), max(finished_at)
     FROM deliveries WHERE batch_id = $1`,
    [id, batch.made, batch.endpointIds, operator.operator.id],
  );
  return id;
}

const attemptsIn = async (where: string, values: unknown[] = []): Promise<string[]> => {
  const rows = await instance.sql<{ id: string }>(
    `SELECT a.id FROM attempts a JOIN deliveries d ON d.id = a.delivery_id JOIN events e ON e.id = a.event_id
     WHERE ${where} ORDER BY a.id DESC`,
    values,
  );
  return rows.map(({ id }) => `att_${id}`);
};
const deliveriesIn = async (where: string, values: unknown[] = []): Promise<string[]> => {
  const rows = await instance.sql<{ id: string }>(
    `SELECT d.id FROM deliveries d JOIN events e ON e.id = d.event_id WHERE ${where} ORDER BY d.id DESC`,
    values,
  );
  return rows.map(({ id }) => `dlv_${id}`);
};

type Filter = [string, () => Record<string, string>, string, () => unknown[]];

const oneOf = async (table: string): Promise<string> =>
  (await instance.sql<{ id: string }>(`SELECT id FROM ${table} ORDER BY id OFFSET 300 LIMIT 1`))[0]!.id;

describe('the log of attempts, as operators see it', () => {
  const filters: Filter[] = [
    ['all of the instance', () => ({}), 'true', () => []],
    ['failures', () => ({ success: 'false' }), 'NOT a.success', () => []],
    ['a status', () => ({ http_status: '404' }), 'a.http_status = 404', () => []],
    ['a state', () => ({ delivery_state: 'failed' }), `d.state = 'failed'`, () => []],
    ['a project', () => ({ project_id: log.projects[1] }), 'a.project_id = $1', () => [log.projects[1]]],
    ['the third attempts', () => ({ attempt: '3' }), 'a.attempt = 3', () => []],
    ['an error', () => ({ error: 'timeout' }), `a.error = 'timeout'`, () => []],
    ['an error that never was', () => ({ error: 'tls_error' }), 'false', () => []],
    [
      'an error of an endpoint, by attempt',
      () => ({ error: 'http_error', endpoint_id: `ep_${log.endpoints[0]}`, attempt: '1' }),
      `a.error = 'http_error' AND a.endpoint_id = $1 AND a.attempt = 1`,
      () => [log.endpoints[0]],
    ],
    ...(['small', 'large', 'wide'] as const).flatMap((size): Filter[] => [
      [
        `a ${size} batch`,
        () => ({ batch_id: `rdl_${batches[size]}` }),
        'd.batch_id = $1',
        () => [batches[size]],
      ],
      [
        `timeouts of a ${size} batch at an endpoint`,
        () => ({ batch_id: `rdl_${batches[size]}`, error: 'timeout', endpoint_id: `ep_${log.endpoints[1]}` }),
        `d.batch_id = $1 AND a.error = 'timeout' AND a.endpoint_id = $2`,
        () => [batches[size], log.endpoints[1]],
      ],
      [
        `what a ${size} batch brought about a customer`,
        () => ({ batch_id: `rdl_${batches[size]}`, q: 'ada@example.com' }),
        'd.batch_id = $1 AND e.customer_id = ANY ($2)',
        () => [batches[size], log.customers.slice(0, 2).map(({ id }) => id)],
      ],
    ]),
    ['a batch of nobody', () => ({ batch_id: `rdl_${randomUUID()}` }), 'false', () => []],
    [
      'first attempts of an endpoint that failed',
      () => ({ attempt: '1', endpoint_id: `ep_${log.endpoints[0]}`, success: 'false' }),
      'a.attempt = 1 AND a.endpoint_id = $1 AND NOT a.success',
      () => [log.endpoints[0]],
    ],
    [
      'a customer',
      () => ({ customer_id: log.customers[2]!.id }),
      'e.customer_id = $1',
      () => [log.customers[2]!.id],
    ],
    [
      'a customer, failures with a type',
      () => ({ customer_id: log.customers[0]!.id, success: 'false', event: 'customer.created' }),
      `e.customer_id = $1 AND NOT a.success AND a.event_type = 'customer.created'`,
      () => [log.customers[0]!.id],
    ],
    ['a customer without events', () => ({ customer_id: log.customers[3]!.id }), 'false', () => []],
    [
      'a customer by id',
      () => ({ q: log.customers[0]!.id }),
      'e.customer_id = $1',
      () => [log.customers[0]!.id],
    ],
    [
      'an address, in whatever project',
      () => ({ q: ' ADA@example.com ' }),
      'e.customer_id = ANY ($1)',
      () => [log.customers.slice(0, 2).map(({ id }) => id)],
    ],
    [
      'an address and one of its customers',
      () => ({ q: 'ada@example.com', customer_id: log.customers[1]!.id }),
      'e.customer_id = $1',
      () => [log.customers[1]!.id],
    ],
    ['an endpoint', () => ({ q: `ep_${log.endpoints[3]}` }), 'a.endpoint_id = $1', () => [log.endpoints[3]]],
    [
      'the beginning of a URL',
      () => ({ q: 'https://one.example.com/hooks/' }),
      'a.endpoint_id = ANY ($1)',
      () => [log.endpoints.slice(0, 2)],
    ],
    [
      'a URL that is longer than its index',
      () => ({ q: `https://one.example.com/${'x'.repeat(299)}`, success: 'false' }),
      'a.endpoint_id = $1 AND NOT a.success',
      () => [log.endpoints[3]],
    ],
    [
      'a URL and an endpoint that has another',
      () => ({ q: 'https://one.example.com/', endpoint_id: `ep_${log.endpoints[2]}` }),
      'false',
      () => [],
    ],
    ['an event of nobody', () => ({ q: `evt_${randomUUID()}` }), 'false', () => []],
  ];
  it('finds and counts by every filter and by several', () =>
    checkCases(filters, async (query, where, values) => {
      const wanted = await attemptsIn(where, values());
      expect(await readAll(operator, LOG, query())).toEqual(wanted);
      expect(await countOf(operator, LOG, query())).toEqual({ count: wanted.length, isMore: false });
      if (where !== 'false') expect(wanted.length).toBeGreaterThan(10);
    }));

  it('narrows a batch by time, and pages through it', async () => {
    for (const id of Object.values(batches)) {
      const [{ middle }] = (await instance.sql(
        `SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY created_at) AS middle FROM deliveries WHERE batch_id = $1`,
        [id],
      )) as [{ middle: string }];
      const at = new Date(middle);
      const read = (query: Record<string, string>) =>
        readAll(operator, LOG, { batch_id: `rdl_${id}`, limit: '33', ...query });
      const later = await attemptsIn('d.batch_id = $1 AND a.started_at > $2', [id, at]);
      const earlier = await attemptsIn('d.batch_id = $1 AND a.started_at < $2', [id, at]);
      expect(Math.min(later.length, earlier.length)).toBeGreaterThan(50);
      expect(await read({ created_after: at.toISOString() })).toEqual(later);
      expect(await read({ created_before: at.toISOString() })).toEqual(earlier);
    }
  });

  it('holds a delivery against a batch', async () => {
    const [of, other] = [batches.small, batches.large];
    const [delivery] = await deliveriesIn('d.batch_id = $1', [of]);
    const own = await attemptsIn('a.delivery_id = $1', [delivery!.slice(4)]);
    expect(await readAll(operator, LOG, { batch_id: `rdl_${of}`, q: delivery! })).toEqual(own);
    expect(await readAll(operator, LOG, { batch_id: `rdl_${other}`, q: delivery! })).toEqual([]);
  });

  it('pages through what is about a customer', async () => {
    const query = { q: 'ada@example.com', limit: '7' };
    expect(await readAll(operator, LOG, query)).toEqual(
      await attemptsIn('e.customer_id = ANY ($1)', [log.customers.slice(0, 2).map(({ id }) => id)]),
    );
  });

  it('finds what a pasted id names', async () => {
    const attempt = (await attemptsIn(`a.attempt = 2`))[20]!;
    const [{ delivery, event }] = (await instance.sql(
      'SELECT delivery_id AS delivery, event_id AS event FROM attempts WHERE id = $1',
      [attempt.slice(4)],
    )) as [{ delivery: string; event: string }];
    const found = (query: Record<string, string>) => readAll(operator, LOG, query);
    expect(await found({ q: attempt })).toEqual([attempt]);
    expect(await countOf(operator, LOG, { q: attempt })).toEqual({ count: 1, isMore: false });
    const ofDelivery = await attemptsIn('a.delivery_id = $1', [delivery]);
    expect(ofDelivery).toHaveLength(5);
    expect(await found({ q: `dlv_${delivery}` })).toEqual(ofDelivery);
    expect(await found({ q: `evt_${event}` })).toEqual(ofDelivery);
    expect(await found({ q: `dlv_${delivery}`, attempt: '2' })).toEqual([attempt]);
    expect(await found({ q: `dlv_${delivery}`, event_id: `evt_${await oneOf('events')}` })).toEqual([]);
    expect(await found({ q: `dlv_${delivery}`, delivery_id: `dlv_${await oneOf('deliveries')}` })).toEqual(
      [],
    );
  });

  it('finds nothing by what names nothing', async () => {
    const words = [
      'customer.created',
      '%',
      'nobody@example.com',
      'https://elsewhere.example.com/',
      `rdl_${randomUUID()}`,
      `att_${randomUUID()}`,
      randomUUID(),
      `dlv_${'0'.repeat(36)}`,
    ];
    const cases = [LOG, DEAD, '/events'].flatMap((path) =>
      words.map((q): [string, string, string] => [`${path}?q=${q}`, path, q]),
    );
    await checkCases(cases, async (path, q) => {
      expect(await readAll(operator, path, { q })).toEqual([]);
      expect(await countOf(operator, path, { q })).toEqual({ count: 0, isMore: false });
    });
  });

  it('refuses unknown filters and values', async () => {
    const paths = [
      `${LOG}?attempt=6`,
      `${LOG}?attempt=0`,
      `${LOG}?q=`,
      `${LOG}?customer_id=ada`,
      `${LOG}?error=none`,
      `${LOG}?batch_id=${randomUUID()}`,
      `${LOG}/count?limit=1`,
      `${LOG}/count?cursor=x`,
      `${DEAD}?resolution=lost`,
      `${DEAD}?attempt=1`,
      `/events?types=nothing`,
      `/events/count?limit=1`,
    ];
    await checkCases(
      paths.map((path): [string, string] => [path, path]),
      async (path) =>
        expect(await operator.call('GET', path)).toMatchObject({
          status: 400,
          body: { code: 'validation_failed' },
        }),
    );
  });

  it('does not let keys filter so', async () => {
    const queries = ['attempt=1', 'error=timeout', `batch_id=rdl_${randomUUID()}`];
    for (const query of [...queries, `customer_id=${randomUUID()}`, 'q=ada@example.com']) {
      expect(await instance.server('GET', `/v1/webhooks/deliveries?${query}`)).toMatchObject({ status: 400 });
    }
    expect(await instance.server('GET', '/v1/webhooks/deliveries/count')).toMatchObject({ status: 404 });
    expect(await instance.server('GET', '/v1/webhooks/dead-letters?resolution=waiting')).toMatchObject({
      status: 400,
    });
  });
});

describe('dead letters, as operators see them', () => {
  const waiting = `d.state = 'failed' AND d.resolution IS NULL`;
  const resolved = `d.state = 'failed' AND d.resolution IS NOT NULL`;
  const filters: Filter[] = [
    ['those that wait', () => ({}), waiting, () => []],
    ['the same by name', () => ({ resolution: 'waiting' }), waiting, () => []],
    ['redelivered ones', () => ({ resolution: 'redelivered' }), `d.resolution = 'redelivered'`, () => []],
    ['discarded ones', () => ({ resolution: 'discarded' }), `d.resolution = 'discarded'`, () => []],
    ['resolved ones', () => ({ resolution: 'resolved' }), resolved, () => []],
    [
      'resolved ones of a project',
      () => ({ resolution: 'resolved', project_id: log.projects[0] }),
      `${resolved} AND d.project_id = $1`,
      () => [log.projects[0]],
    ],
    [
      'discarded ones of an endpoint with a status',
      () => ({ resolution: 'discarded', endpoint_id: `ep_${log.endpoints[0]}`, http_status: '404' }),
      `d.resolution = 'discarded' AND d.endpoint_id = $1 AND d.last_http_status = 404`,
      () => [log.endpoints[0]],
    ],
    [
      'those about a customer',
      () => ({ customer_id: log.customers[0]!.id }),
      `${waiting} AND e.customer_id = $1`,
      () => [log.customers[0]!.id],
    ],
    [
      'resolved ones of an address',
      () => ({ q: 'ada@example.com', resolution: 'resolved' }),
      `${resolved} AND e.customer_id = ANY ($1)`,
      () => [log.customers.slice(0, 2).map(({ id }) => id)],
    ],
    [
      'those to a URL',
      () => ({ q: 'https://one.example.com/hooks' }),
      `${waiting} AND d.endpoint_id = ANY ($1)`,
      () => [log.endpoints.slice(0, 2)],
    ],
    [
      'resolved ones to a URL, of a type',
      () => ({ q: 'https://one.example.com', resolution: 'resolved', event: 'session.created' }),
      `${resolved} AND d.endpoint_id = ANY ($1) AND d.event_type = 'session.created'`,
      () => [[log.endpoints[0], log.endpoints[1], log.endpoints[3]]],
    ],
  ];
  it('finds and counts by every filter and by several', () =>
    checkCases(filters, async (query, where, values) => {
      const wanted = await deliveriesIn(where, values());
      expect(wanted.length).toBeGreaterThan(3);
      expect(await readAll(operator, DEAD, query())).toEqual(wanted);
      expect(await readAll(operator, DEAD, { ...query(), limit: '13' })).toEqual(wanted);
      expect(await countOf(operator, DEAD, query())).toEqual({ count: wanted.length, isMore: false });
    }));

  it('finds what a pasted id names, if it is one', async () => {
    const [id] = await deliveriesIn(waiting);
    const [attempt] = await attemptsIn('a.delivery_id = $1', [id!.slice(4)]);
    const [done] = await deliveriesIn(`d.state = 'succeeded'`);
    expect(await readAll(operator, DEAD, { q: id! })).toEqual([id]);
    expect(await readAll(operator, DEAD, { q: attempt! })).toEqual([id]);
    expect(await readAll(operator, DEAD, { q: id!, resolution: 'resolved' })).toEqual([]);
    expect(await readAll(operator, DEAD, { q: done! })).toEqual([]);
  });
});

describe('batches, as operators see them', () => {
  const path = '/webhooks/redeliveries';

  it('are found and counted by the state that they show', async () => {
    const made: Record<string, string> = { expired: '', cancelled: '', running: '', planned: '', late: '' };
    for (const name of Object.keys(made)) {
      made[name] = (await operator.call('POST', path, { filter: {} })).body.data.id as string;
    }
    await operator.call('POST', `${path}/${made.cancelled}/cancel`);
    await operator.call('POST', `${path}/${made.running}/start`, { reason: 'to see' });
    // Two plans of yesterday: housekeeping has come by one of them.
    const age = (name: string, set: string) =>
      instance.sql(
        `UPDATE redelivery_batches SET created_at = now() - interval '25 hours' ${set} WHERE id = $1`,
        [made[name]!.slice(4)],
      );
    await age('expired', `, state = 'expired', finished_at = now()`);
    await age('late', '');

    const all = (await operator.call('GET', `${path}?limit=200`)).body.data as {
      id: string;
      state: string;
    }[];
    expect(await countOf(operator, path)).toEqual({ count: all.length, isMore: false });
    const found: string[] = [];
    for (const state of ['planned', 'running', 'completed', 'cancelled', 'expired']) {
      const shown = all.filter((each) => each.state === state).map(({ id }) => id);
      expect([state, await readAll(operator, path, { state, limit: '2' })]).toEqual([state, shown]);
      expect([state, await countOf(operator, path, { state })]).toEqual([
        state,
        { count: shown.length, isMore: false },
      ]);
      found.push(...shown);
    }
    expect(found.sort()).toEqual(all.map(({ id }) => id).sort());
    const stateOf = (id: string) => all.find((each) => each.id === id)?.state;
    expect(Object.entries(made).map(([name, id]) => [name, stateOf(id)])).toEqual([
      ['expired', 'expired'],
      ['cancelled', 'cancelled'],
      ['running', 'running'],
      ['planned', 'planned'],
      ['late', 'planned'],
    ]);
    expect(stateOf(`rdl_${batches.small}`)).toBe('completed');
  });

  it('take no cursor from one state to another, and no other state', async () => {
    const { next_cursor: cursor } = (await operator.call('GET', `${path}?limit=1&state=completed`)).body;
    const next = `${path}?limit=1&cursor=${cursor}`;
    expect(await operator.call('GET', `${next}&state=completed`)).toMatchObject({ status: 200 });
    for (const other of [next, `${next}&state=planned`]) {
      expect(await operator.call('GET', other)).toMatchObject({ body: { code: 'invalid_cursor' } });
    }
    for (const refused of ['?state=late', '/count?state=late', '/count?limit=1']) {
      expect(await operator.call('GET', path + refused)).toMatchObject({
        status: 400,
        body: { code: 'validation_failed' },
      });
    }
    expect(await instance.server('GET', '/v1/webhooks/redeliveries?state=planned')).toMatchObject({
      status: 400,
    });
    expect(await instance.server('GET', '/v1/webhooks/redeliveries/count')).toMatchObject({ status: 404 });
  });

  it('are counted up to ten thousand, however many there are', async () => {
    await instance.sql(
      `INSERT INTO redelivery_batches (id, kind, filter, state, created_by, finished_at)
       SELECT ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'redelivery', '{}',
         CASE WHEN n % 2 = 0 THEN 'expired' ELSE 'completed' END, 'operator:' || $1, now()
       FROM generate_series(1, 10500) n`,
      [operator.operator.id],
    );
    expect(await countOf(operator, path)).toEqual({ count: 10_000, isMore: true });
    const { count, isMore } = await countOf(operator, path, { state: 'expired' });
    expect([count >= 5_250 && count < 5_300, isMore]).toEqual([true, false]);
    await instance.sql(`DELETE FROM redelivery_batches WHERE id < '00000001-0000-0000-0000-000000000000'`);
  });
});

describe('who did it, as operators see it', () => {
  const path = '/webhooks/redeliveries';
  const batch = async (id: string) => (await operator.call('GET', `${path}/${id}`)).body.data;

  it('of a batch, by name', async () => {
    const other = await insertOperator(instance, 'operator');
    const { body } = await operator.call('POST', path, { filter: {} });
    const { id } = body.data as { id: string };
    const names = {
      created_by_name: operator.operator.email,
      started_by_name: null,
      cancelled_by_name: null,
    };
    expect(await batch(id)).toMatchObject(names);
    await other.call('POST', `${path}/${id}/start`, { reason: 'to see' });
    const started = { ...names, started_by_name: other.operator.email };
    expect(await batch(id)).toMatchObject(started);
    await operator.call('POST', `${path}/${id}/cancel`);
    const ended = { ...started, cancelled_by_name: operator.operator.email };
    expect(await batch(id)).toMatchObject({ ...ended, state: 'cancelled' });
    const listed = (await operator.call('GET', `${path}?limit=1`)).body.data;
    expect(listed).toMatchObject([{ id, ...ended }]);
    // A key that is gone.
    await instance.sql(`UPDATE redelivery_batches SET started_by = 'key:' || $2 WHERE id = $1`, [
      id.slice(4),
      randomUUID(),
    ]);
    expect(await batch(id)).toMatchObject({ started_by_name: null });
  });

  it('of a batch that a key made, the name of the key, which keys are not told', async () => {
    const { body } = await instance.server('POST', '/v1/webhooks/redeliveries', { filter: {} });
    const { id, created_by: by } = body.data as { id: string; created_by: string };
    const [key] = await instance.sql<{ name: string }>('SELECT name FROM api_keys WHERE id = $1', [
      by.slice(4),
    ]);
    expect(key!.name).toMatch(/\w/);
    expect(await batch(id)).toMatchObject({ created_by: by, created_by_name: key!.name });
    const { body: own } = await instance.server('GET', `/v1/webhooks/redeliveries/${id}`);
    expect(own.data).not.toHaveProperty('created_by_name');
  });

  it('of a dead letter that was dealt with', async () => {
    const [letter] = await deliveriesIn(`d.resolution = 'discarded'`);
    const found = async () =>
      (await operator.call('GET', `${DEAD}?resolution=resolved&delivery_id=${letter}`)).body.data;
    expect(await found()).toMatchObject([{ id: letter, resolved_by: null, resolved_by_name: null }]);
    await instance.sql('UPDATE deliveries SET resolved_by = $2 WHERE id = $1', [
      letter!.slice(4),
      `operator:${operator.operator.id}`,
    ]);
    expect(await found()).toMatchObject([{ id: letter, resolved_by_name: operator.operator.email }]);
  });
});

it('shows an operator how the endpoint of a delivery is, also of one that is deleted', async () => {
  const [id] = await deliveriesIn('d.endpoint_id = $1', [log.endpoints[1]]);
  const seen = async () =>
    (await operator.call('GET', `${LOG}/${id}`)).body.data as { endpoint_status: string };
  for (const state of ['disabled', 'deleted', 'enabled']) {
    await instance.sql('UPDATE webhook_endpoints SET status = $2 WHERE id = $1', [log.endpoints[1], state]);
    expect((await seen()).endpoint_status).toBe(state);
  }
  const { body } = await instance.server('GET', `/v1/webhooks/deliveries/${id}`);
  expect(body.data).not.toHaveProperty('endpoint_status');
});

describe('a plan to redeliver what the list shows', () => {
  const waiting = `d.state = 'failed' AND d.resolution IS NULL`;
  const PLANS = '/webhooks/redeliveries';
  const plan = (filter: object, by = operator) => by.call('POST', PLANS, { filter });
  const plans: [string, () => Record<string, unknown>, string, () => unknown[]][] = [
    ['all', () => ({}), 'true', () => []],
    [
      'a customer',
      () => ({ customer_id: log.customers[0]!.id }),
      'e.customer_id = $1',
      () => [log.customers[0]!.id],
    ],
    [
      'an address and a status',
      () => ({ q: ' Ada@example.com', http_status: 404 }),
      'e.customer_id = ANY ($1) AND d.last_http_status = 404',
      () => [log.customers.slice(0, 2).map(({ id }) => id)],
    ],
    [
      'the beginning of a URL',
      () => ({ q: 'https://one.example.com/hooks/' }),
      'd.endpoint_id = ANY ($1)',
      () => [log.endpoints.slice(0, 2)],
    ],
    [
      'an endpoint in a project',
      () => ({ q: `ep_${log.endpoints[2]}`, project_id: log.projects[0] }),
      'd.endpoint_id = $1',
      () => [log.endpoints[2]],
    ],
  ];
  it('takes exactly what the list shows', () =>
    checkCases(
      plans,
      async (filter, where, values) => {
        const wanted = await deliveriesIn(`${waiting} AND ${where}`, values());
        expect(wanted.length).toBeGreaterThan(3);
        const { http_status: status, ...rest } = filter() as Record<string, string>;
        expect(
          await readAll(operator, DEAD, { ...rest, ...(status && { http_status: String(status) }) }),
        ).toEqual(wanted);
        const { body } = await plan({ ...filter(), resolution: 'waiting' });
        expect(body.data).toMatchObject({ total: wanted.length, eligible: wanted.length, not_eligible: [] });
        const items = await instance.sql<{ id: string }>(
          'SELECT delivery_id AS id FROM redelivery_items WHERE batch_id = $1 ORDER BY delivery_id DESC',
          [body.data.id.slice(4)],
        );
        expect(items.map(({ id }) => `dlv_${id}`)).toEqual(wanted);
      },
      1,
    ));

  it('keeps who was looked for as ids, which stay when the address must not', async () => {
    const { body } = await plan({ q: 'ada@example.com', resolution: 'waiting' });
    const ids = log.customers.slice(0, 2).map(({ id }) => id);
    expect(body.data.filter).toEqual({ resolution: 'waiting', customer_ids: expect.arrayContaining(ids) });
  });

  it('holds the names of deliveries against the list, where it is asked to', async () => {
    const [dead] = await deliveriesIn(waiting);
    const [done] = await deliveriesIn(`d.state = 'succeeded'`);
    const total = async (filter: object): Promise<number> => (await plan(filter)).body.data.total as number;
    expect(await total({ q: dead, resolution: 'waiting' })).toBe(1);
    expect(await total({ q: done, resolution: 'waiting' })).toBe(0);
    expect(await total({ q: done })).toBe(0);
    expect(await total({ delivery_ids: [dead, done], resolution: 'waiting' })).toBe(1);
    expect(await total({ delivery_ids: [dead, done] })).toBe(2);
    expect(await total({ delivery_ids: [dead, done], q: dead })).toBe(1);
  });

  it('refuses what can be no part of it', async () => {
    for (const filter of [
      { resolution: 'discarded' },
      { resolution: 'resolved' },
      { attempt: 5 },
      { q: '' },
      { customer_id: 'ada' },
    ]) {
      const { status, body } = await plan(filter);
      expect({ filter, status, code: body.code }).toEqual({ filter, status: 400, code: 'validation_failed' });
    }
  });

  it('finds nothing by what names nothing, and is for operators', async () => {
    for (const q of ['nobody@example.com', 'customer.created', `att_${randomUUID()}`]) {
      expect(await plan({ q, resolution: 'waiting' })).toMatchObject({ status: 404 });
    }
    expect(await plan({}, await insertOperator(instance, 'viewer'))).toMatchObject({
      status: 403,
      body: { code: 'insufficient_role' },
    });
    expect(await instance.server('POST', '/v1/webhooks/redeliveries', { filter: { q: 'x' } })).toMatchObject({
      status: 400,
    });
  });
});

describe('what is about customers with many events', () => {
  const EVENTS = 2_002;
  const BUSY = 5_001;
  let quiet: string;
  let busy: string;
  beforeAll(async () => {
    const { organizationId, projectId } = instance.credentials;
    [quiet, busy] = [log.customers[3]!.id, log.customers[0]!.id];
    const insert = (customerId: string, count: number, hour: number) =>
      instance.sql(
        `INSERT INTO events (id, organization_id, project_id, customer_id, type, body, created_at)
         SELECT ('${idAt(Date.now() - hour * 3_600_000).slice(0, 13)}-700' || $5 || '-8000-' || lpad(to_hex(n), 12, '0'))::uuid,
           $1, $2, $3, 'session.created', '{}', now() - $6 * interval '1 hour' FROM generate_series(1, $4::int) n`,
        [organizationId, projectId, customerId, count, hour, hour],
      );
    await insert(quiet, EVENTS, 2);
    // All that is delivered of the busy one is older than these.
    await insert(busy, BUSY, 1);
    await instance.sql(
      `WITH dead AS (
         INSERT INTO deliveries (id, organization_id, project_id, event_id, event_type, endpoint_id, target_url, state,
           attempt, last_http_status, created_at, finished_at)
         SELECT (left(e.id::text, 15) || substr(gen_random_uuid()::text, 16))::uuid, e.organization_id, e.project_id, e.id,
           e.type, w.id, w.url, 'failed', 1, 503, e.created_at, e.created_at
         FROM events e, webhook_endpoints w WHERE e.customer_id = $1 AND w.id = ANY ($2) RETURNING *)
       INSERT INTO attempts (id, organization_id, project_id, event_id, event_type, endpoint_id, delivery_id, target_url,
         attempt, http_status, success, error, duration_ms, response_body, started_at, closed_at)
       SELECT id, organization_id, project_id, event_id, event_type, endpoint_id, id, target_url, 1, 503, false,
         'http_error', 1, '', created_at, created_at FROM dead`,
      [quiet, log.endpoints.slice(0, 3)],
    );
  });
  afterAll(() =>
    instance.sql(
      `WITH forgotten AS (DELETE FROM deliveries WHERE event_id IN (SELECT id FROM events WHERE customer_id = $1) RETURNING id)
       DELETE FROM attempts WHERE delivery_id IN (SELECT id FROM forgotten)`,
      [quiet],
    ),
  );

  it('is listed, counted and planned whole: of one with thousands of dead letters', async () => {
    const all = { count: 3 * EVENTS, isMore: false };
    const query = { customer_id: quiet };
    expect(await countOf(operator, DEAD, query)).toEqual(all);
    expect(await countOf(operator, LOG, query)).toEqual(all);
    const dead = await deliveriesIn('e.customer_id = $1', [quiet]);
    const [listed, logged] = await Promise.all([
      readAll(operator, DEAD, query),
      readAll(operator, LOG, query),
    ]);
    expect(listed).toEqual(dead);
    expect(logged).toEqual(await attemptsIn('e.customer_id = $1', [quiet]));
    const filter = { ...query, resolution: 'waiting' };
    const { body } = await operator.call('POST', '/webhooks/redeliveries', { filter });
    expect(body.data).toMatchObject({ total: dead.length, eligible: dead.length });
  });

  it('is listed, counted and planned whole: of one with more events than are looked at one by one', async () => {
    const cases: [string, Record<string, string>][] = [
      ['all', { customer_id: busy }],
      ['an address of two customers', { q: 'ada@example.com' }],
      ['a type', { customer_id: busy, event: 'customer.created' }],
    ];
    await checkCases(
      cases,
      async (query) => {
        const where = `e.customer_id = ANY ($1) ${query['event'] ? `AND d.event_type = 'customer.created'` : ''}`;
        const ids = [query['customer_id'] ? [busy] : log.customers.slice(0, 2).map(({ id }) => id)];
        const attempts = await attemptsIn(where, ids);
        expect(await readAll(operator, LOG, query)).toEqual(attempts);
        expect(await countOf(operator, LOG, query)).toEqual({ count: attempts.length, isMore: false });
        const dead = await deliveriesIn(`d.state = 'failed' AND d.resolution IS NULL AND ${where}`, ids);
        expect(await readAll(operator, DEAD, query)).toEqual(dead);
        expect(await countOf(operator, DEAD, query)).toEqual({ count: dead.length, isMore: false });
        const filter = { ...query, resolution: 'waiting' };
        const { body } = await operator.call('POST', '/webhooks/redeliveries', { filter });
        expect(body.data).toMatchObject({ total: dead.length });
        expect(Math.min(attempts.length, dead.length)).toBeGreaterThan(3);
      },
      1,
    );
  });

  it('is read by its events, also while PostgreSQL does not know how many dead letters there are', async () => {
    await instance.sql(`DELETE FROM pg_statistic WHERE starelid = 'deliveries'::regclass`);
    const explainer = new Explainer(instance);
    const letters = explainer.repository(DeadLettersRepository);
    const reach = { organizationId: null, projectId: null };
    expect(await letters.count(reach, { customerIds: [quiet] } as DeliveryFilter)).toEqual({
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
    endpoint = log.endpoints[2]!;
    const at = Date.now() - 3_600_000;
    const projectId = log.projects[0];
    const [made] = await insertDeliveries(instance, [
      { endpointId: endpoint, projectId, state: 'failed', attempts: [{ at, status: 500 }] },
    ]);
    const { id } = made!;
    // More than the log of any delivery holds, but nobody counts those.
    await instance.sql(
      `INSERT INTO attempts (id, organization_id, project_id, event_id, event_type, endpoint_id, delivery_id, target_url,
         attempt, http_status, success, error, duration_ms, response_body, started_at)
       SELECT ('${idAt(at).slice(0, 13)}-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, organization_id, project_id,
         event_id, event_type, endpoint_id, id, target_url, 1, 500, false, 'http_error', 1, '', now()
       FROM deliveries, generate_series(1, ${MANY}) n WHERE id = $1`,
      [id],
    );
    await instance.sql(
      `INSERT INTO deliveries (id, organization_id, project_id, event_id, event_type, endpoint_id, target_url, state,
         attempt, last_http_status, finished_at)
       SELECT ('ffffffff-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, organization_id, project_id, event_id,
         event_type, endpoint_id, target_url, 'failed', 5, 500, now()
       FROM deliveries, generate_series(1, ${MANY}) n WHERE id = $1`,
      [id],
    );
    await instance.sql(
      `INSERT INTO events (id, organization_id, project_id, type, body, created_at)
       SELECT ('ffffffff-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, organization_id, project_id,
         'login.failed', '{}', now()
       FROM events, generate_series(1, ${MANY}) n WHERE id = (SELECT event_id FROM deliveries WHERE id = $1)`,
      [id],
    );
  });

  it('ends at ten thousand', async () => {
    const full = { count: 10_000, isMore: true };
    expect(await countOf(operator, LOG)).toEqual(full);
    expect(await countOf(operator, LOG, { endpoint_id: `ep_${endpoint}` })).toEqual(full);
    expect(await countOf(operator, LOG, { http_status: '500', project_id: log.projects[0] })).toEqual(full);
    expect(await countOf(operator, DEAD)).toEqual(full);
    expect(await countOf(operator, '/events')).toEqual(full);
  });

  it('says so when it has not looked at all', async () => {
    const path = {
      endpoint_id: `ep_${endpoint}`,
      created_before: new Date(Date.now() + 60_000).toISOString(),
    };
    const rare = await countOf(operator, LOG, { ...path, http_status: '404' });
    expect(rare.isMore).toBe(true);
    expect(rare.count).toBeLessThan(MANY);
    expect(await countOf(operator, DEAD, { http_status: '404' })).toMatchObject({ isMore: true });
    expect(await countOf(operator, '/events', { types: 'customer.deleted' })).toMatchObject({ isMore: true });
    // Of a batch that is forgotten as well: what is left of it is more than is looked at one by one.
    const forgotten = randomUUID();
    await instance.sql(
      `UPDATE deliveries SET batch_id = $1, state = CASE WHEN id >= $2 THEN state ELSE 'succeeded' END
       WHERE id >= $2 OR id IN (SELECT delivery_id FROM attempts GROUP BY 1 HAVING count(*) > 5)`,
      [forgotten, 'ffffffff-0000-0000-0000-000000000000'],
    );
    const ofForgotten = { batch_id: `rdl_${forgotten}` };
    expect(await countOf(operator, LOG, ofForgotten)).toEqual({ count: 10_000, isMore: true });
    const page = await operator.call('GET', `${LOG}?${new URLSearchParams(ofForgotten)}`);
    expect(page.body).toMatchObject({ has_more: true, data: expect.arrayContaining([expect.anything()]) });
    // What an index leads to is counted whole, and so is what was at a time.
    const ofBatch = await attemptsIn('d.batch_id = $1', [batches.wide]);
    expect(await countOf(operator, LOG, { batch_id: `rdl_${batches.wide}` })).toEqual({
      count: ofBatch.length,
      isMore: false,
    });
    expect(await countOf(operator, LOG, { endpoint_id: `ep_${log.endpoints[0]}` })).toMatchObject({
      isMore: false,
    });
  });
});
