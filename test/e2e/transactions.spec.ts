import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import {
  CustomersRepository,
  Database,
  DeliveryAnnouncer,
  DeliveryProcessingRepository,
  EventsRepository,
  ImportsRepository,
  Transactions,
  type Tx,
} from '@gatehouse/persistence';
import { createLogger, Failpoints, loadConfig } from '@gatehouse/platform';
import { registerCustomer } from '../support/customers.js';
import { eventually } from '../support/eventually.js';
import { TestInstance } from '../support/test-instance.js';
import { commitWhenOthersWait } from '../support/with-concurrent-change.js';

let instance: TestInstance;
let database: Database;
let transactions: Transactions;
beforeAll(async () => {
  instance = await TestInstance.startShared({ workers: 0 });
  const config = loadConfig(instance.env);
  const logger = createLogger({ logLevel: 'silent' }, 'test');
  database = new Database(config, logger);
  await database.connect();
  const announcer = new DeliveryAnnouncer(database, null, 0, logger);
  transactions = new Transactions(database, announcer, new Failpoints([], logger));
});
afterAll(async () => {
  await database?.close();
  await instance?.stop();
});

/** Creates a promise that resolves when `emit` is called. */
function createSignal() {
  let emit!: () => void;
  const emitted = new Promise<void>((resolve) => (emit = resolve));
  return { emit, emitted };
}

describe('a unit of work', () => {
  const write = (tx: Tx, name: string) =>
    tx.connection.query('INSERT INTO organizations (id, name, slug) VALUES ($1, $2, $2)', [
      randomUUID(),
      name,
    ]);
  const countWritten = async (...names: string[]): Promise<number> =>
    (await instance.sql('SELECT FROM organizations WHERE name = ANY ($1)', [names])).length;

  /**
   * Runs a unit of work that does not await one of its transactions, and then calls `outcome`. Returns the unit's
   * error, and the order in which the transaction and the unit completed.
   */
  async function runWithUnawaitedTransaction(
    outcome: () => void,
    unawaitedWork: (tx: Tx) => Promise<unknown>,
  ): Promise<{ error?: unknown; order: string[] }> {
    const [transactionStarted, workFinished] = [createSignal(), createSignal()];
    const order: string[] = [];
    let unawaited!: Promise<unknown>;
    const work = async () => {
      unawaited = transactions.join(async (tx) => {
        transactionStarted.emit();
        await workFinished.emitted;
        // If the unit did not wait, it would commit or roll back before the event loop's next turn.
        await setImmediate();
        order.push('late');
        return unawaitedWork(tx);
      });
      unawaited.catch(() => undefined);
      await transactionStarted.emitted;
      workFinished.emit();
      outcome();
    };
    const complete = async (tx: Tx) => {
      order.push('completed');
      await write(tx, 'completed');
    };
    const error: unknown = await transactions
      .runAsUnitOfWork(work, complete)
      .catch((reason: unknown) => reason);
    await unawaited.catch(() => undefined);
    return { error, order };
  }

  beforeEach(() => instance.sql(`DELETE FROM organizations WHERE name IN ('completed', 'late')`));

  it('rolls back transactions that are still running when its work fails', async () => {
    const fail = () => {
      throw new Error('failed');
    };
    const { error } = await runWithUnawaitedTransaction(fail, (tx) => write(tx, 'late'));
    expect(error).toMatchObject({ message: 'failed' });
    expect(await countWritten('late', 'completed')).toBe(0);
  });

  it('commits or rolls back together with transactions that are still running when its work ends', async () => {
    const succeed = () => undefined;
    const { order } = await runWithUnawaitedTransaction(succeed, (tx) => write(tx, 'late'));
    expect(order).toEqual(['late', 'completed']);
    expect(await countWritten('late', 'completed')).toBe(2);
    await instance.sql(`DELETE FROM organizations WHERE name IN ('completed', 'late')`);
    const failed = await runWithUnawaitedTransaction(succeed, () => Promise.reject(new Error('failed late')));
    expect(failed).toMatchObject({ error: { message: 'failed late' }, order: ['late'] });
    expect(await countWritten('completed')).toBe(0);
  });

  it('rolls back joined work, but not work that ran in a separate transaction', async () => {
    const rolledBack = transactions.runAsUnitOfWork(
      async () => {
        await transactions.join((tx) => write(tx, 'late'));
        await transactions.run((tx) => transactions.join(() => write(tx, 'completed')));
      },
      () => Promise.reject(new Error('failed')),
    );
    await expect(rolledBack).rejects.toThrow('failed');
    expect(await countWritten('late')).toBe(0);
    expect(await countWritten('completed')).toBe(1);
  });
});

