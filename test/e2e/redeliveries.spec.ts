import { randomUUID } from 'node:crypto';
import { checkCases } from '../support/check-cases.js';
import { registerCustomer } from '../support/customers.js';
import { emitEvents, waitForRedelivery, duplicateDeadLetter } from '../support/dead-letters.js';
import { eventually } from '../support/eventually.js';
import { isNightly } from '../support/is-nightly.js';
import { availableQueues, TestInstance } from '../support/test-instance.js';
import { commitWhen } from '../support/with-concurrent-change.js';
import { Receiver, respondWithStatus } from '../support/receiver.js';
import { insertKey, insertOrganization } from '../support/tenants.js';
import { uniqueEmail } from '../support/unique-email.js';

const PATH = '/v1/webhooks/redeliveries';

let instance: TestInstance;
let receiver: Receiver;

/**
 * Settings with which batches run every 50 ms. An endpoint has at most ten attempts in flight, with a timeout of 6 s.
 */
const workerEnv = {
  TIME_SCALE: '10',
  WEBHOOK_RETRY_SCHEDULE: '0s,0s,0s,0s,0s',
  WEBHOOK_TIMEOUT: '60s',
  WEBHOOK_CONCURRENCY: '40',
};

/** Inserts dead letters without attempts for an endpoint. Returns their ids, newest first. */
async function insertDeadLetters(endpoint: string, count: number, httpStatus = 500): Promise<string[]> {
  const [{ before }] = (await instance.sql(`SELECT coalesce(max(id::text), '') AS before FROM events`)) as [
    { before: string },
  ];
  // No endpoint is enabled, so these events create no deliveries.
  await instance.sql(`UPDATE webhook_endpoints SET status = 'disabled' WHERE status = 'enabled'`);
  await emitEvents(instance, count);
  const rows = await instance.sql<{ id: string }>(
    `INSERT INTO deliveries (id, organization_id, project_id, event_id, event_type, endpoint_id, target_url, state,
       attempt, last_http_status, last_error, created_at, finished_at)
     SELECT uuidv7(), e.organization_id, e.project_id, e.id, e.type, w.id, w.url, 'failed', 5, $3, 'http_error', now(),
       now()
     FROM (SELECT * FROM events WHERE id::text > $2 ORDER BY id) e, webhook_endpoints w WHERE w.id = $1
     RETURNING 'dlv_' || id AS id`,
    [endpoint.slice(3), before, httpStatus],
  );
  await instance.sql(`UPDATE webhook_endpoints SET status = 'enabled' WHERE status = 'disabled'`);
  return rows.map(({ id }) => id).reverse();
}

/** Creates an endpoint with dead letters. */
async function createDeadLetters(
  count: number,
  httpStatus?: number,
): Promise<{ endpoint: string; ids: string[] }> {
  const { id: endpoint } = await instance.createEndpoint(receiver.url, ['customer.created']);
  return { endpoint, ids: await insertDeadLetters(endpoint, count, httpStatus) };
}

/** Returns an endpoint's dead letter ids, newest first. */
const listDeadLetters = async (endpoint: string): Promise<string[]> => {
  const { body } = await instance.requestWithSecretKey(
    'GET',
    `/v1/webhooks/dead-letters?limit=200&endpoint_id=${endpoint}`,
  );
  return (body.data as { id: string }[]).map(({ id }) => id);
};

/** Makes the receiver hold its responses. Returns a function that sends them, and ends the hold. */
function holdResponses(): () => void {
  const waiting: (() => void)[] = [];
  receiver.defaultResponder = (response) => void waiting.push(() => response.end());
  return () => {
    receiver.defaultResponder = respondWithStatus(200);
    for (const response of waiting) response();
  };
}

const post = async (path: string, body?: object) => {
  const response = await instance.requestWithSecretKey('POST', path, body);
  return { ...response, code: response.body.code as string, data: response.body.data };
};
/**
 * Sends concurrent requests that wait for the same lock. Omits responses with 503, because on a busy machine the last
 * requests wait for longer than the API waits for a lock.
 */
