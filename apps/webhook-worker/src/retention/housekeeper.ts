import { Inject, Injectable } from '@nestjs/common';
import {
  ensureAttemptPartitions,
  IdempotencyKeysRepository,
  LoginAttemptsRepository,
  MailsRepository,
  OneTimeTokensRepository,
  SessionsRepository,
  Transactions,
} from '#persistence';
import { errorMessage, LOGGER, now, type Logger } from '#platform';

const HOUR_MS = 3_600_000;

/** Days of partitions that are always ready, so that a worker which cannot reach the database has time. */
const PARTITION_DAYS = 14;

/** How long what has ended is kept, so that an old link or token still gets its own answer. */
const KEPT_DAYS = 30;

/** Rows that one statement removes: few enough for its time-out. */
const PRUNE_LIMIT = 2_000;

/** What has to be done once an hour: partitions ahead; counters, sessions, tokens and mails of the past away. */
@Injectable()
export class Housekeeper {
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly transactions: Transactions,
    private readonly loginAttempts: LoginAttemptsRepository,
    private readonly answers: IdempotencyKeysRepository,
    private readonly sessions: SessionsRepository,
    private readonly tokens: OneTimeTokensRepository,
    private readonly mails: MailsRepository,
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
      while ((await this.answers.prune(PRUNE_LIMIT)) === PRUNE_LIMIT);
      for (const repository of [this.sessions, this.tokens, this.mails]) {
        while ((await repository.prune(KEPT_DAYS, PRUNE_LIMIT)) === PRUNE_LIMIT);
      }
    } catch (error) {
      this.logger.warn({ reason: errorMessage(error) }, 'housekeeping failed');
    }
  }
}