describe('a transaction', () => {
  const insert = (tx: Tx, id: string, slug: string) =>
    tx.connection.query('INSERT INTO organizations (id, name, slug) VALUES ($1, $2, $2)', [id, slug]);

  const events = new EventsRepository(0);
  const organizationId = () => instance.credentials.organizationId;
  const record = (tx: Tx, id: string, organization = organizationId()) =>
    events.record(tx, [
      { id, type: 'app.test', organizationId: organization, projectId: null, customerId: null, data: {} },
    ]);

  /** Returns the events that were written, in id order. */
  async function listWritten(ids: string[]): Promise<string[]> {
    const rows = await instance.sql<{ id: string }>(
      'SELECT id FROM events WHERE id = ANY ($1) ORDER BY id::text',
      [ids],
    );
    return rows.map(({ id }) => id);
  }

  it('fails if one of its statements has failed, even if the error was handled', async () => {
    const id = randomUUID();
    const failed = transactions.run(async (tx) => {
      await insert(tx, id, id);
      await tx.connection.query('SELECT 1 / 0').catch(() => undefined);
    });
    await expect(failed).rejects.toThrow('transaction rolled back');
    expect(await instance.sql('SELECT FROM organizations WHERE id = $1', [id])).toEqual([]);
  });

  it('reports the error of the first statement that failed', async () => {
    const [id, slug] = [randomUUID(), randomUUID()];
    await transactions.run((tx) => insert(tx, id, slug));
    const duplicate = (tx: Tx) => tx.awaitWithCommit(insert(tx, randomUUID(), slug));
    const isDuplicate = { code: '23505' };
    await expect(transactions.run(duplicate)).rejects.toMatchObject(isDuplicate);
    const failed = transactions.run(async (tx) => {
      duplicate(tx);
      await insert(tx, randomUUID(), randomUUID());
    });
    await expect(failed).rejects.toMatchObject(isDuplicate);
  });

  it('writes its events and audit entries with its other changes, or not at all', async () => {
    const [alone, withChange, rolledBack] = [randomUUID(), randomUUID(), randomUUID()];
    await transactions.run((tx) => record(tx, alone));
    await transactions.run(async (tx) => {
      record(tx, withChange);
      await insert(tx, withChange, withChange);
    });
    const failed = transactions.run(async (tx) => {
      record(tx, rolledBack);
      await insert(tx, withChange, rolledBack);
    });
    await expect(failed).rejects.toMatchObject({ code: '23505' });
    expect(await listWritten([alone, withChange, rolledBack])).toEqual([alone, withChange].sort());
  });

  it("commits if it contains only events, even if a concurrent caller's transaction fails", async () => {
    const ids = Array.from({ length: 20 }, () => randomUUID());
    const failing = ids.slice(7, 9);
    const results = await Promise.allSettled(
      ids.map((id) =>
        transactions.run((tx) => record(tx, id, failing.includes(id) ? 'no UUID' : organizationId())),
      ),
    );
    const rejected = results.filter(({ status }) => status === 'rejected');
    expect(rejected).toEqual(
      failing.map(() => ({ status: 'rejected', reason: expect.objectContaining({ code: '22P02' }) })),
    );
    expect(await listWritten(ids)).toEqual(ids.filter((id) => !failing.includes(id)).sort());
  });
});

describe('the entity manager', () => {
  const startImport = () => ({
    id: randomUUID(),
    projectId: instance.credentials.projectId,
    claim: randomUUID(),
  });
  const progress = { lastLine: 5, linesMac: null, results: [] };

  it('reads writes of the same unit of work', async () => {
    const imports = new ImportsRepository(database);
    const started = startImport();
    const work = async () => {
      await transactions.join(async (tx) => {
        await imports.claim(tx, started, instance.credentials.organizationId, 0);
        await imports.recordProgress(tx, started, progress);
      });
      return imports.getProgress(started);
    };
    const lastLines: number[] = [];
    const rolledBack = transactions.runAsUnitOfWork(work, async (tx, { lastLine }) => {
      lastLines.push(lastLine);
      await imports.finish(tx, started, 'completed');
      throw new Error('failed');
    });
    await expect(rolledBack).rejects.toThrow('failed');
    expect(lastLines).toEqual([5]);
    expect(await imports.getProgress(started)).toMatchObject({ lastLine: 0 });
  });

  it('throws unavailable if there is no connection or a lock times out', async () => {
    const config = loadConfig(instance.env);
    const unconnected = new Database(config, createLogger({ logLevel: 'silent' }, 'test'));
    const unavailable = { code: 'unavailable' };
    await expect(new ImportsRepository(unconnected).getProgress(startImport())).rejects.toMatchObject(
      unavailable,
    );
    const holder = await instance.db.connect();
    try {
      await holder.query('BEGIN; LOCK TABLE imports');
      const imports = new ImportsRepository(database);
      await expect(imports.getProgress(startImport())).rejects.toMatchObject(unavailable);
      const finish = transactions.run((tx) => imports.finish(tx, startImport(), 'completed'));
      await expect(finish).rejects.toMatchObject(unavailable);
    } finally {
      await holder.query('ROLLBACK');
      holder.release();
    }
  });
});