async function sendTogether(count: number, send: (index: number) => ReturnType<typeof post>) {
  const responses = await Promise.all(Array.from({ length: count }, (_, index) => send(index)));
  const admitted = responses.filter(({ status }) => status !== 503);
  expect(admitted).not.toEqual([]);
  return admitted;
}
const plan = (filter: object) => post(PATH, { filter });
const start = (id: string, reason = 'the receiver is repaired') => post(`${PATH}/${id}/start`, { reason });
const get = async (id: string) => (await instance.requestWithSecretKey('GET', `${PATH}/${id}`)).body.data;
/** Waits for a batch run that begins after this call. */
async function waitForRun(): Promise<void> {
  const getFeedState = async () =>
    (
      await instance.sql<{ running: boolean; fedAt: string }>(
        `SELECT EXISTS (SELECT FROM redelivery_batches WHERE state = 'running' AND finished_at IS NULL) AS running,
         fed_at::text AS "fedAt" FROM redelivery_feed`,
      )
    )[0]!;
  await instance.runJob('BulkRedeliveryRunner');
  const { running, fedAt } = await getFeedState();
  if (running)
    await eventually('a run', async () => {
      await instance.runJob('BulkRedeliveryRunner');
      return (await getFeedState()).fedAt > fedAt;
    });
}
const listEventIds = (): string[] => receiver.requests.map(({ event }) => event.id).sort();
const findEventIds = async (ids: string[]): Promise<string[]> => {
  const rows = await instance.sql<{ id: string }>(
    `SELECT 'evt_' || event_id AS id FROM deliveries WHERE 'dlv_' || id = ANY ($1)`,
    [ids],
  );
  return rows.map(({ id }) => id).sort();
};
const eraseCustomer = async (deliveryId: string): Promise<void> => {
  const { data } = (await instance.requestWithSecretKey('GET', `/v1/webhooks/deliveries/${deliveryId}`)).body;
  await instance.requestWithSecretKey(
    'DELETE',
    `/api/v1/customers/${JSON.parse(data.request.body).data.customer.id}`,
  );
};
/** Plans a bulk redelivery with this key instead of the organization key. */
const planAs = (key: string, filter: object) =>
  instance.request('POST', PATH, { body: { filter }, headers: { authorization: `Bearer ${key}` } });

const COUNT = 120;

/** The nightly run repeats the tests with each queue. */
const queues = isNightly ? availableQueues : (['postgresql'] as const);

