import { registerCustomer } from '../support/customers.js';
import { eventually } from '../support/eventually.js';
import { TestInstance } from '../support/test-instance.js';
import {
  uuidAt,
  createPartitions,
  seedDeliveries,
  type SeedAttempt,
  type SeedDelivery,
} from '../support/seed-deliveries.js';
import { Receiver } from '../support/receiver.js';

const DAY = 86_400_000;
const RETENTION = 30;

/** The day on which a test began, counted from 1970. */
let today: number;

/** Noon (UTC) of a day, so that what is inserted around it stays within that day. */
const ago = (days: number): number => (today - days) * DAY + DAY / 2;

/** Five failures on one day. */
const failures = (at: number, responseBody = 'down'): SeedAttempt[] =>
  [0, 15, 75, 375, 2175].map((seconds) => ({ at: at + seconds * 1000, status: 503, responseBody }));

/** Only a test removes what is over, and nothing else runs beside the deliveries. */
const workerEnv = { WEBHOOK_RETENTION: `${RETENTION}d`, PERIODIC_JOBS: 'off' };

let instance: TestInstance;
let receiver: Receiver;
let endpointId: string;
let projectId: string;
beforeAll(async () => {
  instance = await TestInstance.startShared({ workerEnv });
  ({ projectId } = instance.credentials);
});
afterAll(async () => instance?.stop());
beforeEach(async () => {
  today = Math.floor(Date.now() / DAY);
  receiver = await Receiver.start();
  endpointId = (await instance.createEndpoint(receiver.url, ['*'])).id;
  await createPartitions(instance, ago(45));
});
afterEach(async () => {
  await receiver?.stop();
  // In the order in which the worker locks them: it may be recording the outcome of an attempt.
  await instance.sql('TRUNCATE deliveries, webhook_endpoints, attempts, events, customers CASCADE');
  const old = await oldPartitions();
  if (old.length > 0) await instance.sql(`DROP TABLE ${old.join(', ')}`);
});

/** Removes what is over, once. */
const prune = () => instance.runJob('deliveries');

const past = (delivery: Omit<SeedDelivery, 'endpointId' | 'projectId'>) => ({
  endpointId,
  projectId,
  ...delivery,
});

/** The partitions that end before the retention begins. */
async function oldPartitions(): Promise<string[]> {
  const rows = await instance.sql<{ name: string }>(
    `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'attempts'::regclass ORDER BY 1`,
  );
  const last = new Date(ago(RETENTION + 1)).toISOString().slice(0, 10).replaceAll('-', '');
  return rows.map(({ name }) => name).filter((name) => name.slice(-8) <= last);
}

const nameOf = (days: number, kind = ''): string =>
  `attempts_${kind}${new Date(ago(days)).toISOString().slice(0, 10).replaceAll('-', '')}`;

const succeeded = (at: number): SeedAttempt[] => [{ at, status: 200 }];
const dead = (...days: number[]) =>
  seedDeliveries(
    instance,
    days.map((each) => past({ state: 'failed', attempts: failures(ago(each)) })),
  );
const idsOf = (deliveries: { id: string }[]): string[] => deliveries.map(({ id }) => id);
const count = async (table: string, ids: string[], column = 'id'): Promise<number> => {
  const [row] = await instance.sql<{ count: number }>(
    `SELECT count(*)::int AS count FROM ${table} WHERE ${column} = ANY ($1)`,
    [ids],
  );
  return row!.count;
};
const get = (id: string) => instance.requestWithSecretKey('GET', `/v1/webhooks/deliveries/dlv_${id}`);

