import { setTimeout as sleep } from 'node:timers/promises';
import type { EndpointHealth } from '#domain';
import { Database, EndpointHealthRepository } from '#persistence';
import { createLogger, loadConfig } from '#platform';
import { eventually } from '../support/eventually.js';
import { TestInstance } from '../support/test-instance.js';
import { Receiver, status } from '../support/receiver.js';

const base = '/v1/webhooks/endpoints';

/** Three days are 86 minutes here, and a check comes every 1.2 s. */
const THREE_DAYS = 88;

let instance: TestInstance;
let receiver: Receiver;
let watcher: Receiver;
beforeAll(async () => {
  [receiver, watcher] = [await Receiver.start(), await Receiver.start()];
  receiver.otherwise = status(500);
  instance = await TestInstance.start({
    env: { TIME_SCALE: '50', WEBHOOK_TIMEOUT: '60s', WEBHOOK_RETRY_SCHEDULE: '0s,24h,24h,24h,24h' },
  });
  await instance.createEndpoint(watcher.url, ['webhook.endpoint_disabled']);
});
afterEach(() =>
  instance.sql(`UPDATE webhook_endpoints SET status = 'deleted' WHERE url <> $1`, [watcher.url]),
);
afterAll(async () => {
  await instance?.stop();
  await Promise.all([receiver?.stop(), watcher?.stop()]);
});

const show = async (id: string): Promise<Record<string, any>> =>
  (await instance.server('GET', `${base}/${id}`)).body.data;
const stats = async (id: string): Promise<Record<string, any>> =>
  (await instance.server('GET', `${base}/${id}/stats`)).body.data;

/** An endpoint at which an attempt has failed. */
async function failed(): Promise<string> {
  const { id } = await instance.createEndpoint(receiver.url, ['customer.created']);
  await instance.register();
  await eventually('a report', async () => (await stats(id))['failing_since']);
  return id;
}

/** Moves the first failure into the past, in minutes. */
const since = (id: string, minutes: number) =>
  instance.sql(
    `UPDATE endpoint_health SET failing_since = last_failure_at - $2 * interval '1 min' WHERE endpoint_id = $1`,
    [id.slice(3), minutes],
  );

/**
 * Attempts at an endpoint that have ended, as the workers log them: once a line is there the worker has noted how the
 * attempt went, which the log of attempts does not tell.
 */
const ended = (id: string): Record<string, unknown>[] =>
  instance.workers
    .flatMap(({ log }) => log)
    .filter(({ message, endpointId }) => message === 'delivery attempt' && endpointId === id.slice(3));

/** Has attempts made, one after the other, until one is answered like this: a slow machine may time one out. */
async function comesTo(id: string, target: Receiver, code: number): Promise<void> {
  target.otherwise = status(code);
  for (let answered: unknown; answered !== code;) {
    const before = ended(id);
    await instance.register();
    const line = await eventually('its end', () => ended(id).find((one) => !before.includes(one)));
    answered = line['httpStatus'];
  }
}

/** Longer than a check. */
const aCheck = () => sleep(3_000);

