import type { EndpointHealth } from '@gatehouse/domain';
import { EndpointHealthRepository } from '@gatehouse/persistence';
import { connectDatabase } from '../support/connect-database.js';
import { eventually } from '../support/eventually.js';
import { insertOperator } from '../support/operator-client.js';
import { TestInstance } from '../support/test-instance.js';
import { Receiver, respondWithStatus } from '../support/receiver.js';
import { createPartitions, dropPartitions, seedDeliveries } from '../support/seed-deliveries.js';

const base = '/v1/webhooks/endpoints';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** All seeded attempts are newer than this. */
const SINCE = Date.now() - 5 * DAY_MS;

const workerEnv = {
  PERIODIC_JOBS: 'off',
  WEBHOOK_TIMEOUT: '60s',
  WEBHOOK_RETRY_SCHEDULE: '0s,24h,24h,24h,24h',
};

let instance: TestInstance;
let receiver: Receiver;
let watcher: Receiver;
beforeAll(async () => {
  [receiver, watcher] = [await Receiver.start(), await Receiver.start()];
  receiver.defaultResponder = respondWithStatus(500);
  instance = await TestInstance.startShared({ workerEnv });
  await createPartitions(instance, SINCE);
  await instance.createEndpoint(watcher.url, ['webhook.endpoint_disabled']);
});
afterEach(() =>
  instance.sql(`UPDATE webhook_endpoints SET status = 'deleted' WHERE url <> $1`, [watcher.url]),
);
afterAll(async () => {
  if (instance) await dropPartitions(instance, SINCE);
  await instance?.stop();
  await Promise.all([receiver?.stop(), watcher?.stop()]);
});

const getEndpoint = async (id: string): Promise<Record<string, any>> =>
  (await instance.requestWithSecretKey('GET', `${base}/${id}`)).body.data;
const getStats = async (id: string): Promise<Record<string, any>> =>
  (await instance.requestWithSecretKey('GET', `${base}/${id}/stats`)).body.data;

async function createFailingEndpoint(): Promise<string> {
  const { id } = await instance.createEndpoint(receiver.url, ['customer.created']);
  await attemptWithStatus(id, 500);
  return id;
}

/**
 * Creates an endpoint whose attempts failed at these times and just now. Its health reports contain these failures.
 * @param error the error of the past attempts
 */
async function createEndpointWithFailures(hoursAgo: number[], error = 'http_error'): Promise<string> {
  const id = await createFailingEndpoint();
  const attempts = hoursAgo.map((hours) => ({ at: Date.now() - hours * HOUR_MS, status: 500 }));
  const { projectId } = instance.credentials;
  const [delivery] = await seedDeliveries(instance, [
    { endpointId: id, projectId, state: 'failed', attempts },
  ]);
  await instance.sql('UPDATE attempts SET error = $2 WHERE delivery_id = $1', [delivery!.id, error]);
  await instance.sql('UPDATE endpoint_health SET failing_since = $2 WHERE endpoint_id = $1', [
    id.slice(3),
    new Date(attempts[0]!.at),
  ]);
  return id;
}

/** Returns the log lines about finished attempts, which the worker writes after it has recorded their outcomes. */
const finishedAttempts = (id: string): Record<string, unknown>[] =>
  instance.workers[0]!.log.filter(
    ({ message, endpointId }) => message === 'delivery attempt' && endpointId === id.slice(3),
  );

/** Runs an attempt that gets this status, and reports the endpoint's health. */
async function attemptWithStatus(id: string, code: number): Promise<void> {
  receiver.defaultResponder = respondWithStatus(code);
  const before = finishedAttempts(id);
  await instance.register();
  const entry = await eventually('the outcome', () =>
    finishedAttempts(id).find((each) => !before.includes(each)),
  );
  expect(entry['httpStatus']).toBe(code);
  await instance.runJob('EndpointHealthReporter');
}

const check = () => instance.runJob('FailingEndpointDisabler');

