import { attemptErrors, URGENCY, type AttemptResult } from '#domain';
import type { Metrics } from './metrics.js';

const attemptNumbers = ['1', '2', '3', '4', '5'] as const;

/** What is put right after a crash, a lost job or a race. */
export const repairs = ['worker_lost', 'overdue', 'orphan_cancelled'] as const;
export type Repair = (typeof repairs)[number];

/** What the webhook-worker measures; also its injection token, null without METRICS_PORT. */
export class WorkerMetrics {
  private readonly attempts;
  private readonly durations;
  private readonly firstAttempts;
  private readonly repaired;

  constructor(metrics: Metrics) {
    metrics.introduce('webhook-worker');
    this.attempts = metrics.counter(
      'gatehouse_webhook_attempts_total',
      'Closed attempts by number and result: success, or the error that the log of deliveries shows.',
      { result: ['success', ...attemptErrors], attempt: attemptNumbers },
    );
    this.durations = metrics.histogram(
      'gatehouse_webhook_attempt_duration_seconds',
      'From the start of an attempt to the status line, or to the failure.',
      [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    );
    this.firstAttempts = metrics.histogram(
      'gatehouse_webhook_first_attempt_delay_seconds',
      'From the transaction that made a delivery to its first attempt; without deliveries of batches, which wait their turn.',
      [0.01, 0.025, 0.05, 0.06, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
    );
    this.repaired = metrics.counter(
      'gatehouse_sweeper_repairs_total',
      'Attempts of lost workers that were closed, due deliveries that no job of the queue had brought, deliveries of endpoints that are gone.',
      { kind: repairs },
    );
  }

  /** @param ageMs of the delivery, when the attempt was claimed */
  attemptBegun({ attempt, urgency, ageMs }: { attempt: number; urgency: number; ageMs: number }): void {
    if (attempt === 1 && urgency === URGENCY.first) this.firstAttempts.observe(ageMs / 1_000);
  }

  attemptClosed(attempt: number, { error, durationMs }: AttemptResult): void {
    this.attempts.inc({ result: error ?? 'success', attempt: String(attempt) });
    // How long the request of a lost worker took is not known.
    if (error === 'worker_lost') this.repair(error, 1);
    else this.durations.observe(durationMs / 1_000);
  }

  repair(kind: Repair, count: number): void {
    this.repaired.inc({ kind }, count);
  }
}
