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
import { nightlyIt } from '../support/is-nightly.js';

const DAY = 86_400_000;
const RETENTION = 30;

/** The day on which a test began, in days since the epoch. */
let today: number;

/** Returns noon (UTC) of a day, so that rows inserted around this time belong to that day. */
const daysAgo = (days: number): number => (today - days) * DAY + DAY / 2;

/** Returns five failed attempts on one day. */
const failures = (at: number, responseBody = 'down'): SeedAttempt[] =>
  [0, 15, 75, 375, 2175].map((seconds) => ({ at: at + seconds * 1000, status: 503, responseBody }));

/** Settings with which workers only deliver. The tests start the pruning themselves. */
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
  await createPartitions(instance, daysAgo(45));
});
afterEach(async () => {
  await receiver?.stop();
  // A worker may still be recording an outcome, so the tables are locked in the same order as in the worker.
  await instance.sql('TRUNCATE deliveries, webhook_endpoints, attempts, events, customers CASCADE');
  const old = await listOldPartitions();
  if (old.length > 0) await instance.sql(`DROP TABLE ${old.join(', ')}`);
});

const prune = () => instance.runJob('deliveries');

const createDelivery = (delivery: Omit<SeedDelivery, 'endpointId' | 'projectId'>) => ({
  endpointId,
  projectId,
  ...delivery,
});

/** Returns the partitions that are older than the retention period. */
async function listOldPartitions(): Promise<string[]> {
  const rows = await instance.sql<{ name: string }>(
    `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'attempts'::regclass ORDER BY 1`,
  );
  const last = new Date(daysAgo(RETENTION + 1)).toISOString().slice(0, 10).replaceAll('-', '');
  return rows.map(({ name }) => name).filter((name) => name.slice(-8) <= last);
}

const partitionName = (days: number, kind = ''): string =>
  `attempts_${kind}${new Date(daysAgo(days)).toISOString().slice(0, 10).replaceAll('-', '')}`;

const succeeded = (at: number): SeedAttempt[] => [{ at, status: 200 }];
const seedDeadLetters = (...days: number[]) =>
  seedDeliveries(
    instance,
    days.map((each) => createDelivery({ state: 'failed', attempts: failures(daysAgo(each)) })),
  );
const getIds = (deliveries: { id: string }[]): string[] => deliveries.map(({ id }) => id);
const countRows = async (table: string, ids: string[], column = 'id'): Promise<number> => {
  const [row] = await instance.sql<{ count: number }>(
    `SELECT count(*)::int AS count FROM ${table} WHERE ${column} = ANY ($1)`,
    [ids],
  );
  return row!.count;
};
const get = (id: string) => instance.requestWithSecretKey('GET', `/v1/webhooks/deliveries/dlv_${id}`);