describe('deleting a customer while outcomes of their deliveries are recorded', () => {
  interface InFlight {
    id: string;
    attemptId: string;
  }

  const createOutcome = ({ id, attemptId }: InFlight) => ({
    deliveryId: id,
    attemptId,
    httpStatus: 500,
    success: false,
    error: null,
    durationMs: 1,
    responseBody: '',
    nextDelayMs: 1_000,
    retryAfter: null,
  });

  /** Registers a customer with deliveries in flight, sorted by id. */
  async function createDeliveriesInFlight(): Promise<{ customerId: string; deliveries: InFlight[] }> {
    const { id: customerId } = await registerCustomer(instance);
    const deliveries = await instance.sql<InFlight>(
      `UPDATE deliveries d SET attempt = 1, started_at = now(), lease_until = now() + interval '1 hour',
         next_attempt_at = NULL, attempt_id = (left(d.id::text, 15) || substr(gen_random_uuid()::text, 16))::uuid
       FROM events e WHERE e.id = d.event_id AND e.customer_id = $1 RETURNING d.id, d.attempt_id AS "attemptId"`,
      [customerId],
    );
    return { customerId, deliveries: deliveries.sort((a, b) => (a.id < b.id ? -1 : 1)) };
  }

  const waitForLocks = (count: number) =>
    eventually(`${count} waiting connections`, async () => {
      const rows = await instance.sql(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      return rows.length === count;
    });

  const deleteCustomerIn = (tx: Tx, customerId: string) =>
    new CustomersRepository(database).delete(tx, instance.credentials.projectId, customerId);
  const deleteCustomer = (customerId: string) => transactions.run((tx) => deleteCustomerIn(tx, customerId));

  beforeAll(async () => {
    await instance.createEndpoint('http://127.0.0.1:9/');
    const { customerId, deliveries } = await createDeliveriesInFlight();
    await deleteCustomer(customerId);
    // The table must be large. PostgreSQL scans a small table in physical order, which would hide a missing ORDER BY.
    await instance.sql(
      `INSERT INTO deliveries (id, organization_id, project_id, event_id, event_type, endpoint_id, target_url, state)
       SELECT gen_random_uuid(), organization_id, project_id, event_id, event_type, endpoint_id, target_url, 'succeeded'
       FROM deliveries, generate_series(1, 20000) WHERE id = $1`,
      [deliveries[0]!.id],
    );
    await instance.sql('ANALYZE deliveries');
  });

  it('locks rows in the same order as recording does, so that both succeed whichever is first', async () => {
    for (const isDeletedFirst of [true, false]) {
      const { customerId, deliveries } = await createDeliveriesInFlight();
      expect(deliveries.length).toBeGreaterThan(1);
      const deliveryProcessing = new DeliveryProcessingRepository(database, 1_000, transactions);
      // The outcomes are in reverse order of delivery ids.
      const recordOutcomes = () =>
        deliveryProcessing.recordOutcomes(deliveries.toReversed().map(createOutcome));
      const [first, second] = isDeletedFirst
        ? [() => deleteCustomer(customerId), recordOutcomes]
        : [recordOutcomes, () => deleteCustomer(customerId)];
      const holder = await instance.db.connect();
      try {
        await holder.query('BEGIN');
        await holder.query('SELECT FROM deliveries WHERE id = $1 FOR UPDATE', [deliveries[0]!.id]);
        const running = [first()];
        await waitForLocks(1);
        running.push(second());
        await commitWhenOthersWait(holder, 2);
        await Promise.all(running);
      } finally {
        holder.release();
      }
    }
  });

  it('cancels a failed delivery whose outcome is recorded after the deletion', async () => {
    const { customerId, deliveries } = await createDeliveriesInFlight();
    const deliveryProcessing = new DeliveryProcessingRepository(database, 1_000, transactions);
    let states: Promise<unknown> | undefined;
    await transactions.run(async (tx) => {
      await deleteCustomerIn(tx, customerId);
      states = deliveryProcessing.recordOutcomes(deliveries.map(createOutcome));
      await waitForLocks(1);
    });
    expect(await states).toEqual(deliveries.map(() => 'cancelled'));
  });
});