describe('a failing endpoint', () => {
  it('becomes disabled after three days without a success, and its deliveries are canceled', async () => {
    const id = await createEndpointWithFailures([73, 49, 48, 25, 24]);
    await check();
    expect(await getEndpoint(id)).toMatchObject({ status: 'disabled', disabled_reason: 'failing' });
    expect(await instance.listAttempts({ endpoint_id: id, delivery_state: 'cancelled' })).toMatchObject([
      { next_attempt_at: null },
    ]);

    const notification = await eventually('the event', () =>
      watcher.requests.find(({ event }) => (event.data['endpoint'] as { id: string }).id === id),
    );
    expect(notification.event).toMatchObject({
      type: 'webhook.endpoint_disabled',
      project_id: instance.credentials.projectId,
      data: { endpoint: await getEndpoint(id) },
    });
    const { data } = (await instance.requestWithSecretKey('GET', `/api/v1/audit-log?targetId=${id}`)).body;
    expect(data[0]).toMatchObject({
      action: 'webhook_endpoint.disabled',
      actorType: 'system',
      actorId: null,
      details: { reason: 'failing', failingSince: expect.any(String) },
    });
    await eventually('the log message', () =>
      instance.workers[0]!.log.some(
        ({ endpointId, disabledReason }) => endpointId === id.slice(3) && disabledReason === 'failing',
      ),
    );

    // Once the endpoint is enabled again, its earlier failures no longer count.
    await instance.requestWithSecretKey('POST', `${base}/${id}/enable`);
    expect((await getStats(id))['failing_since']).toBeNull();
    await check();
    expect(await getEndpoint(id)).toMatchObject({ status: 'enabled', disabled_reason: null });
  });

  it('stays enabled with failures on fewer than three days, or with fewer than five in total', async () => {
    const ids = [
      // An outage three days ago, and one event today.
      await createEndpointWithFailures([73, 72.9, 72.8, 72.7, 72.6]),
      await createEndpointWithFailures([71, 49, 48, 25, 24]),
      await createEndpointWithFailures([73, 49, 48, 25, 24], 'worker_lost'),
      // This endpoint must be created last. Registrations by other tests would add attempts to it.
      await createEndpointWithFailures([74, 49, 25]),
    ];
    await check();
    for (const id of ids) expect(await getEndpoint(id)).toMatchObject({ status: 'enabled' });
  });

  it('appears as failing after an hour, and later as disabled for that reason', async () => {
    const operator = await insertOperator(instance);
    const ids = await Promise.all(
      ['59 min', '61 min', '61 min', '0 s'].map(async (failingFor) => {
        const { id } = await instance.createEndpoint(receiver.url, ['customer.created']);
        await instance.sql(
          `INSERT INTO endpoint_health (endpoint_id, failing_since, last_failure_at)
           SELECT $1, at - $2::interval, at FROM (SELECT now() - interval '2 hours' AS at) last`,
          [id.slice(3), failingFor],
        );
        return id;
      }),
    );
    const [, failing, disabled, paused] = ids as [string, string, string, string];
    await instance.sql(
      `UPDATE webhook_endpoints SET status = 'disabled', disabled_reason = 'failing' WHERE id = $1`,
      [disabled.slice(3)],
    );
    await instance.requestWithSecretKey('POST', `${base}/${paused}/disable`);
    const find = async (status: string) => {
      const { body } = await operator.request('GET', `/webhooks/endpoints?status=${status}`);
      const { body: counted } = await operator.request('GET', `/webhooks/endpoints/count?status=${status}`);
      const found = body.data.map(({ id }: { id: string }) => id).filter((id: string) => ids.includes(id));
      expect(counted.count).toBe(body.data.length);
      return found.sort();
    };
    expect(await find('failing')).toEqual([failing]);
    expect(await find('disabled_failing')).toEqual([disabled]);
    expect(await find('disabled')).toEqual([disabled, paused].sort());
    const { body: health } = await operator.request('GET', '/health');
    expect(health.endpoints).toEqual({ disabled: 1, failing: 1 });
    expect((await operator.request('GET', '/webhooks/endpoints?status=broken')).status).toBe(400);
  });

  it('stays enabled if the attempt log contains a success that no worker has reported', async () => {
    const id = await createEndpointWithFailures([73, 49, 48, 25, 24]);
    await attemptWithStatus(id, 200);
    await attemptWithStatus(id, 500);
    await instance.sql(
      `UPDATE endpoint_health SET last_success_at = NULL, failing_since = now() - interval '73 hours',
         last_failure_at = now() WHERE endpoint_id = $1`,
      [id.slice(3)],
    );
    await check();
    const corrected = await getStats(id);
    expect(corrected['last_success_at']).not.toBeNull();
    // After the correction, only the last failure counts, because it is newer than the success.
    expect(corrected['failing_since']).toBe(corrected['last_failure_at']);
    await check();
    expect(await getEndpoint(id)).toMatchObject({ status: 'enabled' });
  });
});

describe('a health report of a worker', () => {
  it('is merged so that only failures after the last success count, whichever is reported first', async () => {
    const timeAt = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second));
    const failure: EndpointHealth = {
      failingSince: timeAt(1),
      lastSuccessAt: null,
      lastFailureAt: timeAt(5),
    };
    const success: EndpointHealth = { failingSince: null, lastSuccessAt: timeAt(3), lastFailureAt: null };
    const database = await connectDatabase(instance);
    const repository = new EndpointHealthRepository(database);
    for (const reports of [
      [failure, success],
      [success, failure],
    ]) {
      const { id } = await instance.createEndpoint(receiver.url, ['customer.deleted']);
      for (const report of reports) await repository.mergeReports(new Map([[id.slice(3), report]]));
      expect(await getStats(id)).toMatchObject({
        failing_since: timeAt(5).toISOString(),
        last_success_at: timeAt(3).toISOString(),
        last_failure_at: timeAt(5).toISOString(),
      });
    }
    await database.close();
  });

  it('reaches the database when the worker stops', async () => {
    const id = await createFailingEndpoint();
    expect((await getStats(id))['failing_since']).not.toBeNull();
    const before = finishedAttempts(id).length;
    receiver.defaultResponder = respondWithStatus(200);
    await instance.register();
    await eventually('a success', () => finishedAttempts(id).length > before);
    expect((await getStats(id))['failing_since']).not.toBeNull();
    await Promise.all(instance.workers.map((worker) => worker.stop('SIGTERM')));
    expect((await getStats(id))['failing_since']).toBeNull();
  });
});