describe('retention', () => {
  it('removes what ended long ago and needs nobody, and nothing that is younger', async () => {
    const done: SeedAttempt[] = succeeded(ago(40));
    const old = await seedDeliveries(instance, [
      past({ state: 'succeeded', attempts: done }),
      past({ state: 'cancelled', attempts: failures(ago(41)).slice(0, 2) }),
      past({ state: 'failed', resolution: 'discarded', attempts: failures(ago(40)) }),
      past({ state: 'failed', resolution: 'redelivered', attempts: failures(ago(42)) }),
    ]);
    const young = await seedDeliveries(instance, [
      // It is its end that counts.
      past({ state: 'succeeded', attempts: done, finishedAt: ago(RETENTION - 1) }),
      past({ state: 'pending', attempts: done }),
      past({ state: 'succeeded', attempts: succeeded(ago(RETENTION - 1)) }),
      past({ state: 'cancelled', attempts: [{ at: ago(1), status: 500 }] }),
    ]);
    // A redelivery may outlive what it repeats.
    const [again] = await seedDeliveries(instance, [
      past({
        state: 'succeeded',
        redeliveryOf: old[3]!.id,
        eventId: old[3]!.eventId,
        attempts: succeeded(ago(2)),
      }),
    ]);
    await prune();

    expect(await count('deliveries', idsOf(old))).toBe(0);
    expect(await count('attempts', idsOf(old), 'delivery_id')).toBe(0);
    const eventIds = old.map(({ eventId }) => eventId);
    expect(await count('events', eventIds)).toBe(1);
    for (const { id, attemptIds } of young) {
      expect((await get(id)).body.data.attempts).toHaveLength(attemptIds.length);
    }
    expect((await get(again!.id)).body.data).toMatchObject({
      redelivery_of: `dlv_${old[3]!.id}`,
      request: { body: expect.stringContaining(new Date(ago(42)).toISOString()) },
    });
    expect(await oldPartitions()).toEqual([expect.stringMatching(/^attempts_kept_/)]);
    expect((await get(old[0]!.id)).status).toBe(404);
  });

  it('keeps dead letters with their five attempts and their body until they are redelivered or discarded', async () => {
    const [first, second, third] = await dead(42, 40, 35);
    const letters = [first!, second!, third!];
    await prune();
    expect(await oldPartitions()).toHaveLength(1);
    for (const { id, eventId, attemptIds } of letters) {
      const { data } = (await get(id)).body;
      expect(data).toMatchObject({ state: 'failed', resolution: null, event_id: `evt_${eventId}` });
      expect(data.request.body).toContain('"told"');
      expect(data.attempts.map((attempt: any) => attempt.id)).toEqual(
        attemptIds.map((each) => `att_${each}`),
      );
      expect(data.attempts[4]).toMatchObject({ attempt: 5, http_status: 503, response_body: 'down' });
      expect(await instance.listAttempts({ delivery_id: `dlv_${id}` })).toEqual(data.attempts);
      expect((await instance.requestWithSecretKey('GET', `/v1/events/evt_${eventId}`)).status).toBe(200);
    }
    const { status, body } = await instance.requestWithSecretKey(
      'POST',
      `/v1/webhooks/deliveries/dlv_${first!.id}/redeliver`,
    );
    expect(status).toBe(202);
    const request = await eventually('the redelivery', () =>
      receiver.requests.find(({ event }) => event.data['told'] === new Date(ago(42)).toISOString()),
    );
    expect(request.headers['webhook-id']).toBe(`evt_${first!.eventId}`);
    await instance.requestWithSecretKey('POST', `/v1/webhooks/deliveries/dlv_${second!.id}/discard`, {
      reason: 'not needed',
    });
    const redeliveredNow = () =>
      instance.requestWithSecretKey('GET', `/v1/webhooks/deliveries/${body.data.id}`);
    await eventually('its end', async () => (await redeliveredNow()).body.data.state === 'succeeded');

    await prune();
    const resolved = [first!, second!].map(({ id }) => id);
    expect(await count('attempts', resolved, 'delivery_id')).toBe(0);
    expect(await count('events', [second!.eventId])).toBe(0);
    expect(await count('deliveries', resolved)).toBe(0);
    expect((await get(third!.id)).body.data.attempts).toHaveLength(5);
    expect((await redeliveredNow()).body.data).toMatchObject({
      state: 'succeeded',
      redelivery_of: `dlv_${first!.id}`,
    });

    await instance.requestWithSecretKey('POST', `/v1/webhooks/deliveries/dlv_${third!.id}/discard`, {
      reason: 'nor this',
    });
    await prune();
    expect(await oldPartitions()).toEqual([]);
  });

  it('moves what must stay of a later day to what is kept already, and leaves a day alone of which very much stays', async () => {
    await dead(42);
    const [many] = await seedDeliveries(instance, [
      past({ state: 'failed', attempts: [{ at: ago(36), status: 500 }] }),
    ]);
    await instance.sql(
      `INSERT INTO deliveries SELECT (jsonb_populate_record(d, jsonb_build_object('id', left(d.id::text, 24) || lpad(to_hex(n), 12, '0')))).*
       FROM deliveries d, generate_series(1, 10000) n WHERE d.id = $1`,
      [many!.id],
    );
    await instance.sql(
      `INSERT INTO attempts SELECT (jsonb_populate_record(a, jsonb_build_object('delivery_id', d.id,
         'id', left(a.id::text, 24) || right(d.id::text, 12)))).*
       FROM attempts a JOIN deliveries d ON d.event_id = a.event_id WHERE a.id = $1 AND d.id <> $2`,
      [many!.attemptIds[0], many!.id],
    );
    const [gone] = await seedDeliveries(instance, [
      past({ state: 'succeeded', attempts: succeeded(ago(36)) }),
    ]);
    const [last] = await dead(33);
    await prune();
    expect(await count('attempts', [gone!.id], 'delivery_id')).toBe(0);
    expect(await oldPartitions()).toEqual([nameOf(42, 'kept_'), nameOf(33, 'kept_')]);
    const [kept] = await instance.sql<{ count: number }>(
      `SELECT count(*)::int AS count FROM ${nameOf(33, 'kept_')}`,
    );
    expect(kept!.count).toBe(10_001 + 5);
    expect((await get(last!.id)).body.data.attempts).toHaveLength(5);
  });

  it('leaves out a day that cannot be changed, says so, and goes on with the others', async () => {
    const letters = await dead(42, 40, 39);
    const [gone] = await seedDeliveries(instance, [
      past({ state: 'succeeded', attempts: succeeded(ago(38)) }),
    ]);
    const reader = await instance.db.connect();
    await reader.query(`BEGIN; LOCK TABLE ${nameOf(40)} IN ACCESS SHARE MODE`);
    await expect(prune()).rejects.toThrow(new RegExp(`^${nameOf(40)}: `));
    // What is kept of the days before and after is not put together past the one between them.
    expect(await oldPartitions()).toEqual([nameOf(40), nameOf(42, 'kept_'), nameOf(39, 'kept_')].sort());
    expect(await count('events', [gone!.eventId])).toBe(0);
    await reader.query('ROLLBACK');
    reader.release();
    await prune();
    expect(await oldPartitions()).toEqual([nameOf(40, 'kept_'), nameOf(39, 'kept_')].sort());
    for (const { id } of letters) expect((await get(id)).body.data.attempts).toHaveLength(5);
  });

  it('leaves a day in its place of which a copy takes too long', async () => {
    const [letter] = await seedDeliveries(instance, [
      past({ state: 'failed', attempts: failures(ago(40), 'slow') }),
    ]);
    const [gone] = await seedDeliveries(instance, [
      past({ state: 'succeeded', attempts: succeeded(ago(40)) }),
    ]);
    // Every row that is written waits: five of them for longer than a statement may take.
    await instance.sql(`CREATE FUNCTION is_slow(text) RETURNS boolean LANGUAGE sql AS
        $$SELECT CASE WHEN $1 = 'slow' THEN pg_sleep(1.2) IS NOT NULL ELSE true END$$;
      ALTER TABLE attempts ADD CONSTRAINT slow CHECK (is_slow(response_body)) NOT VALID`);
    try {
      await prune();
    } finally {
      await instance.sql('ALTER TABLE attempts DROP CONSTRAINT slow; DROP FUNCTION is_slow');
    }
    expect(await oldPartitions()).toEqual([nameOf(40, 'kept_')]);
    expect(await count('attempts', [gone!.id], 'delivery_id')).toBe(0);
    expect((await get(letter!.id)).body.data.attempts).toHaveLength(5);
  });

  it('keeps no deletion of a customer waiting who has no attempt on the day that is moved', async () => {
    const [other, { id: customerId }] = [await registerCustomer(instance), await registerCustomer(instance)];
    const inserted = await seedDeliveries(instance, [
      past({ state: 'failed', customerId: other.id, attempts: failures(ago(40)) }),
      past({ state: 'succeeded', customerId, attempts: succeeded(ago(1)) }),
    ]);
    const mover = await instance.db.connect();
    await mover.query(`BEGIN; LOCK TABLE ${nameOf(40)} IN SHARE MODE`);
    const answer = await instance.requestWithSecretKey('DELETE', `/api/v1/customers/${customerId}`);
    await mover.query('ROLLBACK');
    mover.release();
    expect(answer.status).toBe(204);
    const erased = await instance.sql(
      `SELECT delivery_id FROM attempts WHERE response_body = '' AND delivery_id = ANY ($1)`,
      [inserted.map(({ id }) => id)],
    );
    expect(erased).toEqual([{ delivery_id: inserted[1]!.id }]);
  });

  it('erases what is kept of a customer as well', async () => {
    const { id: customerId } = await registerCustomer(instance);
    const [letter] = await seedDeliveries(instance, [
      past({ state: 'failed', customerId, attempts: failures(ago(40), 'secret') }),
    ]);
    await prune();
    expect(await oldPartitions()).toHaveLength(1);
    expect((await instance.requestWithSecretKey('DELETE', `/api/v1/customers/${customerId}`)).status).toBe(
      204,
    );
    const rows = await instance.sql<{ body: string }>(
      'SELECT response_body AS body FROM attempts WHERE delivery_id = $1',
      [letter!.id],
    );
    expect(rows).toEqual(Array.from({ length: 5 }, () => ({ body: '' })));
    const { data } = (await get(letter!.id)).body;
    expect(data.attempts).toHaveLength(5);
    expect(data.request.body).toContain('"erased":true');
  });

  it('lets a poller of the feed go on, from a cursor that is older than what is left', async () => {
    await seedDeliveries(
      instance,
      [40, 39, 38].map((days) => past({ state: 'succeeded', attempts: succeeded(ago(days)) })),
    );
    const ask = (query: string) => instance.requestWithSecretKey('GET', `/v1/events?${query}`);
    const begin = await eventually('the feed', async () => {
      const { body } = await ask('limit=1');
      return body.data.length === 1 && body;
    });
    await prune();
    expect(await oldPartitions()).toEqual([]);
    expect(await instance.sql("SELECT FROM events WHERE created_at < now() - interval '31 days'")).toEqual(
      [],
    );
    const { id } = await registerCustomer(instance);
    await eventually('what is new', async () => {
      const { status, body } = await ask(`cursor=${encodeURIComponent(begin.next_cursor)}`);
      expect(status).toBe(200);
      return body.data.some(({ data }: any) => data.customer?.id === id);
    });
  });

  it('waits for whoever reads all attempts, and keeps no delivery waiting meanwhile', async () => {
    await dead(40);
    const reader = await instance.db.connect();
    await reader.query('BEGIN; LOCK TABLE attempts IN ACCESS SHARE MODE');
    const pruned = prune();
    await eventually('the wait', async () => {
      const rows = await instance.sql(
        `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
      );
      return rows.length > 0;
    });
    await registerCustomer(instance);
    await eventually('a delivery', async () => {
      const rows = await instance.listAttempts({ success: 'true' });
      return rows.length > 0;
    });
    expect((await oldPartitions()).length).toBeGreaterThan(1);
    await reader.query('ROLLBACK');
    reader.release();
    await pruned;
    expect(await oldPartitions()).toHaveLength(1);
  });
});

describe('partitions', () => {
  const drop = async (): Promise<void> => {
    const rows = await instance.sql<{ name: string }>(
      `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'attempts'::regclass`,
    );
    await instance.sql(`DROP TABLE ${rows.map(({ name }) => name).join(', ')}`);
  };
  const newest = async (): Promise<string> => {
    const [row] = await instance.sql<{ name: string }>(
      `SELECT max(inhrelid::regclass::text) AS name FROM pg_inherits WHERE inhparent = 'attempts'::regclass`,
    );
    return row!.name;
  };

  it('that are missing are made by the close that misses them', async () => {
    await drop();
    await registerCustomer(instance);
    await eventually('every delivery', async () => {
      const rows = await instance.sql<{ state: string }>('SELECT state FROM deliveries');
      return rows.length > 0 && rows.every(({ state }) => state === 'succeeded');
    });
    expect((await instance.listAttempts()).length).toBeGreaterThan(0);
  });

  // The last one: it leaves the partitions that other files find.
  it('are there again when an instance starts that was left alone, also for an attempt of long ago', async () => {
    await Promise.all(instance.workers.map((worker) => worker.stop('SIGKILL')));
    await drop();
    await registerCustomer(instance);
    const attemptId = uuidAt(ago(40));
    const [lost] = await instance.sql<{ id: string }>(
      `UPDATE deliveries SET attempt = 1, attempt_id = $1, created_at = $2, started_at = $2, lease_until = $2,
         next_attempt_at = NULL
       WHERE id = (SELECT id FROM deliveries LIMIT 1) RETURNING id`,
      [attemptId, new Date(ago(40))],
    );
    instance.startWorker(workerEnv);
    await instance.waitUntilReady();
    await instance.runJob('Sweeper');
    const [attempt] = await eventually('the lost attempt', async () => {
      const rows = await instance.listAttempts({ delivery_id: `dlv_${lost!.id}` });
      return rows.length > 0 && rows;
    });
    expect(attempt).toMatchObject({
      id: `att_${attemptId}`,
      error: 'worker_lost',
      delivery_state: 'pending',
    });
    // A fortnight ahead, also of a day that has begun meanwhile.
    const ahead = [ago(-14), ago(-15)].map((at) => new Date(at).toISOString().slice(0, 10));
    expect(ahead.map((day) => `attempts_${day.replaceAll('-', '')}`)).toContain(await newest());
    await eventually('the other deliveries', async () => {
      const rows = await instance.sql(`SELECT FROM deliveries WHERE state = 'succeeded'`);
      return rows.length > 0;
    });
  });
});
