import type { Counter } from 'prom-client';
import type { Logger } from '../logging/logger.js';
import type { Metrics } from './metrics.js';
import { storedPurposes, UnreadableValueError } from '../crypto/keyring.js';

/** The ids of the record that contains the value. Never an email address. */
type Subject = Record<string, string | null>;

/**
 * Reports stored values that cannot be read, in the log and in a metric. The usual cause is an entry of
 * GATEHOUSE_SECRET that was lost or removed too early (docs/adr/0092).
 */
export class UnreadableValues {
  private readonly counter: Counter | undefined;

  constructor(
    metrics: Metrics | null,
    private readonly logger: Logger,
  ) {
    this.counter = metrics?.counter(
      'gatehouse_unreadable_values_total',
      'Uses of stored values that could not be read because the entry that encrypted them is no longer in GATEHOUSE_SECRET, by purpose.',
      { purpose: storedPurposes },
    );
  }

  /** Reports an error that occurred when a value was used. Ignores errors other than `UnreadableValueError`. */
  report(error: unknown, subject: Subject): void {
    if (!(error instanceof UnreadableValueError)) return;
    const { purpose, message: reason } = error;
    this.counter?.inc({ purpose });
    this.logger.warn({ ...subject, purpose, reason }, 'stored value unreadable');
  }

  /**
   * Returns the result of `read`. If the value cannot be read, reports this and returns null.
   * @throws all other errors from `read`
   */
  readOrNull<Result>(subject: Subject, read: () => Result): Result | null {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof UnreadableValueError)) throw error;
      this.report(error, subject);
      return null;
    }
  }
}