describe('retention', () => {
  it('removes finished deliveries after the retention period, and retains more recent ones', async () => {
    const oldAttempts: SeedAttempt[] = succeeded(daysAgo(40));
    const old = await seedDeliveries(instance, [
      createDelivery({ state: 'succeeded', attempts: oldAttempts }),
      createDelivery({ state: 'cancelled', attempts: failures(daysAgo(41)).slice(0, 2) }),
      createDelivery({ state: 'failed', resolution: 'discarded', attempts: failures(daysAgo(40)) }),
      createDelivery({ state: 'failed', resolution: 'redelivered', attempts: failures(daysAgo(42)) }),
      createDelivery({ state: 'failed', resolution: 'erased', attempts: failures(daysAgo(40)) }),
    ]);
    const recent = await seedDeliveries(instance, [
      // The retention period starts at the end of a delivery.
      createDelivery({ state: 'succeeded', attempts: oldAttempts, finishedAt: daysAgo(RETENTION - 1) }),
      createDelivery({ state: 'pending', attempts: oldAttempts }),
      createDelivery({ state: 'succeeded', attempts: succeeded(daysAgo(RETENTION - 1)) }),
      createDelivery({ state: 'cancelled', attempts: [{ at: daysAgo(1), status: 500 }] }),
    ]);
    // A redelivery may be retained for longer than the original delivery.
    const [redelivery] = await seedDeliveries(instance, [
      createDelivery({
        state: 'succeeded',
        redeliveryOf: old[3]!.id,
        eventId: old[3]!.eventId,
        attempts: succeeded(daysAgo(2)),
      }),
    ]);
    await prune();

    expect(await countRows('deliveries', getIds(old))).toBe(0);
    expect(await countRows('attempts', getIds(old), 'delivery_id')).toBe(0);
    const eventIds = old.map(({ eventId }) => eventId);
    expect(await countRows('events', eventIds)).toBe(1);
    for (const { id, attemptIds } of recent) {
      expect((await get(id)).body.data.attempts).toHaveLength(attemptIds.length);
    }
    expect((await get(redelivery!.id)).body.data).toMatchObject({
      redelivery_of: `dlv_${old[3]!.id}`,
      request: { body: expect.stringContaining(new Date(daysAgo(42)).toISOString()) },
    });
    expect(await listOldPartitions()).toEqual([expect.stringMatching(/^attempts_kept_/)]);
    expect((await get(old[0]!.id)).status).toBe(404);
  });

  it('retains dead letters with attempts and body until they are redelivered or discarded', async () => {
    const [first, second, third] = await seedDeadLetters(42, 40, 35);
    const deadLetters = [first!, second!, third!];
    await prune();
    expect(await listOldPartitions()).toHaveLength(1);
    for (const { id, eventId, attemptIds } of deadLetters) {
      const { data } = (await get(id)).body;
      expect(data).toMatchObject({ state: 'failed', resolution: null, event_id: `evt_${eventId}` });
      expect(data.request.body).toContain('"seededAt"');
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
      receiver.requests.find(({ event }) => event.data['seededAt'] === new Date(daysAgo(42)).toISOString()),
    );
    expect(request.headers['webhook-id']).toBe(`evt_${first!.eventId}`);
    await instance.requestWithSecretKey('POST', `/v1/webhooks/deliveries/dlv_${second!.id}/discard`, {
      reason: 'not needed',
    });
    const getRedelivery = () =>
      instance.requestWithSecretKey('GET', `/v1/webhooks/deliveries/${body.data.id}`);
    await eventually(
      'the end of the redelivery',
      async () => (await getRedelivery()).body.data.state === 'succeeded',
    );

    await prune();
    const resolved = [first!, second!].map(({ id }) => id);
    expect(await countRows('attempts', resolved, 'delivery_id')).toBe(0);
    expect(await countRows('events', [second!.eventId])).toBe(0);
    expect(await countRows('deliveries', resolved)).toBe(0);
    expect((await get(third!.id)).body.data.attempts).toHaveLength(5);
    expect((await getRedelivery()).body.data).toMatchObject({
      state: 'succeeded',
      redelivery_of: `dlv_${first!.id}`,
    });

    await instance.requestWithSecretKey('POST', `/v1/webhooks/deliveries/dlv_${third!.id}/discard`, {
      reason: 'not needed',
    });
    await prune();
    expect(await listOldPartitions()).toEqual([]);
  });

  nightlyIt(
    'adds retained attempts to the partition of earlier days, unless a day has too many to copy',
    async () => {
      await seedDeadLetters(42);
      const [original] = await seedDeliveries(instance, [
        createDelivery({ state: 'failed', attempts: [{ at: daysAgo(36), status: 500 }] }),
      ]);
      await instance.sql(
        `INSERT INTO deliveries SELECT copy.*
       FROM deliveries d, generate_series(1, 10000) n,
         jsonb_populate_record(d, jsonb_build_object('id', left(d.id::text, 24) || lpad(to_hex(n), 12, '0'))) copy
       WHERE d.id = $1`,
        [original!.id],
      );
      await instance.sql(
        `INSERT INTO attempts SELECT copy.*
       FROM attempts a JOIN deliveries d ON d.event_id = a.event_id,
         jsonb_populate_record(a, jsonb_build_object('delivery_id', d.id,
           'id', left(a.id::text, 24) || right(d.id::text, 12))) copy
       WHERE a.id = $1 AND d.id <> $2`,
        [original!.attemptIds[0], original!.id],
      );
      const [removed] = await seedDeliveries(instance, [
        createDelivery({ state: 'succeeded', attempts: succeeded(daysAgo(36)) }),
      ]);
      const [last] = await seedDeadLetters(33);
      await prune();
      expect(await countRows('attempts', [removed!.id], 'delivery_id')).toBe(0);
      expect(await listOldPartitions()).toEqual([partitionName(42, 'kept_'), partitionName(33, 'kept_')]);
      const [retained] = await instance.sql<{ count: number }>(
        `SELECT count(*)::int AS count FROM ${partitionName(33, 'kept_')}`,
      );
      expect(retained!.count).toBe(10_001 + 5);
      expect((await get(last!.id)).body.data.attempts).toHaveLength(5);
    },
  );

  nightlyIt('skips and reports a locked day, and continues with the other days', async () => {
    const deadLetters = await seedDeadLetters(42, 40, 39);
    const [removed] = await seedDeliveries(instance, [
      createDelivery({ state: 'succeeded', attempts: succeeded(daysAgo(38)) }),
    ]);
    const reader = await instance.db.connect();
    await reader.query(`BEGIN; LOCK TABLE ${partitionName(40)} IN ACCESS SHARE MODE`);
    await expect(prune()).rejects.toThrow(new RegExp(`^${partitionName(40)}: `));
    // The retained attempts of the days before and after are not merged across the locked day.
    expect(await listOldPartitions()).toEqual(
      [partitionName(40), partitionName(42, 'kept_'), partitionName(39, 'kept_')].sort(),
    );
    expect(await countRows('events', [removed!.eventId])).toBe(0);
    await reader.query('ROLLBACK');
    reader.release();
    await prune();
    expect(await listOldPartitions()).toEqual(
      [partitionName(40, 'kept_'), partitionName(39, 'kept_')].sort(),
    );
    for (const { id } of deadLetters) expect((await get(id)).body.data.attempts).toHaveLength(5);
  });

  nightlyIt('retains the partition of a day without copying if copying takes too long', async () => {
    const [deadLetter] = await seedDeliveries(instance, [
      createDelivery({ state: 'failed', attempts: failures(daysAgo(40), 'slow') }),
    ]);
    const [removed] = await seedDeliveries(instance, [
      createDelivery({ state: 'succeeded', attempts: succeeded(daysAgo(40)) }),
    ]);
    // Each inserted row takes 1.2 s, so five rows exceed the statement timeout.
    await instance.sql(`CREATE FUNCTION is_slow(text) RETURNS boolean LANGUAGE sql AS
        $$SELECT CASE WHEN $1 = 'slow' THEN pg_sleep(1.2) IS NOT NULL ELSE true END$$;
      ALTER TABLE attempts ADD CONSTRAINT slow CHECK (is_slow(response_body)) NOT VALID`);
    try {
      await prune();
    } finally {
      await instance.sql('ALTER TABLE attempts DROP CONSTRAINT slow; DROP FUNCTION is_slow');
    }
    expect(await listOldPartitions()).toEqual([partitionName(40, 'kept_')]);
    expect(await countRows('attempts', [removed!.id], 'delivery_id')).toBe(0);
    expect((await get(deadLetter!.id)).body.data.attempts).toHaveLength(5);
  });

  it('does not block the deletion of a customer without attempts on the locked day', async () => {
    const [other, { id: customerId }] = [await registerCustomer(instance), await registerCustomer(instance)];
    const inserted = await seedDeliveries(instance, [
      createDelivery({ state: 'failed', customerId: other.id, attempts: failures(daysAgo(40)) }),
      createDelivery({ state: 'succeeded', customerId, attempts: succeeded(daysAgo(1)) }),
    ]);
    const blocker = await instance.db.connect();
    await blocker.query(`BEGIN; LOCK TABLE ${partitionName(40)} IN SHARE MODE`);
    const response = await instance.requestWithSecretKey('DELETE', `/api/v1/customers/${customerId}`);
    await blocker.query('ROLLBACK');
    blocker.release();
    expect(response.status).toBe(204);
    const erased = await instance.sql(
      `SELECT delivery_id FROM attempts WHERE response_body = '' AND delivery_id = ANY ($1)`,
      [inserted.map(({ id }) => id)],
    );
    expect(erased).toEqual([{ delivery_id: inserted[1]!.id }]);
  });

  it('erases the retained data of a deleted customer', async () => {
    const { id: customerId } = await registerCustomer(instance);
    const [deadLetter] = await seedDeliveries(instance, [
      createDelivery({ state: 'failed', customerId, attempts: failures(daysAgo(40), 'secret') }),
    ]);
    await prune();
    expect(await listOldPartitions()).toHaveLength(1);
    expect((await instance.requestWithSecretKey('DELETE', `/api/v1/customers/${customerId}`)).status).toBe(
      204,
    );
    const rows = await instance.sql<{ body: string }>(
      'SELECT response_body AS body FROM attempts WHERE delivery_id = $1',
      [deadLetter!.id],
    );
    expect(rows).toEqual(Array.from({ length: 5 }, () => ({ body: '' })));
    const { data } = (await get(deadLetter!.id)).body;
    expect(data.attempts).toHaveLength(5);
    expect(data.request.body).toContain('"erased":true');
  });

  it('allows a feed poller to continue from a cursor older than the remaining events', async () => {
    await seedDeliveries(
      instance,
      [40, 39, 38].map((days) => createDelivery({ state: 'succeeded', attempts: succeeded(daysAgo(days)) })),
    );
    const getFeed = (query: string) => instance.requestWithSecretKey('GET', `/v1/events?${query}`);
    const firstPage = await eventually('the feed', async () => {
      const { body } = await getFeed('limit=1');
      return body.data.length === 1 && body;
    });
    await prune();
    expect(await listOldPartitions()).toEqual([]);
    expect(await instance.sql("SELECT FROM events WHERE created_at < now() - interval '31 days'")).toEqual(
      [],
    );
    const { id } = await registerCustomer(instance);
    await eventually('the new event', async () => {
      const { status, body } = await getFeed(`cursor=${encodeURIComponent(firstPage.next_cursor)}`);
      expect(status).toBe(200);
      return body.data.some(({ data }: any) => data.customer?.id === id);
    });
  });

  it('waits for a reader of all attempts, and does not block deliveries', async () => {
    await seedDeadLetters(40);
    const reader = await instance.db.connect();
    await reader.query('BEGIN; LOCK TABLE attempts IN ACCESS SHARE MODE');
    const pruned = prune();
    await eventually('the job to wait', async () => {
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
    expect((await listOldPartitions()).length).toBeGreaterThan(1);
    await reader.query('ROLLBACK');
    reader.release();
    await pruned;
    expect(await listOldPartitions()).toHaveLength(1);
  });
});

describe('the partition of a day', () => {
  const dropPartitions = async (): Promise<void> => {
    const rows = await instance.sql<{ name: string }>(
      `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'attempts'::regclass`,
    );
    await instance.sql(`DROP TABLE ${rows.map(({ name }) => name).join(', ')}`);
  };
  const findNewestPartition = async (): Promise<string> => {
    const [row] = await instance.sql<{ name: string }>(
      `SELECT max(inhrelid::regclass::text) AS name FROM pg_inherits WHERE inhparent = 'attempts'::regclass`,
    );
    return row!.name;
  };

  it('is created when an outcome is recorded and the partition does not exist', async () => {
    await dropPartitions();
    await registerCustomer(instance);
    await eventually('every delivery', async () => {
      const rows = await instance.sql<{ state: string }>('SELECT state FROM deliveries');
      return rows.length > 0 && rows.every(({ state }) => state === 'succeeded');
    });
    expect((await instance.listAttempts()).length).toBeGreaterThan(0);
  });

  it('is created when a worker starts after a long downtime, even for an old attempt', async () => {
    await Promise.all(instance.workers.map((worker) => worker.stop('SIGKILL')));
    await dropPartitions();
    await registerCustomer(instance);
    const attemptId = uuidAt(daysAgo(40));
    const [lost] = await instance.sql<{ id: string }>(
      `UPDATE deliveries SET attempt = 1, attempt_id = $1, created_at = $2, started_at = $2, lease_until = $2,
         next_attempt_at = NULL
       WHERE id = (SELECT id FROM deliveries LIMIT 1) RETURNING id`,
      [attemptId, new Date(daysAgo(40))],
    );
    instance.startWorker();
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
    // Partitions are created two weeks ahead, from today or from a day that began during the test.
    const expectedDays = [daysAgo(-14), daysAgo(-15)].map((at) => new Date(at).toISOString().slice(0, 10));
    expect(expectedDays.map((day) => `attempts_${day.replaceAll('-', '')}`)).toContain(
      await findNewestPartition(),
    );
    await eventually('the other deliveries', async () => {
      const rows = await instance.sql(`SELECT FROM deliveries WHERE state = 'succeeded'`);
      return rows.length > 0;
    });
  });
});
