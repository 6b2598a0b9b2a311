import { AsyncLocalStorage } from 'node:async_hooks';
import { DataSource, type ColumnType } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import pg from 'pg';
import { unavailable } from '#domain';
import {
  errorCode,
  errorMessage,
  monotonicMs,
  sleep,
  withTimeout,
  type Config,
  type Logger,
} from '#platform';
import { entities } from './entities.js';
import { databaseFault } from './database-faults.js';
import { migrations } from './migrations/index.js';

/**
 * Whoever can run SQL: the pool, or a transaction. Both return the rows, of INSERT, UPDATE and DELETE those of
 * RETURNING, and throw GatehouseError `unavailable` when the database is away or did not answer in time.
 */
export interface Sql {
  /** Runs a statement whose text depends on the call, such as a filtered list. */
  query<Row>(sql: string, parameters?: unknown[]): Promise<Row[]>;
  /**
   * Runs a statement whose text never changes. Each connection parses and plans it once, which is worth a
   * quarter of the requests per second on the hot path.
   */
  prepared<Row>(sql: string, parameters?: unknown[]): Promise<Row[]>;
}

/** What runs statements in pg: a pool, or the connection of a transaction. */
export type PgQueryable = Pick<pg.Pool, 'query'>;

/** A request whose transactions commit as one, and the connection they run on while it is open. */
export interface UnitOfWork {
  connection?: PgQueryable | undefined;
}

/** What a request may wait for, in ms; all of it together stays below 15 s (requirement I7). */
const limits = {
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

const CLOSE_MS = 2_000;

/** While PostgreSQL cannot be reached at startup, one line per minute is logged. */
const UNREACHABLE_LOG_MS = 60_000;

/** Returns host, port and the URL without its password, for the log. */
function describeTarget(databaseUrl: string): Record<string, string> {
  if (!URL.canParse(databaseUrl)) return {};
  const url = new URL(databaseUrl);
  if (url.password) url.password = '***';
  // Query parameters can contain a password as well.
  url.search = '';
  return { setting: 'DATABASE_URL', url: url.href, host: url.hostname, port: url.port || '5432' };
}

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

/** The connection pool. It connects in the background, so that a process can say it is waiting. */
export class Database implements Sql {
  readonly source: DataSource;
  /** The unit of work that the code at hand is part of; what it reads, it reads inside of it. */
  readonly units = new AsyncLocalStorage<UnitOfWork>();
  private listener: pg.Client | undefined;
  private closed = false;

  constructor(
    private readonly config: Config,
    private readonly logger: Logger,
  ) {
    this.source = this.newSource({ ...limits, max: config.database.pool, idleTimeoutMillis: 30_000 });
  }

  /** Whether the pool has connected once; after that the pool mends itself. */
  get connected(): boolean {
    return this.source.isInitialized;
  }

  /** Connections of the pool, and work that waits for one; null before there is a pool. */
  poolUse(): { busy: number; idle: number; waiting: number } | null {
    if (!this.connected) return null;
    const { totalCount, idleCount, waitingCount } = (this.source.driver as PostgresDriver).master as pg.Pool;
    return { busy: totalCount - idleCount, idle: idleCount, waiting: waitingCount };
  }

  /** Retries until PostgreSQL is reachable. @throws Error when it rejects the connection for another reason */
  async connect(): Promise<void> {
    let loggedAt = -Infinity;
    for (let pause = 100; !this.closed; pause = Math.min(2 * pause, 2_000)) {
      try {
        await this.source.initialize();
        return;
      } catch (error) {
        if (!databaseFault(error)) throw error;
        if (monotonicMs() - loggedAt >= UNREACHABLE_LOG_MS) {
          loggedAt = monotonicMs();
          const reason = { reason: errorMessage(error), code: errorCode(error) };
          this.logger.warn(
            { ...describeTarget(this.config.database.url!), ...reason },
            'database unreachable, retrying',
          );
        }
        await sleep(pause);
      }
    }
  }

  /** Gives `work` a connection of its own, on which a statement may take as long as it needs. */
  async withoutLimits<Result>(work: (source: DataSource) => Promise<Result>): Promise<Result> {
    const source = await this.newSource({
      connectionTimeoutMillis: limits.connectionTimeoutMillis,
      max: 1,
    }).initialize();
    try {
      return await work(source);
    } finally {
      await source.destroy();
    }
  }

  async query<Row>(sql: string, parameters?: unknown[]): Promise<Row[]> {
    return runSql<Row>(this.pool(), { text: sql, values: parameters });
  }

  async prepared<Row>(sql: string, parameters?: unknown[]): Promise<Row[]> {
    return runSql<Row>(this.pool(), preparedStatement(sql, parameters));
  }

  /** Past TypeORM, which knows no prepared statements and takes longer than the statement itself. */
  private pool(): PgQueryable {
    const unit = this.units.getStore();
    if (unit?.connection) return unit.connection;
    if (!this.connected) throw unavailable();
    return (this.source.driver as PostgresDriver).master as pg.Pool;
  }

  /**
   * Calls back for every NOTIFY on the channel, over a connection of its own that is renewed when it breaks.
   * Notifications sent meanwhile are lost, so they can only ever be hints.
   */
  async listen(channel: string, handle: () => void): Promise<void> {
    while (!this.closed) {
      const client = new pg.Client({ connectionString: this.config.database.url!, keepAlive: true });
      const ended = new Promise<void>((resolve) => client.once('end', resolve).on('error', () => resolve()));
      try {
        await client.connect();
        client.on('notification', handle);
        await client.query(`LISTEN ${channel}`);
        this.listener = client;
        handle();
        await ended;
      } catch (error) {
        this.logger.debug({ reason: errorMessage(error) }, 'database listen failed');
      }
      await client.end().catch(() => undefined);
      await sleep(1_000);
    }
  }

  /** Lets go of every connection, at the latest after two seconds of silence on the other side. */
  async close(): Promise<void> {
    this.closed = true;
    const ended = Promise.all([this.listener?.end(), this.connected && this.source.destroy()]);
    await withTimeout(ended, CLOSE_MS, 'PostgreSQL did not close the connection in time').catch(
      () => undefined,
    );
  }

  /** @param extra options of pg's pool */
  private newSource(extra: pg.PoolConfig): DataSource {
    const source = new DataSource({
      type: 'postgres',
      url: this.config.database.url!,
      entities,
      migrations,
      migrationsTableName: 'migrations',
      logging: false,
      poolErrorHandler: (error: unknown) =>
        this.logger.warn({ reason: errorMessage(error) }, 'database connection lost'),
      extra: { application_name: 'gatehouse', Client: Connection, ...extra },
    });
    // TypeORM checks column types against this list, which lacks the type of events.xact.
    source.driver.supportedDataTypes.push('xid8' as ColumnType);
    return source;
  }
}

const statementNames = new Map<string, string>();

/** The statement under a name of its own, by which each connection keeps its plan. */
export function preparedStatement(text: string, values: unknown[] | undefined): pg.QueryConfig {
  const name = statementNames.get(text) ?? `gatehouse_${statementNames.size}`;
  statementNames.set(text, name);
  return { name, text, values };
}

/** Runs one statement and makes its faults ours. */
export async function runSql<Row>(client: PgQueryable, statement: pg.QueryConfig): Promise<Row[]> {
  try {
    return (await client.query(statement)).rows as Row[];
  } catch (error) {
    throw databaseFault(error) ?? error;
  }
}
