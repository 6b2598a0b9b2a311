import pg from 'pg';
import { DataSource, getMetadataArgsStorage, type ColumnType, type DataSourceOptions } from 'typeorm';
import {
  errorMessage,
  splitHosts,
  VERSION,
  withTimeout,
  type Config,
  type Logger,
} from '@gatehouse/platform';
import { migrations } from '../migrations/index.js';
import { DatabaseHosts, type ParameterStatus } from './database-hosts.js';
import { poolerParameters, setSessionSql, type Timeouts } from './session-settings.js';
import { timeStatement, traceStatement } from './statement-spans.js';
import { markConnectionError, READ_ONLY } from './unavailable-error.js';

/**
 * Request timeouts that PostgreSQL applies, in ms. Together with `clientTimeouts`, their sum stays below 15 s
 * (requirement I7). Behind a pooler in transaction mode, they are role settings.
 */
export const SERVER_TIMEOUTS = {
  // Longer than the connection timeout: if transactions that wait for a lock occupy every connection, a request that
  // waits for a connection fails first, instead of getting one and waiting for the same lock.
  lock_timeout: 2_250,
  statement_timeout: 5_000,
  // Ends a transaction whose client no longer sends statements, so that it does not keep its locks.
  idle_in_transaction_session_timeout: 10_000,
};

/** Disables PostgreSQL's timeouts: migrations have their own limits (migration-run.ts), and LISTEN has none. */
const NO_TIMEOUTS: Timeouts = {
  lock_timeout: 0,
  statement_timeout: 0,
  idle_in_transaction_session_timeout: 0,
};

/** Request timeouts that pg applies, in ms. */
const clientTimeouts = {
  connectionTimeoutMillis: 2_000,
  // Applies if PostgreSQL hangs or the network drops packets. Does not cancel the statement in PostgreSQL.
  query_timeout: 6_000,
};

/**
 * TCP keep-alive for connections that wait without a time limit, for a long statement or a notification. It detects a
 * lost server.
 */
const keepAlive = { keepAlive: true, keepAliveInitialDelayMillis: 60_000 };

/**
 * Replica timeouts that pg applies, in ms. They are shorter, because a request that fails on the replica is repeated
 * on the primary, and the sum of all timeouts stays below 15 s.
 */
const replicaTimeouts = { connectionTimeoutMillis: 1_000, query_timeout: 4_000 };

/** Statement timeout that PostgreSQL applies on the replica, in ms. */
const REPLICA_STATEMENT_TIMEOUT = 3_000;

/** Maximum time for closing the connections, in ms. */
export const CLOSE_MS = 2_000;

/** The pg connection options, and the options in `Connection`. */
interface ConnectionConfig extends pg.ClientConfig {
  hosts?: DatabaseHosts | undefined;
  /** The session timeouts, in ms; null behind a pooler in transaction mode, where a session has no settings. */
  sessionTimeouts?: Timeouts | null;
  /** Receives each statement's duration in seconds. */
  observeStatement?: ((seconds: number) => void) | undefined;
}

/** Returns the parameters that pg sends when it connects. The pg types lack this method. */
const { getStartupConf } = pg.Client.prototype as unknown as { getStartupConf: () => object };

/**
 * A connection that applies the session settings (session-settings.ts). It has its own error listener, because the
 * pool attaches none while it passes the connection to TypeORM. Without a listener, an error message from
 * PostgreSQL, such as on shutdown, would end the process. The next statement on the connection reports the error.
 */
class Connection extends pg.Client {
  private readonly hosts: DatabaseHosts | undefined;
  private readonly sessionTimeouts: Timeouts | null;
  private readonly observeStatement: ConnectionConfig['observeStatement'];
  /** The server's major version. */
  private version = 0;

  constructor({ hosts, sessionTimeouts = null, observeStatement, ...config }: ConnectionConfig = {}) {
    super(config);
    this.hosts = hosts;
    this.sessionTimeouts = sessionTimeouts;
    this.observeStatement = observeStatement;
    this.on('error', () => undefined);
    this.connection.on('parameterStatus', ({ parameterName, parameterValue }: ParameterStatus) => {
      if (parameterName === 'server_version') this.version = Number.parseInt(parameterValue);
    });
    // After a failover, the connection may still go to the former primary, which is now a standby. The handler ends
    // the connection, so that the next one goes to the new primary. The statement receives its error before the
    // connection ends.
    this.connection.on('errorMessage', ({ code }: pg.DatabaseError) => {
      if (code !== READ_ONLY) return;
      this.hosts?.forget();
      setImmediate(() => void this.end());
    });
  }

  /** Connects, choosing a host if the database has several, and applies the session settings. */
  override connect(): Promise<pg.Client>;
  override connect(callback: (error: Error) => void): void;
  override connect(callback?: (error: Error) => void): Promise<pg.Client> | void {
    const connected = this.connectAndSet().catch((error: unknown) => {
      markConnectionError(error);
      throw error;
    });
    if (!callback) return connected;
    connected.then(() => callback(null as never), callback);
  }

  private async connectAndSet(): Promise<pg.Client> {
    if (this.hosts) await this.connectToHost(this.hosts);
    else await super.connect();
    if (!this.sessionTimeouts) return this;
    try {
      // A pooler in session mode would reject most of these settings as connection parameters.
      await (this.send([setSessionSql(this.sessionTimeouts, this.version)]) as Promise<unknown>);
      return this;
    } catch (error) {
      void this.end();
      throw error;
    }
  }

