// This file contains SQL: whether the database accepts writes, and settings of the current role.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { DataSource, EntityManager } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import type pg from 'pg';
import { unavailable } from '@gatehouse/domain';
import {
  errorCode,
  errorMessage,
  monotonicMs,
  sha256,
  sleep,
  splitHosts,
  withTimeout,
  type Config,
  type Logger,
} from '@gatehouse/platform';
import {
  CLOSE_MS,
  createConnection,
  createDataSource,
  ownerConnectionOptions,
  poolOptions,
  SERVER_TIMEOUTS,
} from './data-source.js';
import { migrationRun } from './migration-run.js';
import { withCurrentTrace } from './statement-spans.js';
import { READ_ONLY, toUnavailableError } from './unavailable-error.js';
import { boolean, statement, type BoundStatement, type Statement } from './statements.js';

/**
 * Runs SQL: the pool or a transaction. Both return rows, for INSERT, UPDATE and DELETE those of RETURNING,
 * and throw GatehouseError `unavailable` if the database is unavailable or does not respond in time.
 */
export interface Sql {
  /** Runs a declared statement. */
  execute<Row>(...call: StatementCall<Row>): Promise<Row[]>;
}

/** A declared statement with its values. */
export type StatementCall<Row> =
  | [statement: Statement<Row>, values?: unknown[]]
  | [statement: BoundStatement<Row>];

/** The part of pg that runs statements: a pool, or the connection of a transaction. */
export type PgQueryable = Pick<pg.Pool, 'query'>;

/** A request whose transactions commit as one, with their connection while it is open. */
export interface UnitOfWork {
  connection?: PgQueryable | undefined;
  manager?: EntityManager | undefined;
}

/** The methods of the entity manager that read with one statement. */
export type ReadManager = Pick<
  EntityManager,
  'countBy' | 'exists' | 'existsBy' | 'find' | 'findBy' | 'findOne' | 'findOneBy'
>;

/** Minimum time in ms between two log messages while a start waits for PostgreSQL. */
const WAITING_LOG_MS = 60_000;

/** A standby, or a server or database that was set to read-only. */
const findReadOnly = statement(
  { isReadOnly: boolean },
  `SELECT current_setting('transaction_read_only') = 'on' AS "isReadOnly"`,
);

/** The advisory lock while a process changes the settings of its role, because two at the same time would fail. */
const ROLE_SETTINGS_LOCK = 7_120_919;

/** Returns the statements that set the timeouts $1, which are strings such as `lock_timeout=2250`, where they differ. */
const DIFFERING_TIMEOUTS = `
  SELECT format('ALTER ROLE CURRENT_USER IN DATABASE %I SET %s', current_database(), timeout) AS sql
  FROM unnest($1::text[]) AS timeout
  WHERE NOT EXISTS (
    SELECT FROM pg_db_role_setting s JOIN pg_database d ON d.oid = s.setdatabase
    WHERE d.datname = current_database() AND s.setrole = current_user::regrole AND timeout = ANY (s.setconfig))`;

/** Returns host, port and the URL without its password, for the log. */
function describeTarget(databaseUrl: string): Record<string, string> {
  const hosts = splitHosts(databaseUrl);
  if (!hosts.every((each) => URL.canParse(each))) return {};
  const urls = hosts.map((each) => new URL(each));
  for (const url of urls) {
    if (url.password) url.password = '***';
    // Query parameters can contain a password as well.
    url.search = '';
  }
  const list = (part: (url: URL) => string): string => urls.map(part).join(',');
  return {
    setting: 'DATABASE_URL',
    url: list(({ href }) => href),
    host: list(({ hostname }) => hostname),
    port: list(({ port }) => port || '5432'),
  };
}

/** The connection pool. It connects in the background, so that a process can report that it is waiting. */
export class Database implements Sql {
  /** The current unit of work. Reads within it see its uncommitted changes. */
  readonly unitOfWorkStorage = new AsyncLocalStorage<UnitOfWork>();
  private listener: pg.Client | undefined;
  private isClosed = false;

  constructor(
    private readonly config: Config,
    private readonly logger: Logger,
    readonly dataSource: DataSource = createDataSource(poolOptions(config, logger)),
  ) {}

  /** Whether the pool has connected once. After that it reconnects by itself. */
  get isConnected(): boolean {
    return this.dataSource.isInitialized;
  }

  /**
   * Returns the number of connections in the pool and of operations that wait for one; null before there is a
   * pool.
   */
  getPoolUsage(): { busy: number; idle: number; waiting: number } | null {
    if (!this.isConnected) return null;
    const { totalCount, idleCount, waitingCount } = (this.dataSource.driver as PostgresDriver)
      .master as pg.Pool;
    return { busy: totalCount - idleCount, idle: idleCount, waiting: waitingCount };
  }

  /**
   * Retries until PostgreSQL is reachable and accepts writes.
   * @throws Error when it rejects the connection for another reason
   */
  async connect(): Promise<void> {
    let loggedAt = -Infinity;
    const log = (message: string, reason: object): void => {
      if (monotonicMs() - loggedAt < WAITING_LOG_MS) return;
      loggedAt = monotonicMs();
      this.logger.warn({ ...describeTarget(this.config.database.url!), ...reason }, message);
    };
    for (let pause = 100; !this.isClosed; pause = Math.min(2 * pause, 2_000)) {
      try {
        await this.dataSource.initialize();
        const [state] = await this.execute(findReadOnly);
        if (!state!.isReadOnly) {
          if (this.config.database.pooler !== 'none') await this.storeTimeouts();
          return;
        }
        log('database is read-only, waiting for the primary', {});
      } catch (error) {
        if (!toUnavailableError(error)) throw error;
        const code = errorCode(error);
        if (code === READ_ONLY) log('database is read-only, waiting for the primary', {});
        else log('database unreachable, retrying', { reason: errorMessage(error), code });
      }
      // Until the database accepts writes, the process is not connected.
      if (this.isConnected) await this.dataSource.destroy();
      await sleep(pause);
    }
  }

