import { Inject, Injectable } from '@nestjs/common';
import { ensureAttemptPartitions, LoginAttemptsRepository, Transactions } from '#persistence';
import { errorMessage, LOGGER, now, type Logger } from '#platform';

const HOUR_MS = 3_600_000;

/** Days of partitions that are always ready, so that a worker which cannot reach the database has time. */
const PARTITION_DAYS = 14;

/** What has to be done once an hour: partitions ahead, expired counters away. */
@Injectable()
export class Housekeeper {
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly transactions: Transactions,
    private readonly loginAttempts: LoginAttemptsRepository,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async start(): Promise<void> {
    await this.keep();
    this.timer = setInterval(() => void this.keep(), HOUR_MS);
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private async keep(): Promise<void> {
    try {
      await this.transactions.run((tx) => ensureAttemptPartitions(tx, now(), PARTITION_DAYS));
      await this.loginAttempts.prune();
    } catch (error) {
      this.logger.warn({ reason: errorMessage(error) }, 'housekeeping failed');
    }
  }
}