describe('an endpoint that has only failed for three days', () => {
  it('is disabled, with event, audit entry and log line; what is pending is cancelled', async () => {
    const id = await failed();
    await since(id, THREE_DAYS);
    await eventually('its end', async () => (await show(id))['status'] === 'disabled');
    expect(await show(id)).toMatchObject({ disabled_reason: 'failing' });
    const states = await instance.sql(
      'SELECT state, next_attempt_at FROM deliveries WHERE endpoint_id = $1',
      [id.slice(3)],
    );
    expect(states).toEqual([{ state: 'cancelled', next_attempt_at: null }]);
    expect((await instance.attempts({ endpoint_id: id })).length).toBe(1);

    const told = await eventually('the event', () =>
      watcher.requests.find(({ event }) => (event.data['endpoint'] as { id: string }).id === id),
    );
    expect(told.event).toMatchObject({
      type: 'webhook.endpoint_disabled',
      project_id: instance.credentials.projectId,
      data: { endpoint: await show(id) },
    });
    const { data } = (await instance.server('GET', `/api/v1/audit-log?targetId=${id}`)).body;
    expect(data[0]).toMatchObject({
      action: 'webhook_endpoint.disabled',
      actorType: 'system',
      actorId: null,
      details: { reason: 'failing', failingSince: expect.any(String) },
    });
    await eventually('a line of the log', () =>
      instance.workers[0]!.log.some(
        ({ endpointId, disabledReason }) => endpointId === id.slice(3) && disabledReason === 'failing',
      ),
    );
    const [row] = await instance.sql(
      `SELECT disabled_at > now() - interval '1 min' AS fresh FROM webhook_endpoints WHERE id = $1`,
      [id.slice(3)],
    );
    expect(row).toEqual({ fresh: true });

    // Enabled again, its failures count anew.
    await instance.server('POST', `${base}/${id}/enable`);
    expect((await stats(id))['failing_since']).toBeNull();
    await aCheck();
    expect(await show(id)).toMatchObject({ status: 'enabled', disabled_reason: null });
  });

  it('is not one whose failures are shorter, nor one that failed once and has heard nothing since', async () => {
    const short = await failed();
    await since(short, THREE_DAYS - 3);
    const quiet = await failed();
    await instance.sql(
      `UPDATE endpoint_health SET failing_since = failing_since - interval '9 d',
         last_failure_at = last_failure_at - interval '9 d' WHERE endpoint_id = $1`,
      [quiet.slice(3)],
    );
    await aCheck();
    expect(await show(short)).toMatchObject({ status: 'enabled' });
    expect(await show(quiet)).toMatchObject({ status: 'enabled' });
  });

  it('is not one of whose success no worker has told: the log of attempts knows it', async () => {
    const id = await failed();
    await comesTo(id, receiver, 200);
    receiver.otherwise = status(500);
    await eventually('the success', async () => (await stats(id))['last_success_at']);
    await instance.sql(
      `UPDATE endpoint_health SET last_success_at = NULL, failing_since = now() - interval '100 min',
         last_failure_at = now() WHERE endpoint_id = $1`,
      [id.slice(3)],
    );
    const corrected = await eventually('its correction', async () => {
      const found = await stats(id);
      return found['last_success_at'] && found;
    });
    // Of what failed after it, the last is known.
    expect(corrected['failing_since']).toBe(corrected['last_failure_at']);
    await aCheck();
    expect(await show(id)).toMatchObject({ status: 'enabled' });
  });
});

describe('the reports of workers', () => {
  it.each([
    ['first', 0],
    ['last', 1],
  ])('count what failed after the success that another worker tells of %s', async (_, position) => {
    const { id } = await instance.createEndpoint(receiver.url, ['customer.deleted']);
    const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second));
    const failures = { failingSince: at(1), lastSuccessAt: null, lastFailureAt: at(5) };
    const reports: EndpointHealth[] = [failures];
    reports.splice(position, 0, { failingSince: null, lastSuccessAt: at(3), lastFailureAt: null });
    const database = new Database(loadConfig(instance.env), createLogger({ logLevel: 'silent' }, 'test'));
    await database.connect();
    const repository = new EndpointHealthRepository(database);
    for (const report of reports) await repository.add(new Map([[id.slice(3), report]]));
    await database.close();
    expect(await stats(id)).toMatchObject({
      failing_since: at(5).toISOString(),
      last_success_at: at(3).toISOString(),
      last_failure_at: at(5).toISOString(),
    });
  });

  it('say what happened last, however many there are', async () => {
    instance.startWorker();
    await instance.ready();
    const target = await Receiver.start();
    const { id } = await instance.createEndpoint(target.url, ['customer.created']);
    let asked = 0;
    target.otherwise = (...asking) => status((asked += 1) % 2 === 0 ? 200 : 500)(...asking);
    for (let index = 0; index < 20; index += 1) await instance.register();
    await eventually('the end of all', () => ended(id).length === 20);
    // Which of them ended last nobody knows; the next do not meet.
    await comesTo(id, target, 200);
    const succeeded = Date.now();
    await comesTo(id, target, 503);
    await eventually(
      'the last report',
      async () => Date.parse((await stats(id))['failing_since']) >= succeeded,
    );
    // What a worker still holds it reports when it stops.
    await comesTo(id, target, 200);
    await Promise.all(instance.workers.map((worker) => worker.end('SIGTERM')));
    expect((await stats(id))['failing_since']).toBeNull();
    await target.stop();
  });
});
