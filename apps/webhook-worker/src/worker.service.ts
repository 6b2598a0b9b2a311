import { Inject, Injectable } from '@nestjs/common';
import {
  assertRootSecret,
  Database,
  DELIVERY_CHANNEL,
  DependencyHealth,
  InstallationRepository,
  SigningKeysRepository,
  waitForMigrations,
  type ReadinessStatus,
} from '@gatehouse/persistence';
import {
  Config,
  DeliveryQueue,
  Keyring,
  LOGGER,
  Metrics,
  MetricsServer,
  monotonicMs,
  notifyLauncherOfWait,
  READY_HELP,
  READY_METRIC,
  sendMetricsOnRequest,
  TestCommands,
  withTimeout,
  type Logger,
} from '@gatehouse/platform';
import { AttemptRunner } from './delivery/attempt-runner.js';
import { DuePoller } from './delivery/due-poller.js';
import { EndpointHealthReporter } from './endpoint-health/endpoint-health-reporter.js';
import { MaintenanceRunner } from './retention/maintenance-runner.js';
import type { PeriodicJob } from './periodic-job/periodic-job.js';
import type { WorkJob } from './periodic-job/work-job.js';
import { WORK_JOBS } from './periodic-job/work-poller.js';

/** Injection token for the jobs that run periodically, in addition to the deliveries. */
export const PERIODIC_JOBS = Symbol('periodic jobs');

/** Maximum time to wait for attempts in flight when the worker stops, in ms. After that, they are aborted. */
const DRAIN_TIMEOUT_MS = 12_000;
/**
 * Maximum time for the rest of the shutdown, in ms. Both times together are less than a process's stop timeout
 * (programs/run-process.ts).
 */
const CLOSE_TIMEOUT_MS = 2_000;

/** Starts and stops the worker. It takes work from the queue and the database once the schema has been migrated. */
@Injectable()
export class WorkerService {
  private isStarted = false;
  private isStopping = false;

  constructor(
    private readonly config: Config,
    private readonly database: Database,
    private readonly dependencies: DependencyHealth,
    private readonly installation: InstallationRepository,
    private readonly signingKeys: SigningKeysRepository,
    private readonly keyring: Keyring,
    private readonly runner: AttemptRunner,
    private readonly duePoller: DuePoller,
    private readonly maintenance: MaintenanceRunner,
    private readonly healthReporter: EndpointHealthReporter,
    @Inject(PERIODIC_JOBS) private readonly periodicJobs: PeriodicJob[],
    @Inject(WORK_JOBS) private readonly workJobs: WorkJob[],
    private readonly metricsServer: MetricsServer,
    @Inject(Metrics) private readonly metrics: Metrics | null,
    private readonly testCommands: TestCommands,
    @Inject(DeliveryQueue) private readonly queue: DeliveryQueue | null,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    metrics?.gauge(READY_METRIC, READY_HELP, () => Number(this.isStarted && !this.isStopping));
  }

  /** @throws RootSecretError if GATEHOUSE_SECRET does not belong to the database */
  async start(): Promise<void> {
    this.metricsServer.start({
      readReadiness: () => this.readReadiness(),
      readHealth: () => this.dependencies.read(this.readReadiness()),
    });
    if (this.metrics) sendMetricsOnRequest(this.metrics);
    await this.database.connect(notifyLauncherOfWait);
    await waitForMigrations(this.database, this.logger, () => this.isStopping);
    if (this.isStopping) return;
    await assertRootSecret(this.signingKeys, this.keyring);
    if (this.queue) await this.queue.open(await this.installation.readKey());
    await this.dependencies.check();
    await this.maintenance.start();
    if (this.isStopping) return;
    this.duePoller.start();
    if (this.config.periodicJobs) for (const job of [...this.periodicJobs, this.healthReporter]) job.start();
    this.testCommands.on('run-job', (name) => this.runJob(name));
    void this.database.listen(DELIVERY_CHANNEL, this.duePoller.wake);
    this.queue?.process(this.config.webhooks.concurrency, (job) => this.runner.runJob(job));
    this.isStarted = true;
    this.logger.info({ queue: this.queue ? 'redis' : 'postgresql' }, 'ready');
  }

  /** Takes no further work, waits for the attempts in flight, and closes all connections. */
  async stop(): Promise<void> {
    this.isStopping = true;
    const deadline = monotonicMs() + DRAIN_TIMEOUT_MS + CLOSE_TIMEOUT_MS;
    const drained = Promise.all([
      this.duePoller.stop().then(() => this.runner.waitForInFlight()),
      this.maintenance.stop(),
      ...[...this.periodicJobs, ...this.workJobs].map((job) => job.stop()),
      this.queue?.drain(),
    ]);
    const drainedInTime = withTimeout(drained, DRAIN_TIMEOUT_MS, 'work is still in progress');
    const isDrained = await drainedInTime.then(
      () => true,
      () => false,
    );
    const remainingMs = Math.max(0, Math.min(deadline - monotonicMs(), CLOSE_TIMEOUT_MS));
    await withTimeout(this.close(isDrained), remainingMs, 'a server does not respond').catch(() => undefined);
    this.metricsServer.stop();
  }

  /**
   * Runs a job.
   * @param name the class name of a periodic job or a work job, or a maintenance job's name
   * @throws Error for an unknown name
   */
  private runJob(name: string): Promise<void> {
    const job = [...this.periodicJobs, ...this.workJobs, this.healthReporter].find(
      ({ constructor }) => constructor.name === name,
    );
    return job ? job.runNow() : this.maintenance.runNow(name);
  }

  private readReadiness(): ReadinessStatus {
    return this.isStarted && !this.isStopping ? this.dependencies.readReadiness() : 'unavailable';
  }

  private async close(isDrained: boolean): Promise<void> {
    if (!isDrained) await this.runner.abort();
    // If the last health report fails, the results are still in the attempt log.
    await this.healthReporter.stop();
    await this.queue?.close();
    await this.database.close();
  }
}
