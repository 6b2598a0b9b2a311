import type pg from 'pg';
import type { EntityManager, QueryRunner } from 'typeorm';
import type { PostgresQueryRunner } from 'typeorm/driver/postgres/PostgresQueryRunner.js';
import { GatehouseError, unavailable } from '@gatehouse/domain';
import { Batcher, type DeliveryPointer, type Failpoints } from '@gatehouse/platform';
import { toUnavailableError } from './unavailable-error.js';
import type { Database, ReadManager, Sql, UnitOfWork } from './database.js';
import { Outbox, outboxValues, writeOutbox } from './outbox.js';
import { runQuery, runStatement, type PgQueryable, type StatementCall } from './run-statement.js';

/**
 * A transaction's entity manager, limited to methods that run one statement each. `save` and `remove` would
 * first read the rows that they write. `query` is excluded, because SQL must be declared (statements.ts).
 */
export type TransactionManager = ReadManager & Pick<EntityManager, 'create' | 'delete' | 'insert' | 'update'>;

/** An open transaction. Repository methods that must run in a transaction take it as their first argument. */
export class Tx implements Sql {
  /** Events and audit entries that are written with the COMMIT. */
  readonly outbox = new Outbox();
  /** Deliveries created in this transaction, announced after it has committed. */
  readonly newDeliveries: DeliveryPointer[] = [];
  /** Callbacks that run after the transaction has committed. They must not throw. */
  readonly afterCommit: (() => void)[] = [];

  /** The pending START TRANSACTION, once it has been sent. */
  private started: Promise<unknown> | undefined;
  /** Statements that are awaited with the COMMIT. */
  private readonly unawaited: Promise<unknown>[] = [];

  constructor(
    private readonly runner: QueryRunner,
    private readonly client: pg.Client,
  ) {}

  get manager(): TransactionManager {
    this.start();
    return this.runner.manager;
  }

  get connection(): PgQueryable {
    this.start();
    return this.client;
  }

  /** False if no statement was sent, so that at most the outbox remains to be written. */
  get isStarted(): boolean {
    return this.started !== undefined;
  }

  /** START TRANSACTION and the statements that are awaited with the COMMIT, in order. */
  get pending(): Promise<unknown>[] {
    return [this.started ?? Promise.resolve(), ...this.unawaited];
  }

  execute<Row>(...call: StatementCall<Row>): Promise<Row[]> {
    return runStatement(() => this.connection, call);
  }

  /**
   * Awaits a statement with the COMMIT, so that both are sent in one round trip. If it fails, nothing is committed,
   * and the transaction throws its error.
   */
  awaitWithCommit(statement: Promise<unknown>): void {
    statement.catch(() => undefined);
    this.unawaited.push(statement);
  }

  /**
   * Writes the outbox before the COMMIT, for changes that need the deliveries for their events. If the transaction
   * has not started, PostgreSQL commits the statement separately.
   */
  async writeOutbox(): Promise<void> {
    if (this.outbox.isEmpty) return;
    const rows = await runStatement(() => this.client, [writeOutbox, this.outbox.take()]);
    this.newDeliveries.push(...rows);
  }

  /** Starts the transaction together with its first statement. If the start fails, so does the statement. */
  private start(): void {
    if (this.started) return;
    this.started = runQuery(this.client, { text: 'START TRANSACTION' });
    this.started.catch(() => undefined);
  }
}

/** Announces deliveries that a transaction has committed. Never throws. */
export interface CommitAnnouncer {
  announce(deliveries: DeliveryPointer[]): Promise<void>;
}

/** An open transaction with its connection. */
interface OpenTransaction {
  tx: Tx;
  connection: pg.Client;
  runner: QueryRunner;
}

interface OpenUnitOfWork extends UnitOfWork {
  transaction?: Promise<OpenTransaction>;
  /** The work in the unit, including work that the caller does not await. */
  readonly work: Promise<unknown>[];
  isFinished: boolean;
}

/**
 * A transaction that cannot be rolled back within a second loses its connection, which also rolls it back.
 */
const ROLLBACK = { text: 'ROLLBACK', query_timeout: 1_000 };

/** Maximum number of outboxes per statement. With 64 KiB bodies, this is about 3 MB. */
const MAX_OUTBOXES = 50;

/** The only way to open a transaction. Announces the new deliveries after the commit. */
export class Transactions {
  /** Batches the outboxes of concurrent transactions that consist of nothing else. */
  private readonly outboxes = new Batcher<Outbox, DeliveryPointer[]>(
    (outboxes) => this.writeTogether(outboxes),
    { maxBatchSize: MAX_OUTBOXES },
  );

  constructor(
    private readonly database: Database,
    private readonly announcer: CommitAnnouncer,
    private readonly failpoints: Failpoints,
  ) {}

  /**
   * Runs `work` in a separate transaction, which commits even if the surrounding unit of work fails. Slow work and
   * calls to other systems must stay outside.
   * @throws GatehouseError `unavailable` if the database is unavailable; every error from `work`, after the
   * rollback
   */
  run<Result>(work: (tx: Tx) => Promise<Result> | Result): Promise<Result> {
    return this.database.unitOfWorkStorage.run(undefined, async () => {
      const open = await this.open();
      return this.runAndCommit(open, async () => work(open.tx));
    });
  }

  /**
   * Runs `work` in the current unit's transaction, or like `run` if there is no unit (ADR 0111).
   * @throws GatehouseError like `run`
   */
  join<Result>(work: (tx: Tx) => Promise<Result> | Result): Promise<Result> {
    const unit = this.database.unitOfWorkStorage.getStore() as OpenUnitOfWork | undefined;
    if (!unit || unit.isFinished) return this.run(work);
    const joined = this.openInUnit(unit).then(({ tx }) => work(tx));
    unit.work.push(joined);
    return joined;
  }

