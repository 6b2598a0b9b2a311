import type { EndpointHealth } from '@gatehouse/domain';
import { EndpointHealthRepository } from '@gatehouse/persistence';
import { connectDatabase } from '../support/connect-database.js';
import { eventually } from '../support/eventually.js';
import { insertOperator } from '../support/operator-client.js';
import { TestInstance } from '../support/test-instance.js';
import { Receiver, respondWithStatus } from '../support/receiver.js';

const base = '/v1/webhooks/endpoints';

/** Three days, in minutes. */
const THREE_DAYS = 3 * 24 * 60;

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
  await instance.createEndpoint(watcher.url, ['webhook.endpoint_disabled']);
});
afterEach(() =>
  instance.sql(`UPDATE webhook_endpoints SET status = 'deleted' WHERE url <> $1`, [watcher.url]),
);
afterAll(async () => {
  await instance?.stop();
  await Promise.all([receiver?.stop(), watcher?.stop()]);
});

const getEndpoint = async (id: string): Promise<Record<string, any>> =>
  (await instance.requestWithSecretKey('GET', `${base}/${id}`)).body.data;
const getStats = async (id: string): Promise<Record<string, any>> =>
  (await instance.requestWithSecretKey('GET', `${base}/${id}/stats`)).body.data;

/** Creates an endpoint with one failed attempt. */
async function createFailingEndpoint(): Promise<string> {
  const { id } = await instance.createEndpoint(receiver.url, ['customer.created']);
  await attemptWithStatus(id, 500);
  return id;
}

/** Sets the first failure to a number of minutes before the last one. */
const setFailingSince = (id: string, minutes: number) =>
  instance.sql(
    `UPDATE endpoint_health SET failing_since = last_failure_at - $2 * interval '1 min' WHERE endpoint_id = $1`,
    [id.slice(3), minutes],
  );

/** Returns the log messages of finished attempts, which the worker writes after it has recorded outcomes. */
const finishedAttempts = (id: string): Record<string, unknown>[] =>
  instance.workers[0]!.log.filter(
    ({ message, endpointId }) => message === 'delivery attempt' && endpointId === id.slice(3),
  );

/** Makes an attempt that gets this status, and reports the health of the endpoint. */
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

/** Checks all endpoints once. */
const check = () => instance.runJob('FailingEndpointDisabler');

describe('an endpoint that fails', () => {
  it('for three days without a success is disabled with an event, an audit log entry and a log message, and its pending deliveries are cancelled', async () => {
    const id = await createFailingEndpoint();
    await setFailingSince(id, THREE_DAYS + 1);
    await check();
    expect(await getEndpoint(id)).toMatchObject({ status: 'disabled', disabled_reason: 'failing' });
    expect(await instance.listAttempts({ endpoint_id: id })).toMatchObject([
      { delivery_state: 'cancelled', next_attempt_at: null },
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

    // After the endpoint is enabled again, its earlier failures no longer count.
    await instance.requestWithSecretKey('POST', `${base}/${id}/enable`);
    expect((await getStats(id))['failing_since']).toBeNull();
    await check();
    expect(await getEndpoint(id)).toMatchObject({ status: 'enabled', disabled_reason: null });
  });

  it('is not disabled if it has failed for less time, or failed once without attempts since', async () => {
    const failingBriefly = await createFailingEndpoint();
    await setFailingSince(failingBriefly, THREE_DAYS - 60);
    const withoutAttempts = await createFailingEndpoint();
    await instance.sql(
      `UPDATE endpoint_health SET failing_since = failing_since - interval '9 d',
         last_failure_at = last_failure_at - interval '9 d' WHERE endpoint_id = $1`,
      [withoutAttempts.slice(3)],
    );
    await check();
    expect(await getEndpoint(failingBriefly)).toMatchObject({ status: 'enabled' });
    expect(await getEndpoint(withoutAttempts)).toMatchObject({ status: 'enabled' });
  });

  it('is listed as failing after an hour, and then as disabled for that reason', async () => {
    const operator = await insertOperator(instance);
    const ids = await Promise.all(
      ['30 min', '61 min', '61 min', '0 s'].map(async (failingFor) => {
        const { id } = await instance.createEndpoint(receiver.url, ['customer.created']);
        await instance.sql(
          `INSERT INTO endpoint_health (endpoint_id, failing_since) VALUES ($1, now() - $2::interval)`,
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

  it('is not disabled if the attempt log contains a success that no worker has reported', async () => {
    const id = await createFailingEndpoint();
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
    // Of the failures after the success, only the last one is known.
    expect(corrected['failing_since']).toBe(corrected['last_failure_at']);
    await check();
    expect(await getEndpoint(id)).toMatchObject({ status: 'enabled' });
  });
});

describe('the reports of workers', () => {
  it('count failures after a success that another worker reports before or after them', async () => {
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

  it('are sent by a worker when it stops', async () => {
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
