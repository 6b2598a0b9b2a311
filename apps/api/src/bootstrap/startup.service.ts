import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { SigningKeyRing } from '@gatehouse/auth';
import {
  assertRootSecret,
  AuditLogRepository,
  CLOCK_AND_HOST_CHECK_INTERVAL_MS,
  ClockAndHostMonitor,
  CredentialCache,
  Database,
  DEPENDENCY_CHECK_INTERVAL_MS,
  DependencyHealth,
  ensureAttemptPartitions,
  EventFeedRepository,
  InstallationRepository,
  migrate,
  listPendingMigrations,
  REPLICA_CHECK_INTERVAL_MS,
  SigningKeysRepository,
  Transactions,
  waitForMigrations,
} from '@gatehouse/persistence';
import {
  adminCommand,
  Config,
  DeliveryQueue,
  errorMessage,
  Failpoints,
  HashThreads,
  Keyring,
  LOGGER,
  notifyLauncherOfWait,
  now,
  PasswordHasher,
  RateLimiter,
  TestCommands,
  type Logger,
} from '@gatehouse/platform';
import { Readiness } from '../http/readiness.js';
import { WorkerWatchService } from '../health/worker-watch.service.js';
import { StoredSettingsService } from '../identity-providers/stored-settings.service.js';
import { ApiHeartbeat, HEARTBEAT_INTERVAL_MS } from './api-heartbeat.js';
import { FirstBoot } from './first-boot.js';
import { FirstOperator, OPERATOR_LINK_COMMAND } from './first-operator.js';

/** Number of days of attempt partitions to create in advance after migrations. The worker creates later ones. */
const PARTITION_DAYS = 14;

/**
 * Interval at which missing provider settings documents are created from the columns, in ms. API processes on an
 * earlier version write only the columns.
 */
const PROVIDER_SETTINGS_INTERVAL_MS = 60 * 60 * 1_000;

/** Prepares the database, the schema, the seed data and the signing keys after the server has started listening. */
@Injectable()
export class StartupService implements OnApplicationShutdown {
  private readonly timers = new Map<string, NodeJS.Timeout>();
  private isStopped = false;

