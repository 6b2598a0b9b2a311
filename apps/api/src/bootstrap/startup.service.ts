import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { SigningKeyRing } from '@gatehouse/auth';
import {
  Database,
  ensureAttemptPartitions,
  EventFeedRepository,
  migrate,
  listPendingMigrations,
  Transactions,
} from '@gatehouse/persistence';
import {
  Config,
  DeliveryQueue,
  errorMessage,
  Failpoints,
  HashThreads,
  LOGGER,
  now,
  PasswordHasher,
  RateLimiter,
  TestCommands,
  type Logger,
} from '@gatehouse/platform';
import { hasOutdatedNode } from '../http/outdated-node.js';
import { Readiness } from '../http/readiness.js';
import { FirstBoot } from './first-boot.js';
import { FirstOperator } from './first-operator.js';

/** Days of partitions that migration leaves ready; the worker makes the further ones. */
const PARTITION_DAYS = 14;

/** Brings the house up behind a listener that already answers: database, schema, seed, keys. */
@Injectable()
export class StartupService implements OnApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly config: Config,
    private readonly database: Database,
    private readonly transactions: Transactions,
    private readonly feed: EventFeedRepository,
    private readonly firstBoot: FirstBoot,
    private readonly firstOperator: FirstOperator,
    private readonly ring: SigningKeyRing,
    private readonly readiness: Readiness,
    private readonly hasher: PasswordHasher,
    private readonly threads: HashThreads,
    private readonly limiter: RateLimiter,
    private readonly failpoints: Failpoints,
    private readonly testCommands: TestCommands,
    @Inject(DeliveryQueue) private readonly queue: DeliveryQueue | null,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** @throws Error when the schema is not up to date and MIGRATE is off, or the database refuses us */
  async start(): Promise<void> {
    await this.database.connect();
    await this.prepareSchema();
    if (this.config.seed) await this.seed();
    await this.firstOperator.ensure();
    await Promise.all([this.loadKeys(), this.hasher.warmUp()]);
    if (this.config.periodicJobs) this.scheduleKeyReload();
    this.registerTestCommands();
    this.readiness.started = true;
    if (hasOutdatedNode(this.config)) {
      this.logger.error(
        { node: process.version },
        'this version of Node.js receives no security updates; use Node.js 24 or later in production',
      );
    }
    this.logger.info({ url: this.config.publicUrl }, 'ready');
  }

  /** Migrates and makes partitions, or refuses to go on with a schema that is behind. */
  async prepareSchema(): Promise<void> {
    if (this.config.migrate) {
      const applied = await migrate(this.database);
      if (applied.length > 0) this.logger.info({ applied }, 'migrations applied');
    } else {
      const pending = await listPendingMigrations(this.database);
      if (pending.length > 0) {
        throw new Error(
          `the database has pending migrations (${pending.length}); run "npm run gatehouse -- migrate" or set MIGRATE=on`,
        );
      }
    }
    await this.transactions.run((tx) => ensureAttemptPartitions(tx, now(), PARTITION_DAYS));
    if (await this.feed.realign()) this.logger.warn('event feed realigned after a restore from a dump');
  }

  private async seed(): Promise<void> {
    if (await this.firstBoot.run()) this.logger.info('database seeded; the keys are in credentials.json');
    else this.firstBoot.refreshBaseUrl();
  }

  async onApplicationShutdown(): Promise<void> {
    clearTimeout(this.timer);
    this.limiter.close();
    await this.queue?.close();
    await this.threads.close();
    await this.database.close();
  }

  private registerTestCommands(): void {
    this.testCommands.on('reload-signing-keys', () => this.loadKeys());
    // For the next test file on this server: its tables are emptied by the test, this is what memory holds.
    this.testCommands.on('reset', async () => {
      this.failpoints.releaseAll();
      await this.threads.drain();
      this.limiter.reset();
    });
  }

  /** One load after the other: an older reading of the ring must not replace a newer one. */
  private scheduleKeyReload(): void {
    const reload = async () => {
      await this.loadKeys().catch((error: unknown) => {
        this.logger.warn({ reason: errorMessage(error) }, 'signing key reload failed');
      });
      this.scheduleKeyReload();
    };
    this.timer = setTimeout(() => void reload(), this.config.signingKeys.reloadInterval).unref();
  }

  private async loadKeys(): Promise<void> {
    const made = await this.ring.load();
    if (made) this.logger.info(made, 'signing key published');
  }
}
