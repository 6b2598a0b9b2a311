import { attemptErrors, URGENCY, type AttemptResult } from '@gatehouse/domain';
import type { Metrics } from './metrics.js';

const attemptNumbers = ['1', '2', '3', '4', '5'] as const;

/** The kinds of repairs after a crash, a lost job or a race. */
export const repairs = ['worker_lost', 'overdue', 'orphan_cancelled'] as const;
export type Repair = (typeof repairs)[number];

/**
 * The results of an attempt to send an email. `captured`: no mail server is configured; `rejected` and `expired`: the
 * email has failed permanently; `postponed`: it will be sent later.
 */
export const mailResults = ['sent', 'captured', 'rejected', 'expired', 'postponed'] as const;
export type MailResult = (typeof mailResults)[number];

/**
 * The webhook-worker's metrics. The class is also their injection token. Its value is null if the process serves no
 * metrics.
 */
export class WorkerMetrics {
  private readonly attempts;
  private readonly durations;
  private readonly firstAttempts;
  private readonly repairCount;
  private readonly mails;

  constructor(metrics: Metrics) {
    metrics.registerBuildInfo('webhook-worker');
    metrics.registerDroppedLogLines();
    this.attempts = metrics.counter(
      'gatehouse_webhook_attempts_total',
      'Finished delivery attempts by attempt number and result: success, or the error in the delivery log.',
      { result: ['success', ...attemptErrors], attempt: attemptNumbers },
    );
    this.durations = metrics.histogram(
      'gatehouse_webhook_attempt_duration_seconds',
      'Time from the start of an attempt to the status line of the response, or to the failure.',
      [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    );
    this.firstAttempts = metrics.histogram(
      'gatehouse_webhook_first_attempt_delay_seconds',
      'Time from the transaction that created a delivery to its first attempt. Excludes bulk redeliveries.',
      [0.01, 0.025, 0.05, 0.06, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
    );
    this.repairCount = metrics.counter(
      'gatehouse_sweeper_repairs_total',
      'Repairs by kind: attempts by lost workers (worker_lost), overdue deliveries without a queue job (overdue), canceled deliveries to deleted endpoints (orphan_cancelled).',
      { kind: repairs },
    );
    this.mails = metrics.counter('gatehouse_mails_total', 'Attempts to send emails, by result.', {
      result: mailResults,
    });
  }

  /** @param ageMs the delivery's age in ms when the attempt was claimed */
  recordAttemptStart({ attempt, urgency, ageMs }: { attempt: number; urgency: number; ageMs: number }): void {
    if (attempt === 1 && urgency === URGENCY.first) this.firstAttempts.observe(ageMs / 1_000);
  }

  recordAttemptResult(attempt: number, { error, durationMs }: AttemptResult): void {
    this.attempts.inc({ result: error ?? 'success', attempt: String(attempt) });
    // The duration of a lost worker's request is unknown.
    if (error === 'worker_lost') this.recordRepairs(error, 1);
    else this.durations.observe(durationMs / 1_000);
  }

  recordRepairs(kind: Repair, count: number): void {
    this.repairCount.inc({ kind }, count);
  }

  recordMail(result: MailResult): void {
    this.mails.inc({ result });
  }
}
