// Raw SQL: the advisory lock under which the settings of the database role are stored.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { DataSource, EntityManager } from 'typeorm';
import type pg from 'pg';
import { GatehouseError, unavailable } from '@gatehouse/domain';
import {
  errorCode,
  errorMessage,
  monotonicMs,
  sleep,
  splitHosts,
  withTimeout,
  type Config,
  type Logger,
} from '@gatehouse/platform';
import { migrationRun } from '../migrations/migration-run.js';
import {
  CLOSE_MS,
  createConnection,
  createDataSource,
  isOwnerPooled,
  ownerConnectionOptions,
  poolOptions,
  replicaPoolOptions,
  SERVER_TIMEOUTS,
} from './data-source.js';
import { ReadReplica } from './read-replica.js';
import { poolOf, runStatement, type PgQueryable, type Sql, type StatementCall } from './run-statement.js';
import {
  DIFFERING_ROLE_SETTINGS,
  endOutdatedConnection,
  readSession,
  sessionLimits,
  sessionSettings,
} from './session-settings.js';
import { isOutage, READ_ONLY, toUnavailableError } from './unavailable-error.js';

export type { Sql } from './run-statement.js';

/** A unit of work. Its transactions commit as one. Contains the connection while it is open. */
export interface UnitOfWork {
  connection?: PgQueryable | undefined;
  manager?: EntityManager | undefined;
}

/** The entity manager methods that read data with a single statement. */
export type ReadManager = Pick<
  EntityManager,
  'countBy' | 'exists' | 'existsBy' | 'find' | 'findBy' | 'findOne' | 'findOneBy'
>;

/** The log message while startup waits for a database that accepts writes. */
const READ_ONLY_MESSAGE = 'database is read-only, waiting for the primary';

/** Minimum time in ms between two log messages about waiting for PostgreSQL. */
const WAITING_LOG_MS = 60_000;

/**
 * `rejects_connections`: for a reason other than an outage, such as a changed password. `wrong_settings`: statements
 * would return wrong results (ADR 0087).
 */
export type DatabaseProblem = 'unreachable' | 'rejects_connections' | 'read_only' | 'wrong_settings';

/** The advisory lock that a process holds while it changes its role's settings. Concurrent changes would fail. */
const ROLE_SETTINGS_LOCK = 7_120_919;

