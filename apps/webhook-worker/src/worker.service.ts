import { Inject, Injectable } from '@nestjs/common';
import { Database, DELIVERY_CHANNEL, listPendingMigrations } from '@gatehouse/persistence';
import {
  Config,
  DeliveryQueue,
  LOGGER,
  MetricsServer,
  monotonicMs,
  sleep,
  TestCommands,
  withTimeout,
  type Logger,
} from '@gatehouse/platform';
import { AttemptRunner } from './delivery/attempt-runner.js';
import { DuePoller } from './delivery/due-poller.js';
import { EndpointHealthReporter } from './health/endpoint-health-reporter.js';
import { MaintenanceRunner } from './retention/maintenance-runner.js';
import type { PeriodicJob } from './periodic-job.js';

/** Jobs beside the deliveries. */
export const PERIODIC_JOBS = Symbol('periodic jobs');

/** Longest wait for attempts in flight when the worker stops, in ms; then they are broken off. */
const DRAIN_TIMEOUT_MS = 12_000;
/** Longest time from then to the end, in ms: together less than a process may take to stop (process.ts). */
const CLOSE_TIMEOUT_MS = 2_000;
const SCHEMA_POLL_MS = 250;

/** The worker's life: it waits for its schema, takes work from queue and database, and stops in order. */
@Injectable()
export class WorkerService {
  private isStopping = false;

  constructor(
    private readonly config: Config,
    private readonly database: Database,
    private readonly runner: AttemptRunner,
    private readonly duePoller: DuePoller,
    private readonly maintenance: MaintenanceRunner,
    private readonly healthReporter: EndpointHealthReporter,
    @Inject(PERIODIC_JOBS) private readonly periodicJobs: PeriodicJob[],
    private readonly metricsServer: MetricsServer,
    private readonly testCommands: TestCommands,
    @Inject(DeliveryQueue) private readonly queue: DeliveryQueue | null,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async start(): Promise<void> {
    this.metricsServer.start();
    await this.database.connect();
    await this.waitForSchema();
    if (this.isStopping) return;
    await this.maintenance.start();
    if (this.isStopping) return;
    this.duePoller.start();
    if (this.config.periodicJobs) for (const job of [...this.periodicJobs, this.healthReporter]) job.start();
    this.testCommands.on('run-job', (name) => this.runJob(name));
    void this.database.listen(DELIVERY_CHANNEL, this.duePoller.wake);
    this.queue?.process(this.config.webhooks.concurrency, (job) => this.runner.runJob(job));
    this.logger.info({ queue: this.queue ? 'redis' : 'postgresql' }, 'ready');
  }

  /** Takes no more work, lets attempts in flight finish, then lets go of everything. */
  async stop(): Promise<void> {
    this.isStopping = true;
    const end = monotonicMs() + DRAIN_TIMEOUT_MS + CLOSE_TIMEOUT_MS;
    const atRest = Promise.all([
      this.duePoller.stop().then(() => this.runner.waitForInFlight()),
      this.maintenance.stop(),
      ...this.periodicJobs.map((each) => each.stop()),
      this.queue?.drain(),
    ]);
    const settled = withTimeout(atRest, DRAIN_TIMEOUT_MS, 'work is still in progress');
    const isSettled = await settled.then(
      () => true,
      () => false,
    );
    const leftMs = Math.max(0, Math.min(end - monotonicMs(), CLOSE_TIMEOUT_MS));
    await withTimeout(this.close(isSettled), leftMs, 'a server does not respond').catch(() => undefined);
    this.metricsServer.stop();
  }

  /** @param name the class of a periodic job, or a task of housekeeping. @throws Error for an unknown one */
  private runJob(name: string): Promise<void> {
    const job = [...this.periodicJobs, this.healthReporter].find(
      ({ constructor }) => constructor.name === name,
    );
    return job ? job.runNow() : this.maintenance.runNow(name);
  }

  private async close(isSettled: boolean): Promise<void> {
    if (!isSettled) await this.runner.abort();
    // What the last report on endpoints lacks, the log of attempts has.
    await this.healthReporter.stop();
    await this.queue?.close();
    await this.database.close();
  }

  /** The api migrates; the worker waits until it has. */
  private async waitForSchema(): Promise<void> {
    for (let isTold = false; !this.isStopping; await sleep(SCHEMA_POLL_MS)) {
      const pending = await listPendingMigrations(this.database);
      if (pending.length === 0) return;
      if (!isTold) this.logger.info({ pending: pending.length }, 'waiting for migrations');
      isTold = true;
    }
  }
}
