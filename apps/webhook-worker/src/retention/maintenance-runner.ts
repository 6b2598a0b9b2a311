import { Inject, Injectable } from '@nestjs/common';
import { ensureAttemptPartitions, Transactions } from '@gatehouse/persistence';
import { Config, errorMessage, LOGGER, now, type Logger } from '@gatehouse/platform';
import { MaintenanceJobs } from './maintenance-jobs.js';

const HOUR_MS = 3_600_000;

/** Number of days for which partitions are created in advance, so that a temporary database outage does no harm. */
const PARTITION_DAYS = 14;

/** Once an hour, creates partitions in advance and then runs the maintenance jobs. */
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

  /** Creates the partitions, which are required to record outcomes. The jobs then run in the background. */
  async start(): Promise<void> {
    await this.createPartitions();
    if (!this.config.periodicJobs) return;
    this.currentRun = this.runJobs();
    this.timer = setInterval(() => {
      this.currentRun = this.currentRun.then(() => this.createPartitions()).then(() => this.runJobs());
    }, HOUR_MS);
  }

  /** Runs one job completely. @throws Error for an unknown name, or the error from the job */
  async runNow(name: string): Promise<void> {
    const job = this.maintenanceJobs.jobs.find((candidate) => candidate.name === name);
    if (!job) throw new Error(`unknown maintenance job ${name}`);
    await job.run(this.abortController.signal);
  }

  /** Starts no further jobs. Resolves when the current statement has ended. */
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

  /** Runs a job and logs its error, so that the other jobs still run. */
  private async runJob(task: string, work: () => Promise<void>): Promise<void> {
    if (this.abortController.signal.aborted) return;
    try {
      await work();
    } catch (error) {
      this.logger.warn({ task, reason: errorMessage(error) }, 'maintenance job failed');
    }
  }
}
