import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import {
  CustomersRepository,
  Database,
  DeliveryAnnouncer,
  DeliveryProcessingRepository,
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

/** Something that happens when it is told to. */
function signal() {
  let give!: () => void;
  const given = new Promise<void>((resolve) => (give = resolve));
  return { give, given };
}

describe('a unit of work', () => {
  const write = (tx: Tx, name: string) =>
    tx.query('INSERT INTO organizations (id, name, slug) VALUES ($1, $2, $2)', [randomUUID(), name]);
  const written = async (...names: string[]): Promise<number> =>
    (await instance.sql('SELECT FROM organizations WHERE name = ANY ($1)', [names])).length;

  /**
   * A unit that does not wait for a transaction in it, and then ends as `outcome` says.
   * @returns the error it ends with, and the order in which the transaction and the completion came
   */
  async function leaveBehind(
    outcome: () => void,
    late: (tx: Tx) => Promise<unknown>,
  ): Promise<{ error?: unknown; order: string[] }> {
    const [begun, left] = [signal(), signal()];
    const order: string[] = [];
    let straggler!: Promise<unknown>;
    const work = async () => {
      straggler = transactions.run(async (tx) => {
        begun.give();
        await left.given;
        // By the next turn of the event loop a unit that does not wait has gone on to complete or roll back.
        await setImmediate();
        order.push('late');
        return late(tx);
      });
      straggler.catch(() => undefined);
      await begun.given;
      left.give();
      outcome();
    };
    const complete = async (tx: Tx) => {
      order.push('completed');
      await write(tx, 'completed');
    };
    const error: unknown = await transactions
      .runAsUnitOfWork(work, complete)
      .catch((reason: unknown) => reason);
    await straggler.catch(() => undefined);
    return { error, order };
  }

  beforeEach(() => instance.sql(`DELETE FROM organizations WHERE name IN ('completed', 'late')`));

  it('rolls back what outlives its work, too', async () => {
    const fail = () => {
      throw new Error('mine');
    };
    const { error } = await leaveBehind(fail, (tx) => write(tx, 'late'));
    expect(error).toMatchObject({ message: 'mine' });
    expect(await written('late', 'completed')).toBe(0);
  });

  it('commits with what outlives its work, or not at all', async () => {
    const pass = () => undefined;
    const { order } = await leaveBehind(pass, (tx) => write(tx, 'late'));
    expect(order).toEqual(['late', 'completed']);
    expect(await written('late', 'completed')).toBe(2);
    await instance.sql(`DELETE FROM organizations WHERE name IN ('completed', 'late')`);
    const failed = await leaveBehind(pass, () => Promise.reject(new Error('straggled')));
    expect(failed).toMatchObject({ error: { message: 'straggled' }, order: ['late'] });
    expect(await written('completed')).toBe(0);
  });
});

describe('the entity manager', () => {
  const startImport = () => ({
    id: randomUUID(),
    projectId: instance.credentials.projectId,
    claim: randomUUID(),
  });
  const progress = { lastLine: 5, linesMac: null, results: [] };

  it('reads inside a unit of work what the unit has written', async () => {
    const imports = new ImportsRepository(database);
    const started = startImport();
    const work = async () => {
      await transactions.run(async (tx) => {
        await imports.claim(tx, started, instance.credentials.organizationId, 0);
        await imports.recordProgress(tx, started, progress);
      });
      return imports.getProgress(started);
    };
    const reachedInside: number[] = [];
    const undo = transactions.runAsUnitOfWork(work, async (tx, { lastLine }) => {
      reachedInside.push(lastLine);
      await imports.finish(tx, started, 'completed');
      throw new Error('mine');
    });
    await expect(undo).rejects.toThrow('mine');
    expect(reachedInside).toEqual([5]);
    expect(await imports.getProgress(started)).toMatchObject({ lastLine: 0 });
  });

  it('throws unavailable without a connection, and when a lock is not granted in time', async () => {
    const config = loadConfig(instance.env);
    const unconnected = new Database(config, createLogger({ logLevel: 'silent' }, 'test'));
    const isUnavailable = { code: 'unavailable' };
    await expect(new ImportsRepository(unconnected).getProgress(startImport())).rejects.toMatchObject(
      isUnavailable,
    );
    const holder = await instance.db.connect();
    try {
      await holder.query('BEGIN; LOCK TABLE imports');
      const imports = new ImportsRepository(database);
      await expect(imports.getProgress(startImport())).rejects.toMatchObject(isUnavailable);
      const finish = transactions.run((tx) => imports.finish(tx, startImport(), 'completed'));
      await expect(finish).rejects.toMatchObject(isUnavailable);
    } finally {
      await holder.query('ROLLBACK');
      holder.release();
    }
  });
});

describe('a customer who is deleted while outcomes of their deliveries are written', () => {
  interface InFlight {
    id: string;
    attemptId: string;
  }

  const closed = ({ id, attemptId }: InFlight) => ({
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

  /** A customer with deliveries in flight, by id. */
  async function inFlight(): Promise<{ customerId: string; deliveries: InFlight[] }> {
    const { id: customerId } = await registerCustomer(instance);
    const deliveries = await instance.sql<InFlight>(
      `UPDATE deliveries d SET attempt = 1, started_at = now(), lease_until = now() + interval '1 hour',
         next_attempt_at = NULL, attempt_id = (left(d.id::text, 15) || substr(gen_random_uuid()::text, 16))::uuid
       FROM events e WHERE e.id = d.event_id AND e.customer_id = $1 RETURNING d.id, d.attempt_id AS "attemptId"`,
      [customerId],
    );
    return { customerId, deliveries: deliveries.sort((a, b) => (a.id < b.id ? -1 : 1)) };
  }

  const waiting = (count: number) =>
    eventually(`${count} waiting`, async () => {
      const rows = await instance.sql(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      return rows.length === count;
    });

  const removeIn = (tx: Tx, customerId: string) =>
    new CustomersRepository(database).delete(tx, instance.credentials.projectId, customerId);
  const remove = (customerId: string) => transactions.run((tx) => removeIn(tx, customerId));

  beforeAll(async () => {
    await instance.createEndpoint('http://127.0.0.1:9/');
    const { customerId, deliveries } = await inFlight();
    await remove(customerId);
    // As many as an instance has: the planner goes through the rows of a small table in their order anyway.
    await instance.sql(
      `INSERT INTO deliveries (id, organization_id, project_id, event_id, event_type, endpoint_id, target_url, state)
       SELECT gen_random_uuid(), organization_id, project_id, event_id, event_type, endpoint_id, target_url, 'succeeded'
       FROM deliveries, generate_series(1, 20000) WHERE id = $1`,
      [deliveries[0]!.id],
    );
    await instance.sql('ANALYZE deliveries');
  });

  it('both take the rows in one order and neither fails, whoever comes first', async () => {
    for (const isDeletedFirst of [true, false]) {
      const { customerId, deliveries } = await inFlight();
      expect(deliveries.length).toBeGreaterThan(1);
      const work = new DeliveryProcessingRepository(database, 1_000, transactions);
      // In the order opposite to that of their ids.
      const close = () => work.recordOutcomes(deliveries.toReversed().map(closed));
      const [first, second] = isDeletedFirst
        ? [() => remove(customerId), close]
        : [close, () => remove(customerId)];
      const holder = await instance.db.connect();
      try {
        await holder.query('BEGIN');
        await holder.query('SELECT FROM deliveries WHERE id = $1 FOR UPDATE', [deliveries[0]!.id]);
        const running = [first()];
        await waiting(1);
        running.push(second());
        await commitWhenOthersWait(holder, 2);
        await Promise.all(running);
      } finally {
        holder.release();
      }
    }
  });

  it('a failure that had to wait for the delete is not tried again', async () => {
    const { customerId, deliveries } = await inFlight();
    const work = new DeliveryProcessingRepository(database, 1_000, transactions);
    let states: Promise<unknown> | undefined;
    await transactions.run(async (tx) => {
      await removeIn(tx, customerId);
      states = work.recordOutcomes(deliveries.map(closed));
      await waiting(1);
    });
    expect(await states).toEqual(deliveries.map(() => 'cancelled'));
  });
});
