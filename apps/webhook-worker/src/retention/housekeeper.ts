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

/** What has to be done once an hour: partitions ahead; counters, sessions, tokens and mails of the past away. */
@Injectable()
export class Housekeeper {
  private timer: NodeJS.Timeout | undefined;
  private keeping = Promise.resolve();
  private readonly stopping = new AbortController();

  constructor(
    private readonly transactions: Transactions,
    private readonly loginAttempts: LoginAttemptsRepository,
    private readonly answers: IdempotencyKeysRepository,
    private readonly sessions: SessionsRepository,
    private readonly tokens: OneTimeTokensRepository,
    private readonly mails: MailsRepository,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Makes partitions, without which no attempt can be closed. The rest goes on beside the deliveries. */
  async start(): Promise<void> {
    await this.makePartitions();
    this.keeping = this.prune();
    this.timer = setInterval(() => {
      this.keeping = this.keeping.then(() => this.makePartitions()).then(() => this.prune());
    }, HOUR_MS);
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

  private async prune(): Promise<void> {
    const { signal } = this.stopping;
    await this.perform('login attempts', () => this.loginAttempts.prune(signal));
    await this.perform('answers', () => this.answers.prune(signal));
    await this.perform('sessions', () => this.sessions.prune(KEPT_DAYS, signal));
    await this.perform('one-time tokens', () => this.tokens.prune(KEPT_DAYS, signal));
    await this.perform('mails', () => this.mails.prune(KEPT_DAYS, signal));
  }

  /** One task that fails must not keep the others from being done. */
  private async perform(task: string, work: () => Promise<void>): Promise<void> {
    if (this.stopping.signal.aborted) return;
    try {
      await work();
    } catch (error) {
      this.logger.warn({ task, reason: errorMessage(error) }, 'housekeeping failed');
    }
  }
}
