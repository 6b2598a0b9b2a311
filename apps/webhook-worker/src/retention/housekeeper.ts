import { Inject, Injectable } from '@nestjs/common';
import { ensureAttemptPartitions, Transactions } from '@gatehouse/persistence';
import { Config, errorMessage, LOGGER, now, type Logger } from '@gatehouse/platform';
import { Chores } from './chores.js';

const HOUR_MS = 3_600_000;

/** Days of partitions that are always ready, so that a worker which cannot reach the database has time. */
const PARTITION_DAYS = 14;

/** Keeps the house once an hour: partitions ahead, then the chores. */
@Injectable()
export class Housekeeper {
  private timer: NodeJS.Timeout | undefined;
  private keeping = Promise.resolve();
  private readonly stopping = new AbortController();

  constructor(
    private readonly transactions: Transactions,
    private readonly chores: Chores,
    private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Makes partitions, without which no attempt can be closed. The rest goes on beside the deliveries. */
  async start(): Promise<void> {
    await this.makePartitions();
    if (!this.config.periodicJobs) return;
    this.keeping = this.doChores();
    this.timer = setInterval(() => {
      this.keeping = this.keeping.then(() => this.makePartitions()).then(() => this.doChores());
    }, HOUR_MS);
  }

  /** Does one task from its start. @throws Error when there is no such task, or what the task throws */
  async runNow(task: string): Promise<void> {
    const chore = this.chores.all.find(({ name }) => name === task);
    if (!chore) throw new Error(`unknown maintenance job ${task}`);
    await chore.run(this.stopping.signal);
  }

  /** Begins nothing more. @returns when the statement under way has ended */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    this.stopping.abort();
    await this.keeping;
  }

  private makePartitions(): Promise<void> {
    return this.perform('partitions', () =>
      this.transactions.run((tx) => ensureAttemptPartitions(tx, now(), PARTITION_DAYS)),
    );
  }

  private async doChores(): Promise<void> {
    const { signal } = this.stopping;
    for (const { name, run } of this.chores.all) await this.perform(name, () => run(signal));
  }

  /** One task that fails must not keep the others from being done. */
  private async perform(task: string, work: () => Promise<void>): Promise<void> {
    if (this.stopping.signal.aborted) return;
    try {
      await work();
    } catch (error) {
      this.logger.warn({ task, reason: errorMessage(error) }, 'maintenance job failed');
    }
  }
}
