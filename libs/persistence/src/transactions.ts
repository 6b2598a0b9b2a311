import type { EntityManager, QueryRunner } from 'typeorm';
import type { PostgresQueryRunner } from 'typeorm/driver/postgres/PostgresQueryRunner.js';
import { unavailable } from '#domain';
import type { Failpoints } from '#platform';
import { databaseFault } from './database-faults.js';
import {
  preparedStatement,
  runSql,
  type Database,
  type PgQueryable,
  type Sql,
  type UnitOfWork,
} from './database.js';
import type { DeliveryAnnouncer } from './webhooks/delivery-announcer.js';

/** A transaction under way. Repository methods that must be part of one take it as their first argument. */
export class Tx implements Sql {
  /** Deliveries made in this transaction, to be announced once it has committed. */
  readonly newDeliveryIds: string[] = [];

  constructor(
    readonly manager: EntityManager,
    readonly connection: PgQueryable,
  ) {}

  query<Row>(sql: string, parameters?: unknown[]): Promise<Row[]> {
    return runSql<Row>(this.connection, { text: sql, values: parameters });
  }

  prepared<Row>(sql: string, parameters?: unknown[]): Promise<Row[]> {
    return runSql<Row>(this.connection, preparedStatement(sql, parameters));
  }
}

/** An open transaction, with the connection that it holds. */
interface OpenTransaction {
  tx: Tx;
  runner: QueryRunner;
}

interface OpenUnit extends UnitOfWork {
  open?: Promise<OpenTransaction>;
  isOver: boolean;
}

/** The only way to open a transaction: what commits in it is announced afterwards. */
export class Transactions {
  constructor(
    private readonly database: Database,
    private readonly announcer: DeliveryAnnouncer,
    private readonly failpoints: Failpoints,
  ) {}

  /**
   * Runs `work` in one transaction. Slow and foreign work stays outside of it.
   * @throws GatehouseError `unavailable` when the database is away; whatever `work` throws, after the rollback
   */
  async run<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> {
    const unit = this.database.units.getStore() as OpenUnit | undefined;
    if (unit && !unit.isOver) return work((await this.openIn(unit)).tx);
    const open = await this.open();
    return this.finish(open, () => work(open.tx));
  }

  /** Runs `work` in a transaction of its own, also within a unit of work: for what must not be undone with it. */
  apart<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> {
    const none: OpenUnit = { isOver: true };
    return this.database.units.run(none, () => this.run(work));
  }

  /**
   * Runs `work` so that all its transactions commit as one, together with what `complete` makes of its result.
   * The transaction opens with the first of them, so that work before it holds no connection.
   */
  async runAsOne<Result>(
    work: () => Promise<Result>,
    complete: (tx: Tx, result: Result) => Promise<void>,
  ): Promise<Result> {
    const unit: OpenUnit = { isOver: false };
    try {
      const result = await this.database.units.run(unit, work);
      const open = await this.openIn(unit);
      endUnit(unit);
      return await this.finish(open, async () => {
        await complete(open.tx, result);
        return result;
      });
    } catch (error) {
      // Over already when it was `finish` that failed.
      if (unit.open && !unit.isOver) await rollback(await unit.open);
      endUnit(unit);
      throw databaseFault(error) ?? error;
    }
  }

  private openIn(unit: OpenUnit): Promise<OpenTransaction> {
    unit.open ??= this.open().then((open) => {
      unit.connection = open.tx.connection;
      return open;
    });
    return unit.open;
  }

  private async open(): Promise<OpenTransaction> {
    if (!this.database.connected) throw unavailable();
    const runner = this.database.source.createQueryRunner() as PostgresQueryRunner;
    try {
      const connection = (await runner.connect()) as PgQueryable;
      await runner.startTransaction();
      return { tx: new Tx(runner.manager, connection), runner };
    } catch (error) {
      await runner.release().catch(() => undefined);
      throw databaseFault(error) ?? error;
    }
  }

  private async finish<Result>(open: OpenTransaction, work: () => Promise<Result>): Promise<Result> {
    const { tx, runner } = open;
    let result: Result;
    try {
      result = await work();
      this.failpoints.hit('transaction.before-commit');
      await runner.commitTransaction();
    } catch (error) {
      await rollback(open);
      throw databaseFault(error) ?? error;
    }
    await runner.release();
    if (tx.newDeliveryIds.length > 0) {
      this.failpoints.hit('delivery.before-enqueue');
      await this.announcer.announce(tx.newDeliveryIds);
    }
    return result;
  }
}

/** Whoever comes later, such as work that nobody waited for, opens a transaction of their own. */
function endUnit(unit: OpenUnit): void {
  unit.isOver = true;
  unit.connection = undefined;
}

async function rollback({ runner }: OpenTransaction): Promise<void> {
  // A connection that is gone has rolled back by itself.
  if (runner.isTransactionActive) await runner.rollbackTransaction().catch(() => undefined);
  await runner.release().catch(() => undefined);
}