  constructor(
    private readonly config: Config,
    private readonly database: Database,
    private readonly transactions: Transactions,
    private readonly installation: InstallationRepository,
    private readonly feed: EventFeedRepository,
    private readonly auditLog: AuditLogRepository,
    private readonly firstBoot: FirstBoot,
    private readonly firstOperator: FirstOperator,
    private readonly keyRing: SigningKeyRing,
    private readonly signingKeys: SigningKeysRepository,
    private readonly keyring: Keyring,
    private readonly heartbeat: ApiHeartbeat,
    private readonly dependencies: DependencyHealth,
    private readonly clockAndHostMonitor: ClockAndHostMonitor,
    private readonly providerSettings: StoredSettingsService,
    private readonly readiness: Readiness,
    private readonly workerWatch: WorkerWatchService,
    private readonly hasher: PasswordHasher,
    private readonly threads: HashThreads,
    private readonly limiter: RateLimiter,
    private readonly credentials: CredentialCache,
    private readonly failpoints: Failpoints,
    private readonly testCommands: TestCommands,
    @Inject(DeliveryQueue) private readonly queue: DeliveryQueue | null,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Prepares everything that requests need. With MIGRATE=off, waits until another process has run the migrations.
   * @throws Error when the database rejects the connection; RootSecretError if GATEHOUSE_SECRET does not belong to the
   * database
   */
  async start(): Promise<void> {
    await this.database.connect(notifyLauncherOfWait);
    if (!this.config.migrate) await waitForMigrations(this.database, this.logger, () => this.isStopped);
    if (this.isStopped) return;
    await this.prepareSchema();
    // Must run before anything uses the secret, and before the first heartbeat: a process with the wrong secret must
    // not record one.
    await assertRootSecret(this.signingKeys, this.keyring);
    if (this.config.seed) await this.seed();
    await this.firstOperator.ensure();
    const heartbeat = this.heartbeat.record();
    const health = this.dependencies.check();
    await Promise.all([heartbeat, health, this.loadKeys(), this.hasher.warmUp(), this.checkAuditLog()]);
    if (this.config.periodicJobs) {
      const { reloadInterval } = this.config.signingKeys;
      this.repeat(reloadInterval, () => this.loadKeys(), 'signing key reload failed');
      this.repeat(HEARTBEAT_INTERVAL_MS, () => this.heartbeat.record(), 'heartbeat write failed');
      this.repeat(DEPENDENCY_CHECK_INTERVAL_MS, () => this.dependencies.check(), 'dependency check failed');
      const { replica } = this.database;
      if (replica) this.repeat(REPLICA_CHECK_INTERVAL_MS, () => replica.check(), 'replica check failed');
      void this.clockAndHostMonitor.check();
      this.repeat(
        CLOCK_AND_HOST_CHECK_INTERVAL_MS,
        () => this.clockAndHostMonitor.check(),
        'clock and host check failed',
      );
      this.repeat(
        PROVIDER_SETTINGS_INTERVAL_MS,
        () => this.providerSettings.createMissing(),
        'identity provider settings not stored',
        0,
      );
      this.repeat(this.config.alerts.interval, () => this.workerWatch.check(), 'worker check failed');
    }
    this.registerTestCommands();
    this.readiness.started = true;
    this.logger.info({ url: this.config.publicUrl }, 'ready');
  }

  /**
   * Runs pending migrations, creates partitions, and opens the queue and the rate limiter with the
   * installation's key.
   * @throws Error when migrations are pending and MIGRATE is off
   */
  async prepareSchema(): Promise<void> {
    if (this.config.migrate) {
      const applied = await migrate(this.database, this.config.audit.retention);
      if (applied.length > 0) this.logger.info({ applied }, 'migrations applied');
    } else {
      const pending = await listPendingMigrations(this.database);
      if (pending.length > 0) {
        throw new Error(
          `the database has pending migrations (${pending.length}); run "${adminCommand('migrate')}" or set MIGRATE=on`,
        );
      }
    }
    await this.transactions.run((tx) => ensureAttemptPartitions(tx, now(), PARTITION_DAYS));
    if (await this.feed.realign()) this.logger.warn('event feed realigned after a restore from a dump');
    if (this.config.redis) {
      const key = await this.installation.readKey();
      await this.queue?.open(key);
      this.limiter.open(key);
    }
  }

  private async checkAuditLog(): Promise<void> {
    if (await this.auditLog.isProtected()) return;
    this.logger.warn(
      'the database role can change and delete audit log entries; set MIGRATE_DATABASE_URL and use a different role in DATABASE_URL',
    );
  }

  private async seed(): Promise<void> {
    if (!(await this.firstBoot.run())) return this.firstBoot.refreshBaseUrl();
    // The file may be lost with its container. An operator can then sign in with the command and create keys.
    this.logger.info(
      { command: OPERATOR_LINK_COMMAND },
      "database seeded; the keys and the operator's sign-in are in credentials.json",
    );
  }

  async onApplicationShutdown(): Promise<void> {
    this.isStopped = true;
    for (const timer of this.timers.values()) clearTimeout(timer);
    await Promise.all([this.heartbeat.end(), this.clockAndHostMonitor.end()]);
    this.limiter.close();
    await this.queue?.close();
    await this.threads.close();
    await this.database.close();
  }

  private registerTestCommands(): void {
    this.testCommands.on('reload-signing-keys', () => this.loadKeys());
    this.testCommands.on('check-clock-and-hosts', () => this.clockAndHostMonitor.check());
    this.testCommands.on('check-replica', () => this.database.replica?.check());
    this.testCommands.on('store-provider-settings', () => this.providerSettings.createMissing());
    // Prepares this process for the next test file: the test empties the tables, and this command resets the
    // state in memory.
    this.testCommands.on('reset', async () => {
      this.failpoints.releaseAll();
      await this.threads.drain();
      this.limiter.reset();
      this.credentials.clear();
    });
    // For tests that change a key, a project or an organization with SQL.
    this.testCommands.on('clear-credential-cache', () => this.credentials.clear());
  }

  /**
   * Repeats a job, with a pause before each run. Runs never overlap: an older key ring must not replace a newer
   * one.
   * @param problem log message if a run fails
   * @param firstPause pause before the first run, in ms
   */
  private repeat(pause: number, run: () => Promise<void>, problem: string, firstPause = pause): void {
    if (this.isStopped) return;
    const job = async () => {
      await run().catch((error: unknown) => {
        this.logger.warn({ reason: errorMessage(error) }, problem);
      });
      this.repeat(pause, run, problem);
    };
    this.timers.set(problem, setTimeout(() => void job(), firstPause).unref());
  }

  private async loadKeys(): Promise<void> {
    const publishedKey = await this.keyRing.load();
    if (publishedKey) this.logger.info(publishedKey, 'signing key published');
  }
}