  /**
   * Stores the timeouts as settings of the role in this database: behind a pooler, connections cannot have their own.
   * They apply to connections that the pooler opens later.
   */
  private async storeTimeouts(): Promise<void> {
    const timeouts = Object.entries(SERVER_TIMEOUTS).map(([name, ms]) => `${name}=${ms}`);
    await this.dataSource.transaction(async (manager) => {
      await manager.query('SELECT pg_advisory_xact_lock($1)', [ROLE_SETTINGS_LOCK]);
      const differing = await manager.query<{ sql: string }[]>(DIFFERING_TIMEOUTS, [timeouts]);
      for (const { sql } of differing) await manager.query(sql);
    });
  }

  /**
   * Runs `work`, which migrates, with separate connections of the owner of the tables (MIGRATE_DATABASE_URL), on which
   * statements have no time limit.
   */
  async runAsOwner<Result>(work: (source: DataSource) => Promise<Result>): Promise<Result> {
    const source = await createDataSource(ownerConnectionOptions(this.config, this.logger)).initialize();
    const { pooler, migrateUrl } = this.config.database;
    const isPooled = pooler !== 'none' && migrateUrl === null;
    try {
      return await migrationRun.run({ logger: this.logger, isPooled }, () => work(source));
    } finally {
      await source.destroy();
    }
  }

  execute<Row>(...call: StatementCall<Row>): Promise<Row[]> {
    return runStatement(() => this.getQueryable(), call);
  }

  /** Reads entities, as part of the unit of work if there is one. @throws GatehouseError `unavailable` */
  async read<Result>(work: (manager: ReadManager) => Promise<Result>): Promise<Result> {
    const { manager } = this.unitOfWorkStorage.getStore() ?? {};
    if (!manager && !this.isConnected) throw unavailable();
    try {
      return await work(manager ?? this.dataSource.manager);
    } catch (error) {
      throw toUnavailableError(error) ?? error;
    }
  }

  /** Waits for a response of PostgreSQL. @throws GatehouseError `unavailable` */
  async ping(): Promise<void> {
    await runQuery(this.getQueryable(), { text: 'SELECT 1' });
  }

  /**
   * Returns the pool or the connection without TypeORM, which has no prepared statements and takes longer
   * than the statement itself.
   */
  private getQueryable(): PgQueryable {
    const unit = this.unitOfWorkStorage.getStore();
    if (unit?.connection) return unit.connection;
    if (!this.isConnected) throw unavailable();
    return (this.dataSource.driver as PostgresDriver).master as pg.Pool;
  }

  /**
   * Calls `handle` for every NOTIFY on the channel, over a separate connection that is renewed when it
   * breaks. Notifications sent in the meantime are lost, so they are only hints. A pooler passes on none: without
   * another URL, `handle` is never called.
   */
  async listen(channel: string, handle: () => void): Promise<void> {
    const { pooler, url, migrateUrl } = this.config.database;
    const connectionString = pooler === 'none' ? url! : migrateUrl;
    if (connectionString === null)
      this.logger.info('no direct URL of the database, polling instead of LISTEN');
    while (connectionString !== null && !this.isClosed) {
      const client = createConnection(connectionString);
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

  /** Closes every connection, within two seconds if PostgreSQL does not respond. */
  async close(): Promise<void> {
    this.isClosed = true;
    const ended = Promise.all([this.listener?.end(), this.isConnected && this.dataSource.destroy()]);
    await withTimeout(ended, CLOSE_MS, 'PostgreSQL did not close the connection in time').catch(
      () => undefined,
    );
  }
}

const statementNames = new Map<string, string>();

/**
 * Returns the statement with a unique name, under which each connection stores its plan. Parsing and planning
 * once contributes a quarter of the requests per second on the hot path. The name is the same in all processes, which
 * may share connections through a pooler.
 */
function preparedQuery(text: string, values: unknown[] | undefined): pg.QueryConfig {
  const name = statementNames.get(text) ?? `gatehouse_${sha256(text).toString('base64url')}`;
  statementNames.set(text, name);
  return { name, text, values };
}

/** Runs a declared statement. */
export async function runStatement<Row>(
  client: () => PgQueryable,
  [statement, values]: StatementCall<Row>,
): Promise<Row[]> {
  const { text } = statement;
  const bound = 'values' in statement ? statement : { values, isPrepared: true };
  const query = bound.isPrepared ? preparedQuery(text, bound.values) : { text, values: bound.values! };
  return runQuery<Row>(client(), query);
}

/** Runs one statement and translates its errors. */
export async function runQuery<Row>(client: PgQueryable, statement: pg.QueryConfig): Promise<Row[]> {
  try {
    return (await client.query(withCurrentTrace(statement))).rows as Row[];
  } catch (error) {
    throw toUnavailableError(error) ?? error;
  }
}