/** Returns the host, the port and the URL without its password, for the log. */
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
  readonly unitOfWorkStorage = new AsyncLocalStorage<UnitOfWork | undefined>();
  /** Null unless DATABASE_READ_URL is set. */
  readonly replica: ReadReplica | null;
  /** The problem that the last check found, or null. */
  problem: DatabaseProblem | null = 'unreachable';
  private listener: pg.Client | undefined;
  private isClosed = false;
  private waitingLoggedAt = -Infinity;

  constructor(
    private readonly config: Config,
    private readonly logger: Logger,
    readonly dataSource: DataSource = createDataSource(poolOptions(config, logger)),
  ) {
    this.replica = config.database.readUrl
      ? new ReadReplica(this, createDataSource(replicaPoolOptions(config, logger)), logger)
      : null;
  }

  /** True once the pool has connected. After that, it reconnects by itself. */
  get isConnected(): boolean {
    return this.dataSource.isInitialized;
  }

  /** The source for new connections and transactions: the primary, or the replica for work that reads from it. */
  get currentSource(): DataSource {
    return this.replica?.currentSource ?? this.dataSource;
  }

  /**
   * Returns the number of busy and idle connections in the pool, and of operations that wait for one. Null until the
   * pool exists.
   */
  getPoolUsage(): { busy: number; idle: number; waiting: number } | null {
    if (!this.isConnected) return null;
    const { totalCount, idleCount, waitingCount } = poolOf(this.dataSource);
    return { busy: totalCount - idleCount, idle: idleCount, waiting: waitingCount };
  }

  /**
   * Connects to PostgreSQL. Retries until it is reachable and accepts writes.
   * @param onWaiting called after each failed attempt
   * @throws Error if PostgreSQL rejects the connection for any other reason
   */
  async connect(onWaiting: () => void = () => undefined): Promise<void> {
    for (let pause = 100; !this.isClosed; pause = Math.min(2 * pause, 2_000)) {
      try {
        await this.dataSource.initialize();
        const [session] = await this.execute(readSession);
        if (!session!.isReadOnly) {
          if (this.config.database.pooler !== 'none') await this.storeRoleSettings();
          if ((await this.findProblem()) === null) return void (this.problem = null);
        } else this.logWaiting(READ_ONLY_MESSAGE);
      } catch (error) {
        // A failed statement throws a translated error.
        const cause = error instanceof GatehouseError ? (error.cause ?? error) : error;
        if (!isOutage(cause)) throw error;
        const code = errorCode(cause);
        if (code === READ_ONLY) this.logWaiting(READ_ONLY_MESSAGE);
        else this.logWaiting('database unreachable, retrying', { reason: errorMessage(cause), code });
      }
      onWaiting();
      // The process counts as connected only once the database accepts writes.
      if (this.isConnected) await this.dataSource.destroy();
      await sleep(pause);
    }
  }

  /** Logs the reason for waiting, at most once a minute. */
  private logWaiting(message: string, reason: object = {}): void {
    if (monotonicMs() - this.waitingLoggedAt < WAITING_LOG_MS) return;
    this.waitingLoggedAt = monotonicMs();
    this.logger.warn({ ...describeTarget(this.config.database.url!), ...reason }, message);
  }

  /**
   * Stores the settings for the role in this database, because connections through a pooler cannot have their own.
   * They apply to connections that the pooler opens later.
   */
  private async storeRoleSettings(): Promise<void> {
    const timeouts = Object.entries(SERVER_TIMEOUTS).map(([name, ms]) => `${name}=${ms}`);
    const settings = { ...sessionLimits, ...sessionSettings };
    const values = [timeouts, Object.keys(settings), Object.values(settings).map(String)];
    await this.dataSource.transaction(async (manager) => {
      await manager.query('SELECT pg_advisory_xact_lock($1)', [ROLE_SETTINGS_LOCK]);
      const differing = await manager.query<{ sql: string }[]>(DIFFERING_ROLE_SETTINGS, values);
      for (const { sql } of differing) await manager.query(sql);
    });
  }

  /**
   * Runs `work`, which applies migrations, on separate connections as the table owner (MIGRATE_DATABASE_URL). They have
   * no statement timeout.
   */
  async runAsOwner<Result>(work: (source: DataSource) => Promise<Result>): Promise<Result> {
    const source = await createDataSource(ownerConnectionOptions(this.config, this.logger)).initialize();
    const isPooled = isOwnerPooled(this.config.database);
    try {
      return await migrationRun.run({ logger: this.logger, isPooled }, () => work(source));
    } finally {
      await source.destroy();
    }
  }

  execute<Row>(...call: StatementCall<Row>): Promise<Row[]> {
    return runStatement(() => this.getQueryable(), call);
  }

  /** Reads entities, within the unit of work if there is one. @throws GatehouseError `unavailable` */
  async read<Result>(work: (manager: ReadManager) => Promise<Result>): Promise<Result> {
    const { manager } = this.unitOfWorkStorage.getStore() ?? {};
    if (!manager && !this.isConnected) throw unavailable();
    try {
      return await work(manager ?? this.currentSource.manager);
    } catch (error) {
      throw toUnavailableError(error) ?? error;
    }
  }

  /** Updates `problem` and logs when it changes. Does not throw. Can take as long as a statement timeout. */
  async check(): Promise<void> {
    let reason = {};
    const problem = await this.findProblem().catch((error: unknown): DatabaseProblem => {
      const cause = error instanceof GatehouseError ? (error.cause ?? error) : error;
      reason = { reason: errorMessage(cause), code: errorCode(cause) };
      return isOutage(cause) ? 'unreachable' : 'rejects_connections';
    });
    if (this.isClosed || problem === this.problem) return;
    this.problem = problem;
    if (problem) this.logger.warn({ problem, ...reason }, 'database unavailable');
    else this.logger.info('database available again');
  }

  /** Reads the session with one statement, because each process does this once a second. */
  private async findProblem(): Promise<DatabaseProblem | null> {
    const [session] = await this.execute(readSession);
    const { isReadOnly, settingProblems } = session!;
    if (settingProblems.length === 0) return isReadOnly ? 'read_only' : null;
    this.logWaiting('database settings unusable', { reason: settingProblems.join('; ') });
    if (this.config.database.pooler !== 'none') await this.execute(endOutdatedConnection);
    return 'wrong_settings';
  }

  /** Returns a description of each session setting that differs from the required one. */
  async findSettingProblems(): Promise<string[]> {
    const [session] = await this.execute(readSession);
    return session!.settingProblems;
  }

  /**
   * Returns the pg pool or connection and bypasses TypeORM, which has no prepared statements and takes longer than
   * the statement itself.
   */
  private getQueryable(): PgQueryable {
    const unit = this.unitOfWorkStorage.getStore();
    if (unit?.connection) return unit.connection;
    if (!this.isConnected) throw unavailable();
    return poolOf(this.currentSource);
  }

  /**
   * Calls `handle` for every NOTIFY on the channel, and after each connect. Uses a separate connection, which is
   * reopened when it breaks. Notifications sent in the meantime are lost, so they are only hints. Poolers do not
   * forward notifications: behind a pooler without MIGRATE_DATABASE_URL, `handle` is never called.
   */
  async listen(channel: string, handle: () => void): Promise<void> {
    const { pooler, url, migrateUrl } = this.config.database;
    const connectionString = pooler === 'none' ? url! : migrateUrl;
    if (connectionString === null) this.logger.info('no direct database URL, polling instead of LISTEN');
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
        this.logger.debug({ reason: errorMessage(error) }, 'database LISTEN failed');
      }
      await client.end().catch(() => undefined);
      await sleep(1_000);
    }
  }

  /** Closes every connection, within two seconds if PostgreSQL does not respond. */
  async close(): Promise<void> {
    this.isClosed = true;
    const sources = [this.dataSource, this.replica?.source].filter((each) => each?.isInitialized);
    const ended = Promise.all([this.listener?.end(), ...sources.map((each) => each!.destroy())]);
    await withTimeout(ended, CLOSE_MS, 'PostgreSQL did not close the connection in time').catch(
      () => undefined,
    );
  }
}
