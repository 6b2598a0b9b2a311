import type { EntityManager } from 'typeorm';
import type { PostgresQueryRunner } from 'typeorm/driver/postgres/PostgresQueryRunner.js';
import { unavailable } from '#domain';
import type { Failpoints } from '#platform';
import { databaseFault } from './database-faults.js';
import { preparedStatement, runSql, type Database, type PgQueryable, type Sql } from './database.js';
import type { DeliveryAnnouncer } from './webhooks/delivery-announcer.js';

/** A transaction under way. Repository methods that must be part of one take it as their first argument. */
export class Tx implements Sql {
  /** Deliveries made in this transaction, to be announced once it has committed. */
  readonly newDeliveryIds: string[] = [];

  constructor(
    readonly manager: EntityManager,
    private readonly connection: PgQueryable,
  ) {}

  query<Row>(sql: string, parameters?: unknown[]): Promise<Row[]> {
    return runSql<Row>(this.connection, { text: sql, values: parameters });
  }

  prepared<Row>(sql: string, parameters?: unknown[]): Promise<Row[]> {
    return runSql<Row>(this.connection, preparedStatement(sql, parameters));
  }
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
    if (!this.database.connected) throw unavailable();
    let newDeliveryIds: string[] = [];
    const result = await this.database.source
      .transaction(async (manager) => {
        const connection = (await (manager.queryRunner as PostgresQueryRunner).connect()) as PgQueryable;
        const tx = new Tx(manager, connection);
        const value = await work(tx);
        newDeliveryIds = tx.newDeliveryIds;
        this.failpoints.hit('transaction.before-commit');
        return value;
      })
      .catch((error: unknown) => {
        throw databaseFault(error) ?? error;
      });
    if (newDeliveryIds.length > 0) {
      this.failpoints.hit('delivery.before-enqueue');
      await this.announcer.announce(newDeliveryIds);
    }
    return result;
  }
}