  /**
   * Runs `work` as a unit: all changes that join it commit together, with the changes from `complete`. The
   * transaction opens with the first `join`, so that earlier work holds no connection. The unit also awaits each
   * `join` that `work` does not await. If such a `join` fails, nothing is committed.
   */
  async runAsUnitOfWork<Result>(
    work: () => Promise<Result>,
    complete: (tx: Tx, result: Result) => Promise<void>,
  ): Promise<Result> {
    const unit: OpenUnitOfWork = { work: [], isFinished: false };
    try {
      const result = await this.database.unitOfWorkStorage.run(unit, work);
      const open = await this.openInUnit(unit);
      const failed = await finishUnit(unit);
      return await this.runAndCommit(open, async () => {
        if (failed) throw failed.reason;
        await complete(open.tx, result);
        return result;
      });
    } catch (error) {
      // The unit is already finished if `complete` or the commit failed.
      if (!unit.isFinished) {
        await finishUnit(unit);
        await unit.transaction?.then(rollback, () => undefined);
      }
      throw toUnavailableError(error) ?? error;
    }
  }

  private openInUnit(unit: OpenUnitOfWork): Promise<OpenTransaction> {
    unit.transaction ??= this.open().then((open) => {
      unit.connection = open.connection;
      unit.manager = open.runner.manager;
      return open;
    });
    return unit.transaction;
  }

  private async open(): Promise<OpenTransaction> {
    if (!this.database.isConnected) throw unavailable();
    const runner = this.database.currentSource.createQueryRunner() as PostgresQueryRunner;
    try {
      const connection = (await runner.connect()) as pg.Client;
      return { tx: new Tx(runner, connection), connection, runner };
    } catch (error) {
      throw toUnavailableError(error) ?? error;
    }
  }

  /** Writes the outbox for a transaction that has not started, without its connection. */
  private async writeOnlyOutbox({ tx, runner }: OpenTransaction): Promise<void> {
    if (tx.outbox.isEmpty) return;
    await runner.release();
    tx.newDeliveries.push(...(await this.outboxes.add(tx.outbox)));
  }

  /**
   * Writes several outboxes with one statement. If it fails, writes each one separately, so that one failing outbox
   * does not affect the others.
   * @returns each outbox's deliveries, or its error
   */
  private async writeTogether(outboxes: Outbox[]): Promise<(DeliveryPointer[] | Error)[]> {
    try {
      const rows = await this.database.execute(writeOutbox, outboxValues(outboxes));
      const deliveries = outboxes.map((): DeliveryPointer[] => []);
      const byEvent = new Map(
        outboxes.flatMap(({ events }, index) => events.map(({ id }) => [id, deliveries[index]!])),
      );
      for (const row of rows) byEvent.get(row.eventId)!.push(row);
      return deliveries;
    } catch (error) {
      if (outboxes.length === 1 || error instanceof GatehouseError) throw error;
      const alone = await Promise.allSettled(outboxes.map((outbox) => this.writeTogether([outbox])));
      return alone.map((result) =>
        result.status === 'fulfilled' ? result.value[0]! : (result.reason as Error),
      );
    }
  }

  private async runAndCommit<Result>(open: OpenTransaction, work: () => Promise<Result>): Promise<Result> {
    const { tx, runner } = open;
    let result: Result;
    try {
      result = await work();
      if (tx.outbox.events.length > 0) this.failpoints.hit('delivery.before-commit');
      if (tx.isStarted) await commit(open);
      else await this.writeOnlyOutbox(open);
    } catch (error) {
      const cause = await throwFirstError(tx.pending).catch((first: unknown) => first);
      await rollback(open);
      throw toUnavailableError(cause ?? error) ?? cause ?? error;
    }
    await runner.release();
    for (const handle of tx.afterCommit) handle();
    if (tx.newDeliveries.length > 0) {
      this.failpoints.hit('delivery.before-enqueue');
      await this.announcer.announce(tx.newDeliveries);
    }
    return result;
  }
}

/**
 * Waits for all work in a unit, because work that used the connection afterwards would write outside the
 * transaction. A `join` after this opens a separate transaction.
 * @returns the first rejected work, if any
 */
async function finishUnit(unit: OpenUnitOfWork): Promise<PromiseRejectedResult | undefined> {
  let results: PromiseSettledResult<unknown>[];
  do results = await Promise.allSettled(unit.work);
  while (results.length < unit.work.length);
  unit.isFinished = true;
  unit.connection = undefined;
  unit.manager = undefined;
  return results.find((result) => result.status === 'rejected');
}

/** Writes the outbox and commits, in one round trip. */
async function commit({ tx, connection }: OpenTransaction): Promise<void> {
  const outbox = tx.writeOutbox();
  const committed = connection.query('COMMIT').then(({ command }) => {
    // COMMIT reports no error for a transaction in which a statement has failed.
    if (command !== 'COMMIT') throw new Error('transaction rolled back, because a statement had failed');
  });
  await throwFirstError([...tx.pending, outbox, committed]);
}

/** Waits for all statements. @throws the error of the first one that failed, which may have caused the others */
async function throwFirstError(statements: Promise<unknown>[]): Promise<void> {
  const failed = (await Promise.allSettled(statements)).find(({ status }) => status === 'rejected');
  if (failed) throw (failed as PromiseRejectedResult).reason;
}

async function rollback({ tx, connection, runner }: OpenTransaction): Promise<void> {
  // If the rollback fails, the connection is lost, or the response to an earlier statement is still outstanding.
  // The next user of the connection would wait for that response. The connection is therefore ended, so that it
  // does not return to the pool.
  if (tx.isStarted) await connection.query(ROLLBACK).catch(() => void connection.end());
  await runner.release();
}
