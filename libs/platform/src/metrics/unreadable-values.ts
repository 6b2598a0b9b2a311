import type { Counter } from 'prom-client';
import type { Logger } from '../logging/logger.js';
import type { Metrics } from './metrics.js';
import { storedPurposes, UnreadableValueError } from '../crypto/keyring.js';

/** The ids of the record that contains a value. Never an email address. */
type Subject = Record<string, string | null>;

/**
 * Reports stored values that cannot be read because an entry in GATEHOUSE_SECRET was lost or removed too early, in the
 * log and in a metric (docs/adr/0092).
 */
export class UnreadableValues {
  private readonly counter: Counter | undefined;

  constructor(
    metrics: Metrics | null,
    private readonly logger: Logger,
  ) {
    this.counter = metrics?.counter(
      'gatehouse_unreadable_values_total',
      'Uses of stored values that could not be read because their entry is missing in GATEHOUSE_SECRET, by purpose.',
      { purpose: storedPurposes },
    );
  }

  /** Reports an error that occurred when a value was used. Ignores errors with another cause. */
  report(error: unknown, subject: Subject): void {
    if (!(error instanceof UnreadableValueError)) return;
    const { purpose, message: reason } = error;
    this.counter?.inc({ purpose });
    this.logger.warn({ ...subject, purpose, reason }, 'stored value not readable');
  }

  /**
   * Returns the result of `read`, or null after a report if the value cannot be read.
   * @throws all errors from `read` with another cause
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