  private async connectToHost(hosts: DatabaseHosts): Promise<void> {
    const { host, port } = await hosts.choose();
    // The pool destroys the stream if a connection takes too long.
    if (this.connection.stream.destroyed) throw new Error('Connection terminated due to connection timeout');
    Object.assign(this, { host, port });
    try {
      await super.connect();
    } catch (error) {
      hosts.forget();
      throw error;
    }
  }

  /** Returns the parameters that pg sends when it connects. */
  protected getStartupConf(): object {
    return { ...getStartupConf.call(this), ...(this.sessionTimeouts ? {} : poolerParameters) };
  }

  /**
   * Sends all statements of one event loop turn in one system call, because the call costs more than the statements.
   */
  override query(...args: never[]): never {
    const { stream } = this.connection;
    stream.cork();
    process.nextTick(() => stream.uncork());
    const { observeStatement } = this;
    return traceStatement(this, args, (traced) =>
      observeStatement
        ? timeStatement(traced, (timed) => this.send(timed), observeStatement)
        : this.send(traced),
    );
  }

  /** Sends a statement. @param args arguments for pg's `query` method */
  protected send(args: unknown[]): never {
    return (super.query as (...values: unknown[]) => never)(...args);
  }
}

/**
 * A connection without prepared statements. A pooler in transaction mode would store them on a server connection,
 * and the next transaction might use a different one.
 */
class UnpreparedConnection extends Connection {
  protected override send([query, ...rest]: unknown[]): never {
    const isNamed = typeof query === 'object' && query !== null && 'name' in query;
    return super.send([isNamed ? { ...query, name: undefined } : query, ...rest]);
  }
}

/** A process's data source. An unresponsive PostgreSQL cannot delay the shutdown. */
class GatehouseDataSource extends DataSource {
  /** Closes the pool within two seconds. Does nothing if the pool is already closed. */
  override async destroy(): Promise<void> {
    await withTimeout(super.destroy(), CLOSE_MS, 'PostgreSQL did not close the connection in time').catch(
      () => undefined,
    );
  }
}

/** Creates a data source that is not connected yet. */
export function createDataSource(options: DataSourceOptions): DataSource {
  const source = new GatehouseDataSource(options);
  // TypeORM checks column types against this list, which lacks the type of events.xact.
  source.driver.supportedDataTypes.push('xid8' as ColumnType);
  return source;
}

/**
 * Returns the options for the pool that serves a process.
 * @param observeStatement receives each statement's duration in s
 */
export const poolOptions = (
  { database }: Config,
  logger: Logger,
  observeStatement?: ConnectionConfig['observeStatement'],
): DataSourceOptions =>
  dataSourceOptions(database.url!, logger, { ...servingOptions(database), observeStatement });

/** Returns the options for the pool that reads from the replica. */
export const replicaPoolOptions = ({ database }: Config, logger: Logger): DataSourceOptions =>
  dataSourceOptions(database.readUrl!, logger, {
    ...servingOptions(database),
    ...replicaTimeouts,
    sessionTimeouts:
      database.pooler === 'none'
        ? { ...SERVER_TIMEOUTS, statement_timeout: REPLICA_STATEMENT_TIMEOUT }
        : null,
  });

/** Returns the options for a pool that serves requests. */
const servingOptions = ({ pooler, pool }: Config['database']) => ({
  ...clientTimeouts,
  sessionTimeouts: pooler === 'none' ? SERVER_TIMEOUTS : null,
  Client: pooler === 'transaction' ? UnpreparedConnection : Connection,
  max: pool,
  idleTimeoutMillis: 30_000,
});

/**
 * Returns the options for two connections as the table owner, without a statement timeout. One runs migrations while
 * the other renews the lease.
 */
export const ownerConnectionOptions = ({ database }: Config, logger: Logger): DataSourceOptions =>
  dataSourceOptions(database.migrateUrl ?? database.url!, logger, {
    ...keepAlive,
    sessionTimeouts: isOwnerPooled(database) ? null : NO_TIMEOUTS,
    connectionTimeoutMillis: clientTimeouts.connectionTimeoutMillis,
    max: 2,
  });

/** Returns whether the connections as the table owner go through a pooler in transaction mode. */
export const isOwnerPooled = ({ pooler, migrateUrl }: Config['database']): boolean =>
  pooler !== 'none' && migrateUrl === null;

/** Creates a single connection outside all pools and poolers. It is not connected yet. */
export const createConnection = (url: string): pg.Client =>
  new Connection({ ...hostOptions(url), ...keepAlive, sessionTimeouts: NO_TIMEOUTS });

/** Returns the pg options that select the host: the first host, and the list of hosts if there are several. */
const hostOptions = (url: string) => ({
  connectionString: splitHosts(url)[0]!,
  hosts: DatabaseHosts.fromUrl(url),
});

/** Returns the options that all connections share. @param extra pg pool options */
const dataSourceOptions = (
  url: string,
  logger: Logger,
  extra: pg.PoolConfig & Pick<ConnectionConfig, 'observeStatement' | 'sessionTimeouts'>,
): DataSourceOptions => ({
  type: 'postgres',
  url: splitHosts(url)[0]!,
  // Includes every entity, because this library's entry point loads entities.ts.
  entities: getMetadataArgsStorage().tables.map(({ target }) => target),
  migrations,
  migrationsTableName: 'migrations',
  logging: false,
  poolErrorHandler: (error: unknown) =>
    logger.warn({ reason: errorMessage(error) }, 'database connection lost'),
  extra: {
    application_name: `gatehouse/${VERSION}`,
    Client: Connection,
    hosts: DatabaseHosts.fromUrl(url),
    pipeline: true,
    ...extra,
  },
});