describe.each(queues)('bulk redelivery with the %s queue', (queue) => {
  beforeAll(async () => {
    instance = await TestInstance.startShared({ queue, workerEnv });
    receiver = await Receiver.start();
  });
  afterEach(async () => {
    await instance.sql(`UPDATE webhook_endpoints SET status = 'deleted'`);
    receiver.defaultResponder = respondWithStatus(200);
    receiver.requests.length = 0;
  });
  afterAll(async () => {
    // The receiver stops first, because a worker waits for requests in flight.
    await receiver?.stop();
    await instance?.stop();
  });

  it('redelivers exactly the dead letters that matched the filter at planning time', async () => {
    const { endpoint, ids } = await createDeadLetters(COUNT);
    await insertDeadLetters(endpoint, 5, 999);
    for (const filter of [{ http_status: 999 }, { status_class: 'other' }])
      expect((await plan({ endpoint_id: endpoint, ...filter })).data).toMatchObject({ total: 5, filter });
    const { status, data: planned } = await plan({ endpoint_id: endpoint, status_class: '5xx' });
    expect(status).toBe(201);
    expect(planned).toMatchObject({
      kind: 'redelivery',
      state: 'planned',
      filter: { endpoint_id: endpoint, status_class: '5xx' },
      total: COUNT,
      eligible: COUNT,
      not_eligible: [],
      progress: { remaining: COUNT, made: 0, pending: 0, succeeded: 0, failed: 0, cancelled: 0, skipped: [] },
      reason: null,
      finished_at: null,
    });

    // Later matches are not part of the plan, and nothing is sent before the start.
    const [late] = await insertDeadLetters(endpoint, 1);
    await waitForRun();
    await instance.requestWithSecretKey('POST', `/v1/webhooks/endpoints/${endpoint}/test`);
    await eventually('a later event', () => receiver.requests.length > 0);
    expect(receiver.requests.map(({ event }) => event.type)).toEqual(['webhook.test']);
    receiver.requests.length = 0;

    const starts = await sendTogether(20, (n) => start(planned.id, `start ${n}`));
    for (const response of starts)
      expect(response).toMatchObject({ status: 200, data: { started_by: planned.created_by } });
    expect(new Set(starts.map(({ data }) => data.reason)).size).toBe(1);

    const done = await waitForRedelivery(instance, planned.id);
    expect(done).toMatchObject({
      state: 'completed',
      progress: { remaining: 0, made: COUNT, pending: 0, succeeded: COUNT, skipped: [] },
      started_by: planned.created_by,
    });
    expect(listEventIds()).toEqual(await findEventIds(ids));
    const redelivered = await instance.sql(
      `SELECT count(*)::int AS n, count(DISTINCT d.redelivery_of)::int AS old, max(d.attempt)::int AS attempts,
         array_agg(DISTINCT o.reason) AS reasons
       FROM deliveries d JOIN deliveries o ON o.redelivered_as = d.id AND o.resolution = 'redelivered'
       WHERE d.batch_id = $1`,
      [planned.id.slice(4)],
    );
    expect(redelivered).toEqual([{ n: COUNT, old: COUNT, attempts: 1, reasons: [done['reason']] }]);
    const remainingDeadLetters = await listDeadLetters(endpoint);
    expect(remainingDeadLetters).toHaveLength(6);
    expect(remainingDeadLetters[0]).toBe(late);
    const query = `targetId=${planned.id}&action=webhook_redelivery.started`;
    const { body } = await instance.requestWithSecretKey('GET', `/api/v1/audit-log?${query}`);
    expect(body.data).toMatchObject([{ details: { reason: done['reason'] } }]);
  });

  it('continues in an archived project, as retries do, until the endpoints are disabled', async () => {
    const { id: projectId } = (
      await instance.requestWithSecretKey('POST', '/api/v1/projects', { name: 'Shop' })
    ).body;
    const types = ['customer.created', 'customer.deleted', 'project.archived'];
    const { id: endpoint } = await instance.createEndpoint(receiver.url, types, { project_id: projectId });
    const since = new Date().toISOString();
    receiver.defaultResponder = respondWithStatus(500);
    // The project is archived while the receiver holds the first attempt.
    receiver.respondWith((response) => {
      const archived = instance.requestWithSecretKey('POST', `/api/v1/projects/${projectId}/archive`);
      void archived.then(() => response.writeHead(500).end());
    });
    const body = { projectId, email: uniqueEmail() };
    const customer = (await instance.requestWithSecretKey('POST', '/api/v1/customers', body)).body;
    await eventually('two dead letters', async () => (await listDeadLetters(endpoint)).length === 2);
    for (const type of ['customer.created', 'project.archived'])
      expect(receiver.listByType(type)).toHaveLength(5);

    const postAction = (action: string, input?: object) =>
      post(`/v1/webhooks/endpoints/${endpoint}/${action}`, input);
    receiver.defaultResponder = respondWithStatus(200);
    receiver.requests.length = 0;
    expect((await postAction('disable')).status).toBe(200);
    expect((await postAction('recover', { since })).code).toBe('endpoint_disabled');
    expect((await postAction('enable')).status).toBe(200);
    const { data: recovery } = await postAction('recover', { since });
    expect(await waitForRedelivery(instance, recovery.id)).toMatchObject({ progress: { succeeded: 2 } });
    await instance.requestWithSecretKey('DELETE', `/api/v1/customers/${customer.id}`);
    await eventually('the deletion', () => receiver.listByType('customer.deleted')[0]);
    expect(receiver.requests.map(({ event }) => event.type).sort()).toEqual(types);
  });

  it('redelivers each event once even if workers are killed during the run', async () => {
    const { endpoint, ids } = await createDeadLetters(COUNT);
    const { data: planned } = await plan({ endpoint_id: endpoint });
    const killWorker = () => instance.workers.find(({ isRunning }) => isRunning)!.stop('SIGKILL');
    instance.startWorker(workerEnv);
    await instance.waitUntilReady();
    await start(planned.id);
    // Kills one of two workers, and then the second one. The receiver does not respond while a worker is killed, so the
    // outcomes of its requests in flight are lost.
    for (const requestCount of [COUNT / 4, COUNT / 2]) {
      receiver.defaultResponder = (...args) =>
        receiver.requests.length < requestCount ? respondWithStatus(200)(...args) : undefined;
      await eventually('the first redeliveries', () => receiver.requests.length >= requestCount);
      await killWorker();
      receiver.defaultResponder = respondWithStatus(200);
    }
    // Expires the leases instead of waiting for them.
    await instance.sql('UPDATE deliveries SET lease_until = now() WHERE lease_until IS NOT NULL');
    instance.startWorker(workerEnv);
    const done = await waitForRedelivery(instance, planned.id);
    expect(done).toMatchObject({
      state: 'completed',
      progress: { made: COUNT, succeeded: COUNT, skipped: [] },
    });
    expect([...new Set(listEventIds())]).toEqual(await findEventIds(ids));
    const [row] = await instance.sql(
      `SELECT count(*)::int AS made, count(DISTINCT event_id)::int AS events FROM deliveries WHERE batch_id = $1`,
      [planned.id.slice(4)],
    );
    expect(row).toEqual({ made: COUNT, events: COUNT });
    // The requests that the killed workers had in flight were repeated, because events are delivered at least once. No
    // attempt may send two requests.
    const [attempts] = await instance.sql<{ all: number; lost: number }>(
      `SELECT count(*)::int AS all, count(*) FILTER (WHERE a.error = 'worker_lost')::int AS lost
       FROM attempts a JOIN deliveries d ON d.id = a.delivery_id WHERE d.batch_id = $1`,
      [planned.id.slice(4)],
    );
    expect(attempts!.lost).toBeGreaterThan(0);
    expect(receiver.requests.length).toBeLessThanOrEqual(attempts!.all);
  });

  it('does not create deliveries after a cancellation, and finishes pending ones', async () => {
    const { endpoint, ids } = await createDeadLetters(COUNT);
    const release = holdResponses();
    const { data: planned } = await plan({ endpoint_id: endpoint });
    await start(planned.id);
    await eventually('the first redeliveries', () => receiver.requests.length > 0);
    const { status, data: cancelled } = await post(`${PATH}/${planned.id}/cancel`);
    expect(status).toBe(200);
    expect(cancelled).toMatchObject({
      state: 'cancelled',
      finished_at: null,
      cancelled_by: planned.created_by,
    });
    const { remaining, made } = cancelled.progress;
    expect(remaining).toBeGreaterThan(0);
    expect(remaining + made).toBe(COUNT);
    release();
    const done = await waitForRedelivery(instance, planned.id);
    expect(done).toMatchObject({ state: 'cancelled', progress: { remaining, made, succeeded: made } });
    expect(new Set(listEventIds()).size).toBe(made);
    const remainingDeadLetters = await listDeadLetters(endpoint);
    expect(remainingDeadLetters).toHaveLength(remaining);
    expect(ids).toEqual(expect.arrayContaining(remainingDeadLetters));
    expect(await post(`${PATH}/${planned.id}/cancel`)).toMatchObject({ status: 200 });
    expect(await start(planned.id)).toMatchObject({ status: 409, code: 'conflict' });
  });

  it('reports, with reasons, ineligible deliveries in the plan and skipped ones during the run', async () => {
    const { endpoint, ids } = await createDeadLetters(6);
    const [pending, superseded, discarded, erased, ...eligible] = ids as [string, string, string, string];
    const { data: planned } = await plan({ endpoint_id: endpoint });
    expect(planned).toMatchObject({ total: 6, eligible: 6 });
    await post(`/v1/webhooks/deliveries/${superseded}/redeliver`);
    await eventually('the redelivery', () => receiver.requests.length === 1);
    await post(`/v1/webhooks/deliveries/${discarded}/discard`, { reason: 'not wanted' });
    await eraseCustomer(erased);
    const setPending = `UPDATE deliveries SET state = 'pending', next_attempt_at = now() + interval '1 hour' WHERE id = $1`;
    await instance.sql(setPending, [pending.slice(4)]);
    const withReasons = (...reasons: string[]) => reasons.map((reason) => ({ reason, count: 1 }));
    const all = withReasons('delivery_pending', 'payload_erased', 'already_redelivered', 'discarded');
    const byIds = await plan({ delivery_ids: ids });
    expect(byIds.data).toMatchObject({ total: 6, eligible: 2, not_eligible: all });
    // Resolved deliveries are not dead letters.
    const found = await plan({ endpoint_id: endpoint });
    expect(found.data).toMatchObject({ total: 2, eligible: 2, not_eligible: [] });

    await start(planned.id);
    const done = await waitForRedelivery(instance, planned.id);
    expect(done).toMatchObject({ state: 'completed', progress: { made: 2, succeeded: 2, skipped: all } });
    expect(listEventIds()).toEqual(await findEventIds([superseded, ...eligible]));

    for (const state of ['disabled', 'deleted']) {
      const { ids: otherIds, endpoint: other } = await createDeadLetters(2);
      const late = (await plan({ endpoint_id: other })).data;
      const setState = 'UPDATE webhook_endpoints SET status = $2 WHERE id = $1';
      await instance.sql(setState, [other.slice(3), state]);
      const reasons = [{ reason: `endpoint_${state}`, count: 2 }];
      expect((await plan({ delivery_ids: otherIds })).data).toMatchObject({
        eligible: 0,
        not_eligible: reasons,
      });
      await start(late.id);
      expect((await waitForRedelivery(instance, late.id)).progress).toMatchObject({
        made: 0,
        skipped: reasons,
      });
    }
  });

  it('enables the disabled endpoints of a plan on request, and includes their deliveries', async () => {
    const enabled = await createDeadLetters(1);
    const disabled = await createDeadLetters(3);
    await insertDeadLetters(disabled.endpoint, 1);
    const setStatus = (status: string) =>
      instance.sql(
        `UPDATE webhook_endpoints SET status = $2, disabled_reason = 'failing', disabled_at = now() WHERE id = $1`,
        [disabled.endpoint.slice(3), status],
      );
    await setStatus('disabled');
    const filter = { delivery_ids: [...enabled.ids, ...disabled.ids] };
    const plans = [(await plan(filter)).data, (await plan(filter)).data];
    const notEligible = [{ reason: 'endpoint_disabled', count: 3 }];
    for (const data of plans)
      expect(data).toMatchObject({ total: 4, eligible: 1, not_eligible: notEligible });
    const [withoutOption, withOption] = plans.map(({ id }) => id as string) as [string, string];

    const key = await insertKey(instance, {
      ...instance.credentials,
      type: 'secret',
      access: 'organization',
      scopes: ['webhook:redeliver'],
    });
    const body = { reason: 'the receiver is repaired', enable_endpoint: true };
    const startPath = (id: string) => `${PATH}/${id}/start`;
    expect(await instance.requestWithBearer(key, 'POST', startPath(withOption), body)).toMatchObject({
      status: 403,
      body: { requiredScopes: ['webhook:write'] },
    });

    await start(withoutOption);
    expect(await waitForRedelivery(instance, withoutOption)).toMatchObject({
      eligible: 1,
      not_eligible: notEligible,
      progress: { made: 1, skipped: [] },
    });
    expect(listEventIds()).toEqual(await findEventIds(enabled.ids));
    receiver.requests.length = 0;

    const starts = await sendTogether(2, () => post(startPath(withOption), body));
    for (const { status, data } of starts)
      expect([status, data.eligible, data.not_eligible]).toEqual([200, 4, []]);
    expect(await waitForRedelivery(instance, withOption)).toMatchObject({
      progress: { made: 3, succeeded: 3, skipped: [{ reason: 'already_redelivered', count: 1 }] },
    });
    // The plan fixes the selection, so the endpoint's later dead letter is not included.
    expect(listEventIds()).toEqual(await findEventIds(disabled.ids));
    expect(await listDeadLetters(disabled.endpoint)).toHaveLength(1);
    const query = `targetId=${disabled.endpoint}&action=webhook_endpoint.enabled`;
    expect((await instance.requestWithSecretKey('GET', `/api/v1/audit-log?${query}`)).body.data).toHaveLength(
      1,
    );
    const { data } = (
      await instance.requestWithSecretKey('GET', `/v1/webhooks/endpoints/${disabled.endpoint}`)
    ).body;
    expect(data).toMatchObject({ status: 'enabled', disabled_reason: null });
  });

  it('includes all accessible dead letters if the filter is empty', async () => {
    await instance.sql(`UPDATE deliveries SET resolution = 'discarded' WHERE state = 'failed'`);
    const { ids } = await createDeadLetters(3);
    expect((await plan({})).data).toMatchObject({ total: 3, eligible: 3, filter: {}, project_id: null });
    const { projectId, projectSecretKey } = instance.credentials;
    const projectPlan = await planAs(projectSecretKey, {});
    expect(projectPlan.body.data).toMatchObject({ eligible: 3, project_id: projectId });
    const otherTenant = await insertOrganization(instance);
    expect((await planAs(otherTenant.secretKey, {})).body.data).toMatchObject({ total: 0 });
    expect((await planAs(otherTenant.secretKey, { delivery_ids: ids })).status).toBe(404);
  });

  it('redelivers succeeded deliveries of one endpoint', async () => {
    const { id: endpoint } = await instance.createEndpoint(receiver.url, ['customer.created']);
    await emitEvents(instance, 4);
    await eventually('all four attempts', async () => {
      return (await instance.listAttempts({ endpoint_id: endpoint, success: 'true' })).length === 4;
    });
    const sent = listEventIds();
    receiver.requests.length = 0;
    const { data } = await plan({ delivery_state: 'succeeded', endpoint_id: endpoint });
    expect(data).toMatchObject({ eligible: 4 });
    await start(data.id);
    expect(await waitForRedelivery(instance, data.id)).toMatchObject({ progress: { succeeded: 4 } });
    expect(listEventIds()).toEqual(sent);
  });

  it('rejects invalid filters', async () => {
    const bodies: object[] = [
      ...[{}, { filter: null }, { filter: [] }, { filter: {}, reason: 'x' }],
      ...[
        ...[{ state: 'failed' }, { delivery_state: 'pending' }, { delivery_state: 'succeeded' }],
        ...[{ delivery_ids: [] }, { delivery_ids: `dlv_${randomUUID()}` }],
        ...[{ delivery_ids: Array(201).fill(`dlv_${randomUUID()}`) }],
        ...[{ http_status: '500' }, { http_status: 1_000 }, { event: 'customer.*' }],
      ].map((filter) => ({ filter })),
    ];
    await checkCases(
      bodies.map((body) => [JSON.stringify(body).slice(0, 80), body] as const),
      async (body) =>
        expect(await post(PATH, body)).toMatchObject({ status: 400, code: 'validation_failed' }),
    );
  });

  it('appears in the list, starts once with a reason, and expires', async () => {
    const { endpoint } = await createDeadLetters(1);
    const plans = [await plan({ endpoint_id: endpoint }), await plan({}), await plan({ http_status: 500 })];
    const [expired, cancelled, first] = plans.map(({ data }) => data.id as string).reverse() as [
      string,
      string,
      string,
    ];
    const page = (await instance.requestWithSecretKey('GET', `${PATH}?limit=2`)).body;
    expect(page.data.map(({ id }: { id: string }) => id)).toEqual([expired, cancelled]);
    const next = (await instance.requestWithSecretKey('GET', `${PATH}?limit=1&cursor=${page.next_cursor}`))
      .body;
    expect(next.data[0].id).toBe(first);

    for (const body of [{}, { reason: '' }])
      expect((await post(`${PATH}/${first}/start`, body)).status).toBe(400);
    const backdateCreation = `UPDATE redelivery_batches SET created_at = now() - interval '25 hours' WHERE id = $1`;
    await instance.sql(backdateCreation, [expired.slice(4)]);
    expect(await start(expired)).toMatchObject({ status: 409, code: 'conflict' });
    expect(await post(`${PATH}/${cancelled}/cancel`)).toMatchObject({
      status: 200,
      data: { state: 'cancelled', finished_at: expect.any(String) },
    });
    await start(first);
    await waitForRedelivery(instance, first);
    expect(await post(`${PATH}/${first}/cancel`)).toMatchObject({ status: 409, code: 'conflict' });
    expect(await start(`rdl_${randomUUID()}`)).toMatchObject({ status: 404 });

    const backdateEnd = `UPDATE redelivery_batches SET finished_at = now() - interval '31 days' WHERE id = $1`;
    await instance.sql(backdateEnd, [cancelled.slice(4)]);
    await instance.runJob('redeliveries');
    expect((await instance.requestWithSecretKey('GET', `${PATH}/${cancelled}`)).status).toBe(404);
    expect(await get(expired)).toMatchObject({ state: 'expired', finished_at: expect.any(String) });
    expect((await get(first)).state).toBe('completed');
    const remainingItems = await instance.sql('SELECT FROM redelivery_items WHERE batch_id = $1', [
      cancelled.slice(4),
    ]);
    expect(remainingItems).toEqual([]);
  });

  it('limits deliveries that await a first attempt to 50 per endpoint, without delaying others', async () => {
    const { endpoint: blockedEndpoint } = await createDeadLetters(COUNT);
    const { data: planned } = await plan({ endpoint_id: blockedEndpoint });
    const release = holdResponses();
    await start(planned.id);
    const countWaiting = async (): Promise<number> => {
      const [row] = await instance.sql<{ n: number }>(
        `SELECT count(*)::int AS n FROM deliveries WHERE batch_id = $1 AND state = 'pending' AND attempt = 0`,
        [planned.id.slice(4)],
      );
      return row!.n;
    };
    await eventually('50 waiting deliveries', async () => (await countWaiting()) >= 50);
    await waitForRun();
    await waitForRun();
    expect(await countWaiting()).toBeLessThanOrEqual(50);
    expect((await get(planned.id)).progress.remaining).toBeGreaterThan(0);
    const otherReceiver = await Receiver.start();
    const { id: otherEndpoint } = await instance.createEndpoint(otherReceiver.url);
    await instance.requestWithSecretKey('POST', `/v1/webhooks/endpoints/${otherEndpoint}/test`);
    await eventually('the delivery to the other endpoint', () => otherReceiver.requests.length === 1);
    expect((await get(planned.id)).progress.remaining).toBeGreaterThan(0);
    await instance.sql(`UPDATE webhook_endpoints SET status = 'deleted'`);
    release();
    await otherReceiver.stop();
    await waitForRedelivery(instance, planned.id);
  });

  describe('a recovery', () => {
    const recover = (endpoint: string, body: object) =>
      post(`/v1/webhooks/endpoints/${endpoint}/recover`, body);
    const postAction = (endpoint: string, action: string) =>
      instance.requestWithSecretKey('POST', `/v1/webhooks/endpoints/${endpoint}/${action}`);
    const registerCustomers = async (count: number): Promise<string[]> => {
      const customers = await Promise.all(Array.from({ length: count }, () => registerCustomer(instance)));
      return customers.map(({ id }) => id);
    };
    const listReceivedCustomers = (): string[] =>
      receiver.requests.map(({ event }) => (event.data['customer'] as { id: string }).id).sort();

    it('redelivers all events missed while the endpoint was disabled, each exactly once', async () => {
      const { id: endpoint } = await instance.createEndpoint(receiver.url, ['customer.*']);
      const since = new Date().toISOString();
      const received = await registerCustomers(3);
      await eventually('the first deliveries', () => receiver.requests.length === 3);
      // These deliveries fail or are canceled, so that the recovery creates redeliveries of them.
      receiver.defaultResponder = respondWithStatus(500);
      const cancelled = await registerCustomers(2);
      await eventually('the failed attempts', () => receiver.requests.length >= 5);
      await postAction(endpoint, 'disable');
      const missed = await registerCustomers(20);
      const [deleted] = missed.splice(0, 1);
      await instance.requestWithSecretKey('DELETE', `/api/v1/customers/${deleted}`);
      receiver.defaultResponder = respondWithStatus(200);
      await eventually('the end of the attempts in flight', async () => {
        const leased = 'SELECT FROM deliveries WHERE endpoint_id = $1 AND lease_until IS NOT NULL';
        return (await instance.sql(leased, [endpoint.slice(3)])).length === 0;
      });
      receiver.requests.length = 0;

      expect(await recover(endpoint, { since })).toMatchObject({ status: 409, code: 'endpoint_disabled' });
      // Events are written while the endpoint is being enabled and afterwards.
      const duringEnable: string[] = [];
      const writing = (async () => {
        for (let round = 0; round < 15; round += 1) duringEnable.push(...(await registerCustomers(2)));
      })();
      await eventually('the first customers', () => duringEnable.length >= 6);
      await postAction(endpoint, 'enable');
      const recoveries = await sendTogether(5, () => recover(endpoint, { since }));
      await writing;
      const all = [...cancelled, ...missed, ...duringEnable].sort();
      for (const { status, data } of recoveries) {
        expect(status).toBe(202);
        expect(data).toMatchObject({ kind: 'recovery', filter: { endpoint_id: endpoint, since } });
        const done = await waitForRedelivery(instance, data.id);
        expect(done).toMatchObject({ state: 'completed', progress: { remaining: 0 } });
      }
      await eventually('all events', () => receiver.requests.length >= all.length + 1);
      // The list includes the deletion event, which contains the customer's id.
      expect(listReceivedCustomers()).toEqual([...all, deleted!].sort());
      expect(listReceivedCustomers()).not.toContain(received[0]);
      const notEligible = recoveries[0]!.data.not_eligible as { reason: string; count: number }[];
      expect(notEligible.find(({ reason }) => reason === 'payload_erased')?.count).toBeGreaterThan(0);
      expect(notEligible.find(({ reason }) => reason === 'already_delivered')?.count).toBeGreaterThanOrEqual(
        3,
      );
      const chained = await instance.sql(
        `SELECT 1 FROM deliveries d JOIN deliveries o ON o.id = d.redelivery_of AND o.redelivered_as = d.id
       WHERE d.endpoint_id = $1 AND o.state IN ('cancelled', 'failed') AND d.state = 'succeeded'`,
        [endpoint.slice(3)],
      );
      expect(chained).toHaveLength(2);

      // Nothing is left to recover.
      receiver.requests.length = 0;
      const repeated = await recover(endpoint, { since });
      expect(await waitForRedelivery(instance, repeated.data.id)).toMatchObject({
        eligible: 0,
        state: 'completed',
      });
      expect(receiver.requests).toEqual([]);
    });

    it('waits for events that were being written while the endpoint was disabled', async () => {
      const { id: endpoint } = await instance.createEndpoint(receiver.url, ['customer.created']);
      await postAction(endpoint, 'disable');
      const since = new Date().toISOString();
      await registerCustomers(1);
      const connection = await instance.db.connect();
      /** Writes an event in a transaction that stays open. */
      const write = async (): Promise<void> => {
        await connection.query('BEGIN');
        await connection.query(
          `INSERT INTO events (id, organization_id, project_id, type, body, created_at)
           SELECT (left(id::text, 24) || substr(gen_random_uuid()::text, 25))::uuid, organization_id, project_id, type,
             body, now()
           FROM events WHERE type = 'customer.created' ORDER BY id DESC LIMIT 1`,
        );
      };
      /** Returns an SQL condition: the API has checked for open transactions since `start`, which is an SQL expression. */
      const hasCheckedTransactions = (start: string) => `EXISTS (SELECT FROM pg_stat_activity
        WHERE query LIKE '% FROM pg_locks l %' AND query_start > ${start} AND pid <> pg_backend_pid()
          AND datname = current_database())`;
      try {
        await postAction(endpoint, 'enable');
        await write();
        const [{ status, data }] = await Promise.all([
          recover(endpoint, { since }),
          commitWhen(connection, hasCheckedTransactions('now()')),
        ]);
        expect(status).toBe(202);
        expect(data).toMatchObject({ total: 2, eligible: 2 });
        await waitForRedelivery(instance, data.id);

        // Other write transactions, such as a long import into another database, do not block the recovery.
        await connection.query('BEGIN');
        await connection.query('SELECT pg_current_xact_id()');
        expect(await recover(endpoint, { since })).toMatchObject({ status: 202 });
        await connection.query('COMMIT');

        // The endpoint's event types change during the wait, so the recovery cannot know which events it missed.
        await write();
        const [{ now }] = (await instance.sql('SELECT quote_literal(now()) AS now')) as [{ now: string }];
        const pendingRecovery = recover(endpoint, { since });
        await eventually('the check for open transactions', async () => {
          const [row] = await instance.sql(`SELECT ${hasCheckedTransactions(now)} AS "hasChecked"`);
          return row!['hasChecked'];
        });
        await instance.requestWithSecretKey('PATCH', `/v1/webhooks/endpoints/${endpoint}`, {
          events: ['customer.*'],
        });
        await connection.query('COMMIT');
        expect(await pendingRecovery).toMatchObject({ status: 503, code: 'unavailable' });

        // The transaction stays open for longer than the recovery waits.
        await write();
        expect(await recover(endpoint, { since })).toMatchObject({ status: 503, code: 'unavailable' });
      } finally {
        await connection.query('ROLLBACK');
        connection.release();
      }
    });

    it('includes events from an API process with a fast clock', async () => {
      const { id: endpoint } = await instance.createEndpoint(receiver.url, ['customer.created']);
      await postAction(endpoint, 'disable');
      const since = new Date().toISOString();
      const [missed] = await registerCustomers(1);
      await postAction(endpoint, 'enable');
      await instance.sql(
        `UPDATE events SET created_at = now() + interval '300 ms' WHERE id =
           (SELECT id FROM events WHERE type = 'customer.created' ORDER BY id DESC LIMIT 1)`,
      );
      const { data } = await recover(endpoint, { since });
      expect(data).toMatchObject({ total: 1, eligible: 1 });
      expect(Date.parse(data.filter.until)).toBeLessThanOrEqual(Date.now());
      await waitForRedelivery(instance, data.id);
      expect(listReceivedCustomers()).toEqual([missed]);
      // Removes the event from the next test's time span.
      await instance.sql('UPDATE events SET created_at = now() WHERE created_at > now()');
    });

    it("includes events in the time span with the endpoint's types, but none about the endpoint", async () => {
      const { id: endpoint } = await instance.createEndpoint(receiver.url, [
        'customer.created',
        'webhook.endpoint_disabled',
      ]);
      const { id: other } = await instance.createEndpoint('http://127.0.0.1:9/', ['login.failed']);
      /** Returns a time after all previous events and before all later ones. */
      const waitForTimeBetween = async (): Promise<string> => {
        const [last] = await instance.sql<{ at: Date }>('SELECT max(created_at) AS at FROM events');
        const waitUntilAfter = (time: number) =>
          eventually('a later time', () => Date.now() > time && Date.now());
        const between = await waitUntilAfter(last!.at.getTime());
        await waitUntilAfter(between);
        return new Date(between).toISOString();
      };
      await postAction(endpoint, 'disable');
      await registerCustomers(1);
      await postAction(endpoint, 'enable');
      const since = await waitForTimeBetween();
      await postAction(endpoint, 'disable');
      const within = await registerCustomers(2);
      await postAction(other, 'disable');
      const until = await waitForTimeBetween();
      await registerCustomers(1);
      await postAction(endpoint, 'enable');
      const { data } = await recover(endpoint, { since, until });
      expect(data).toMatchObject({ total: 3, eligible: 3, filter: { since, until } });
      await waitForRedelivery(instance, data.id);
      const customers = receiver
        .listByType('customer.created')
        .map(({ event }) => (event.data as any).customer.id);
      expect(customers.sort()).toEqual(within.sort());
      expect(receiver.listByType('webhook.endpoint_disabled')).toMatchObject([
        { event: { data: { endpoint: { id: other } } } },
      ]);
    });

    it('includes the events of all projects and of the organization for an organization endpoint', async () => {
      const eventTypes = ['project.created', 'organization.updated', 'customer.created'];
      const { id: endpoint } = await instance.createEndpoint(receiver.url, eventTypes, {
        level: 'organization',
      });
      await postAction(endpoint, 'disable');
      const since = new Date().toISOString();
      await registerCustomers(1);
      const { id: projectId } = (
        await instance.requestWithSecretKey('POST', '/api/v1/projects', { name: 'Second' })
      ).body;
      await instance.requestWithSecretKey('POST', '/api/v1/customers', { email: uniqueEmail(), projectId });
      await instance.requestWithSecretKey(
        'PATCH',
        `/api/v1/organizations/${instance.credentials.organizationId}`,
        {
          name: `Renamed ${randomUUID()}`,
        },
      );
      await postAction(endpoint, 'enable');
      const { data } = await recover(endpoint, { since });
      expect(data).toMatchObject({ eligible: 4, project_id: null });
      await waitForRedelivery(instance, data.id);
      const types = receiver.requests.map(({ event }) => event.type);
      expect(types.sort()).toEqual([...eventTypes, 'customer.created'].sort());
    });

    it('rejects invalid time spans and unknown endpoints', async () => {
      const { id: endpoint } = await instance.createEndpoint(receiver.url);
      const at = (ms: number): string => new Date(Date.now() + ms).toISOString();
      for (const body of [
        ...[{}, { since: 'yesterday' }, { since: at(60_000) }, { since: at(60_000), until: at(120_000) }],
        ...[{ since: at(-31 * 86_400_000 - 60_000) }, { since: at(-1_000), until: at(-2_000) }],
        { since: at(-1_000), reason: 'x' },
      ]) {
        const { status, code } = await recover(endpoint, body);
        expect([body, status, code]).toEqual([body, 400, 'validation_failed']);
      }
      expect(await recover(`ep_${randomUUID()}`, { since: at(-1_000) })).toMatchObject({ status: 404 });
      await instance.requestWithSecretKey('DELETE', `/v1/webhooks/endpoints/${endpoint}`);
      expect(await recover(endpoint, { since: at(-1_000) })).toMatchObject({ status: 404 });
    });
  });

  // The redelivery-plans.ts unit test covers the limits.
  if (isNightly)
    it('rejects more deliveries than a batch can contain, and counts only accessible ones', async () => {
      await instance.sql(`UPDATE deliveries SET resolution = 'discarded' WHERE state = 'failed'`);
      const { id: endpoint } = await instance.createEndpoint(receiver.url, ['customer.created'], {
        level: 'organization',
      });
      const ids = await insertDeadLetters(endpoint, 1);
      await duplicateDeadLetter(instance, ids[0]!, 200_001);
      const before = await instance.sql('SELECT count(*) FROM redelivery_batches');
      expect(await plan({ endpoint_id: endpoint })).toMatchObject({
        status: 400,
        body: { errors: [{ field: 'filter', code: 'too_large' }] },
      });
      expect(await instance.sql('SELECT count(*) FROM redelivery_batches')).toEqual(before);
      expect(await plan({ delivery_ids: ids })).toMatchObject({ status: 201 });
      const { projectId, projectSecretKey } = instance.credentials;
      for (const filter of [{}, { project_id: projectId }]) {
        const projectPlan = await planAs(projectSecretKey, filter);
        expect(projectPlan).toMatchObject({ status: 201, body: { data: { total: 0, not_eligible: [] } } });
      }
    });
});
