import { Inject, Injectable } from '@nestjs/common';
import { Database, DELIVERY_CHANNEL, pendingMigrations } from '#persistence';
import { Config, DeliveryQueue, LOGGER, sleep, withTimeout, type Logger } from '#platform';
import { AttemptRunner } from './delivery/attempt-runner.js';
import { DueSource } from './delivery/due-source.js';
import { MailSender } from './mail/mail-sender.js';
import { Sweeper } from './recovery/sweeper.js';
import { Housekeeper } from './retention/housekeeper.js';

/** Longest wait for attempts in flight when the worker stops, in ms. */
const SETTLE_MS = 12_000;
const SCHEMA_POLL_MS = 250;

/** The worker's life: it waits for its schema, takes work from queue and database, and stops in order. */
@Injectable()
export class WorkerService {
  private isStopping = false;

  constructor(
    private readonly config: Config,
    private readonly database: Database,
    private readonly runner: AttemptRunner,
    private readonly source: DueSource,
    private readonly sweeper: Sweeper,
    private readonly mailSender: MailSender,
    private readonly housekeeper: Housekeeper,
    @Inject(DeliveryQueue) private readonly queue: DeliveryQueue | null,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async start(): Promise<void> {
    await this.database.connect();
    await this.schemaIsReady();
    if (this.isStopping) return;
    await this.housekeeper.start();
    if (this.isStopping) return;
    this.source.start();
    this.sweeper.start();
    this.mailSender.start();
    void this.database.listen(DELIVERY_CHANNEL, this.source.wake);
    this.queue?.process(this.config.webhooks.concurrency, (job) => this.runner.runJob(job));
    this.logger.info({ carrier: this.queue ? 'redis' : 'postgresql' }, 'ready');
  }

  /** Takes no more work, lets attempts in flight finish, then lets go of everything. */
  async stop(): Promise<void> {
    this.isStopping = true;
    this.sweeper.stop();
    const atRest = Promise.all([
      this.source.stop().then(() => this.runner.settle()),
      this.mailSender.stop(),
      this.housekeeper.stop(),
      this.queue?.drain(),
    ]);
    await withTimeout(atRest, SETTLE_MS, 'work is still in hand').catch(() => undefined);
    await this.queue?.close();
    await this.database.close();
  }

  /** The api migrates; the worker waits until it has. */
  private async schemaIsReady(): Promise<void> {
    for (let isTold = false; !this.isStopping; await sleep(SCHEMA_POLL_MS)) {
      const pending = await pendingMigrations(this.database);
      if (pending.length === 0) return;
      if (!isTold) this.logger.info({ pending: pending.length }, 'waiting for migrations');
      isTold = true;
    }
  }
}
