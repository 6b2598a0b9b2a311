import { Injectable } from '@nestjs/common';
import { entireInstallation, GatehouseError, type ErrorCode } from '@gatehouse/domain';
import { OneTimeTokensRepository } from '@gatehouse/persistence';
import { CustomerMailsService } from '../customers/customer-mails.service.js';
import { customerPasswords, UnreadableRecordsService } from './unreadable-records.service.js';

/** Maximum number of customers per run. */
const PAGE_SIZE = 1_000;

/**
 * Time in seconds during which a customer receives at most one email, so that repeating a run sends no
 * duplicates.
 */
const REPEAT_SECONDS = 3_600;

/**
 * Errors for which a customer is skipped: the customer cannot sign in with a password, or has reached an email
 * limit.
 */
const skippedErrors: ErrorCode[] = [
  'conflict',
  'method_not_enabled',
  'not_found',
  'project_archived',
  'rate_limited',
  'sso_required',
];

/** Reason why a customer receives no email: the error that the API would return, or `sent_recently`. */
export type SkipReason = ErrorCode | 'sent_recently';

/** Result of a run. */
export interface SentResets {
  sent: number;
  /** Number of customers who received no email, by reason. */
  skipped: Map<SkipReason, number>;
  /** Position from which the next run continues; null after the last customer. */
  next: string | null;
  /** The error that ended the run, or null. */
  error: unknown;
}

/**
 * Sends password reset emails to customers whose passwords depend on an entry that is missing from GATEHOUSE_SECRET.
 */
@Injectable()
export class PasswordResetMailsService {
  constructor(
    private readonly records: UnreadableRecordsService,
    private readonly tokens: OneTimeTokensRepository,
    private readonly mails: CustomerMailsService,
  ) {}

  /** Counts the affected customers. */
  async count(): Promise<number> {
    const counts = await this.records.count(customerPasswords);
    return [...counts.values()].reduce((sum, count) => sum + count, 0);
  }

  /**
   * Sends an email to each of the next customers, except to customers with an unused reset link from the last hour.
   * Each email is stored in its own transaction.
   * @param position `next` from the previous run; null for the first run
   * @returns null if the position is not valid
   */
  async send(position: string | null): Promise<SentResets | null> {
    const page = await this.records.list(position, PAGE_SIZE, customerPasswords);
    if (!page) return null;
    const skipped = new Map<SkipReason, number>();
    let sent = 0;
    let last = position;
    try {
      for (const record of page.records) {
        const reason = await this.sendTo(record.key[0]!);
        if (reason) skipped.set(reason, (skipped.get(reason) ?? 0) + 1);
        else sent += 1;
        last = record.position;
      }
    } catch (error) {
      return { sent, skipped, next: last, error };
    }
    return { sent, skipped, next: page.next, error: null };
  }

  /** Sends an email to one customer. Returns the reason if the customer is skipped, otherwise null. */
  private async sendTo(customerId: string): Promise<SkipReason | null> {
    if (await this.tokens.hasRecent(customerId, 'reset-password', REPEAT_SECONDS)) return 'sent_recently';
    try {
      await this.mails.sendPasswordReset(entireInstallation, customerId);
      return null;
    } catch (error) {
      if (error instanceof GatehouseError && skippedErrors.includes(error.code)) return error.code;
      throw error;
    }
  }
}
