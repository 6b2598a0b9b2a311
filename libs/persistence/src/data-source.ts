import pg from 'pg';
import { DataSource, type ColumnType, type DataSourceOptions } from 'typeorm';
import { errorMessage, withTimeout, type Config, type Logger } from '@gatehouse/platform';
import { entities } from './entities.js';
import { migrations } from './migrations/index.js';

/** What a request may wait for, in ms; all of it together stays below 15 s (requirement I7). */
const timeouts = {
  connectionTimeoutMillis: 2_000,
  // Longer than the wait for a connection: where a lock keeps all of them, whoever waits for one is refused first,
  // and does not get it for a second wait of the same kind.
  lock_timeout: 2_250,
  statement_timeout: 5_000,
  // pg's own clock, for a PostgreSQL that hangs or a network that swallows: they end no statement.
  query_timeout: 6_000,
  // The other side of it: whoever fell silent within a transaction must not keep its locks.
  idle_in_transaction_session_timeout: 10_000,
};

/** The longest time that closing the connections may take, in ms. */
export const CLOSE_MS = 2_000;

/**
 * A connection that ends no process. While it passes from the pool to TypeORM nobody listens to it, and what PostgreSQL
 * says then, such as that it shuts down, would be an uncaught error. Whoever uses it hears of it from their statement.
 */
class Connection extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    this.on('error', () => undefined);
  }
}

/** The data source of a process. A PostgreSQL that does not respond cannot delay its end. */
class GatehouseDataSource extends DataSource {
  /** Closes the pool within two seconds. A pool that is closed already is left as it is. */
  override async destroy(): Promise<void> {
    await withTimeout(super.destroy(), CLOSE_MS, 'PostgreSQL did not close the connection in time').catch(
      () => undefined,
    );
  }
}

/** Creates a data source, which is not connected yet. */
export function createDataSource(options: DataSourceOptions): DataSource {
  const source = new GatehouseDataSource(options);
  // TypeORM checks column types against this list, which lacks the type of events.xact.
  source.driver.supportedDataTypes.push('xid8' as ColumnType);
  return source;
}

/** Returns the options of the pool that serves a process. */
export const poolOptions = (config: Config, logger: Logger): DataSourceOptions =>
  dataSourceOptions(config, logger, { ...timeouts, max: config.database.pool, idleTimeoutMillis: 30_000 });

/** Returns the options of a single connection on which statements have no time limit. */
export const singleConnectionOptions = (config: Config, logger: Logger): DataSourceOptions =>
  dataSourceOptions(config, logger, { connectionTimeoutMillis: timeouts.connectionTimeoutMillis, max: 1 });

/** @param extra options of pg's pool */
const dataSourceOptions = (config: Config, logger: Logger, extra: pg.PoolConfig): DataSourceOptions => ({
  type: 'postgres',
  url: config.database.url!,
  entities,
  migrations,
  migrationsTableName: 'migrations',
  logging: false,
  poolErrorHandler: (error: unknown) =>
    logger.warn({ reason: errorMessage(error) }, 'database connection lost'),
  extra: { application_name: 'gatehouse', Client: Connection, ...extra },
});
