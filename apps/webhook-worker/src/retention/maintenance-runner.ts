import { Inject, Injectable } from '@nestjs/common';
import { ensureAttemptPartitions, Transactions } from '@gatehouse/persistence';
import { Config, errorMessage, LOGGER, now, type Logger } from '@gatehouse/platform';
import { MaintenanceJobs } from './maintenance-jobs.js';

const HOUR_MS = 3_600_000;

/** Days of partitions that are always ready, so that a worker which cannot reach the database has time. */
const PARTITION_DAYS = 14;

/** Keeps the house once an hour: partitions ahead, then the chores. */
@Injectable()
export class MaintenanceRunner {
  private timer: NodeJS.Timeout | undefined;
  private currentRun = Promise.resolve();
  private readonly abortController = new AbortController();

  constructor(
    private readonly transactions: Transactions,
    private readonly maintenanceJobs: MaintenanceJobs,
    private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Makes partitions, without which no attempt can be closed. The rest goes on beside the deliveries. */
  async start(): Promise<void> {
    await this.createPartitions();
    if (!this.config.periodicJobs) return;
    this.currentRun = this.runJobs();
    this.timer = setInterval(() => {
      this.currentRun = this.currentRun.then(() => this.createPartitions()).then(() => this.runJobs());
    }, HOUR_MS);
  }

  /** Does one task from its start. @throws Error when there is no such task, or what the task throws */
  async runNow(name: string): Promise<void> {
    const chore = this.maintenanceJobs.jobs.find((job) => job.name === name);
    if (!chore) throw new Error(`unknown maintenance job ${name}`);
    await chore.run(this.abortController.signal);
  }

  /** Begins nothing more. @returns when the statement under way has ended */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    this.abortController.abort();
    await this.currentRun;
  }

  private createPartitions(): Promise<void> {
    return this.runJob('partitions', () =>
      this.transactions.run((tx) => ensureAttemptPartitions(tx, now(), PARTITION_DAYS)),
    );
  }

  private async runJobs(): Promise<void> {
    const { signal } = this.abortController;
    for (const { name, run } of this.maintenanceJobs.jobs) await this.runJob(name, () => run(signal));
  }

  /** One task that fails must not keep the others from being done. */
  private async runJob(task: string, work: () => Promise<void>): Promise<void> {
    if (this.abortController.signal.aborted) return;
    try {
      await work();
    } catch (error) {
      this.logger.warn({ task, reason: errorMessage(error) }, 'maintenance job failed');
    }
  }
}
