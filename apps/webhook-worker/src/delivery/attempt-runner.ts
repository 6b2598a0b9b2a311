import { Inject, Injectable } from '@nestjs/common';
import {
  GatehouseError,
  retryDelay,
  URGENCY,
  type AttemptResult,
  type FinishedAttempt,
  type DeliveryState,
} from '@gatehouse/domain';
import {
  DeliveryProcessingRepository,
  type ClaimedAttempt,
  type RecordedOutcome,
  type LostAttempt,
} from '@gatehouse/persistence';
import {
  Batcher,
  Config,
  DeliveryQueue,
  errorMessage,
  Failpoints,
  LOGGER,
  now,
  randomFraction,
  runInSpan,
  sleep,
  tracing,
  WorkerMetrics,
  type DeliveryJob,
  type Logger,
} from '@gatehouse/platform';
import { EndpointHealthReporter } from '../endpoint-health/endpoint-health-reporter.js';
import { ConcurrencyLimits, type ConcurrencyKey } from './concurrency-limits.js';
import { lostAttempt, WebhookSender } from './webhook-sender.js';

/**
 * Maximum number of attempts to record an outcome while the database is unavailable. After the last one, the lease
 * expires.
 */
const MAX_RECORD_ATTEMPTS = 20;
const RECORD_RETRY_DELAY_MS = 500;

/** Outcomes can wait longer than claims, because their requests have already finished. */
const OUTCOME_BATCHES = { intervalMs: 25, maxBatchSize: 100 };

/** Runs attempts: claims the delivery, sends the request, records the outcome and enqueues the retry. */
@Injectable()
export class AttemptRunner {
  private readonly inFlight = new Set<Promise<void>>();
  private readonly claimBatcher: Batcher<DeliveryJob, ClaimedAttempt | null>;
  private readonly outcomeBatcher: Batcher<FinishedAttempt, RecordedOutcome>;
  private readonly retryBatcher = new Batcher(async (jobs: Parameters<DeliveryQueue['add']>[0]) => {
    await this.queue!.add(jobs);
    return jobs;
  });

  /** Called when an attempt has ended and released its capacity. */
  onCapacityFreed: () => void = () => undefined;

  constructor(
    work: DeliveryProcessingRepository,
    private readonly sender: WebhookSender,
    private readonly limits: ConcurrencyLimits,
    private readonly healthReporter: EndpointHealthReporter,
    private readonly config: Config,
    private readonly failpoints: Failpoints,
    @Inject(DeliveryQueue) private readonly queue: DeliveryQueue | null,
    @Inject(WorkerMetrics) private readonly metrics: WorkerMetrics | null,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.claimBatcher = new Batcher((jobs) => work.claim(jobs));
    this.outcomeBatcher = new Batcher((attempts) => work.recordOutcomes(attempts), OUTCOME_BATCHES);
  }

  /** Number of attempts in flight. */
  get inFlightCount(): number {
    return this.inFlight.size;
  }

  /** Runs a job's attempt if it is still pending. If there is no capacity, the due poller runs it later. */
  async runJob(job: DeliveryJob): Promise<void> {
    const key = { ...job, urgency: job.attempt === 1 ? URGENCY.first : URGENCY.retry };
    if (!this.limits.tryAcquire(key)) return;
    let attempt: ClaimedAttempt | null = null;
    const claimStart = now();
    try {
      attempt = await this.claimBatcher.add(job);
    } finally {
      if (!attempt) {
        this.limits.release(key);
        this.onCapacityFreed();
      }
    }
    if (attempt) await this.track(attempt, key, claimStart);
  }

  /**
   * Runs a claimed attempt until it has ended. Never rejects.
   * @param claimStart time at which the claim statement was sent
   */
  async run(attempt: ClaimedAttempt, claimStart: Date): Promise<void> {
    this.limits.acquire(attempt);
    await this.track(attempt, attempt, claimStart);
  }

  /**
   * Records the outcome `worker_lost` for an attempt. It counts as an attempt, so that a target never receives more
   * than five requests.
   */
  async recordLost(lost: LostAttempt): Promise<void> {
    const { deliveryId, attempt, durationMs } = lost;
    await this.recordOutcome(lost, lostAttempt(durationMs));
    this.logger.warn({ deliveryId, attempt }, 'attempt recorded as worker_lost');
  }

  /** Resolves when all current attempts have ended. */
  async waitForInFlight(): Promise<void> {
    await Promise.all(this.inFlight);
  }

  /** Aborts all attempts in flight. Each is recorded as `worker_lost`, so that no lease remains. */
  abort(): Promise<void> {
    this.sender.abort();
    return this.waitForInFlight();
  }

  /** @param key the capacity that the attempt uses */
  private track(attempt: ClaimedAttempt, key: ConcurrencyKey, claimStart: Date): Promise<void> {
    const running = this.runInTrace(attempt, key, claimStart)
      .catch((error: unknown) => {
        this.logger.error(
          { deliveryId: attempt.deliveryId, reason: errorMessage(error) },
          'attempt outcome not recorded',
        );
      })
      .finally(() => {
        this.inFlight.delete(running);
        this.limits.releaseWorker();
        this.onCapacityFreed();
      });
    this.inFlight.add(running);
    return running;
  }

  /** Runs an attempt as part of its event's trace, or in a new trace if the event has none. */
  private runInTrace(attempt: ClaimedAttempt, key: ConcurrencyKey, claimStart: Date): Promise<void> {
    const run = (): Promise<void> => {
      tracing?.record({ name: 'claim delivery', kind: 'INTERNAL', startTime: claimStart }, now());
      return this.runAttempt(attempt, key);
    };
    return runInSpan(() => describeAttempt(attempt, claimStart), run, attempt.traceparent);
  }

  private async runAttempt(attempt: ClaimedAttempt, key: ConcurrencyKey): Promise<void> {
    this.metrics?.recordAttemptStart(attempt);
    const result = await this.sender.send(attempt).finally(() => {
      this.limits.releaseTarget(key);
      this.onCapacityFreed();
    });
    this.failpoints.hit('delivery.before-record');
    const state = await this.recordOutcome(attempt, result);
    // `worker_lost` does not reflect the endpoint's health.
    if (state && result.error !== 'worker_lost')
      this.healthReporter.recordAttempt(attempt.endpointId, result.success);
    this.logger.info(
      {
        deliveryId: attempt.deliveryId,
        attemptId: attempt.attemptId,
        eventId: attempt.eventId,
        event: attempt.eventType,
        endpointId: attempt.endpointId,
        projectId: attempt.projectId,
        attempt: attempt.attempt,
        httpStatus: result.httpStatus,
        reason: result.error,
        durationMs: result.durationMs,
        deliveryState: state ?? 'claim lost',
      },
      'delivery attempt',
    );
  }

  private async recordOutcome(
    claimed: Omit<LostAttempt, 'durationMs'>,
    result: AttemptResult,
  ): Promise<DeliveryState | null> {
    const { deliveryId, attemptId, attempt } = claimed;
    const nextDelayMs = result.success
      ? null
      : retryDelay(this.config.webhooks.retrySchedule, attempt + 1, randomFraction());
    const state = await this.recordWithRetries({ ...result, deliveryId, attemptId, nextDelayMs });
    if (state) this.metrics?.recordAttemptResult(attempt, result);
    if (state === 'pending' && nextDelayMs !== null) await this.enqueueRetry(claimed, nextDelayMs);
    return state;
  }

  private async recordWithRetries(finished: FinishedAttempt): Promise<RecordedOutcome> {
    for (let attempts = 1; ; attempts += 1) {
      try {
        return await this.outcomeBatcher.add(finished);
      } catch (error) {
        const isUnavailable = error instanceof GatehouseError && error.code === 'unavailable';
        if (!isUnavailable || attempts === MAX_RECORD_ATTEMPTS) throw error;
        await sleep(RECORD_RETRY_DELAY_MS);
      }
    }
  }

  /**
   * Enqueues the next attempt as a delayed job. Without Redis, and for bulk redeliveries, the due poller finds it
   * instead.
   */
  private async enqueueRetry(finished: Omit<LostAttempt, 'durationMs'>, delayMs: number): Promise<void> {
    if (finished.urgency === URGENCY.batch || !this.queue?.isReady()) return;
    const { deliveryId, endpointId, projectId, attempt } = finished;
    const job = { deliveryId, endpointId, projectId, attempt: attempt + 1, delayMs };
    await this.retryBatcher.add(job).catch((error: unknown) => {
      this.logger.warn(
        { reason: errorMessage(error) },
        'retry enqueue failed; the due poller will pick it up',
      );
    });
  }
}

/** Returns the options of an attempt's span, which starts with the claim. */
const describeAttempt = (attempt: ClaimedAttempt, startTime: Date) => ({
  name: 'deliver webhook',
  kind: 'CONSUMER' as const,
  startTime,
  attributes: {
    'gatehouse.event_id': attempt.eventId,
    'gatehouse.event_type': attempt.eventType,
    'gatehouse.delivery_id': attempt.deliveryId,
    'gatehouse.endpoint_id': attempt.endpointId,
    'gatehouse.attempt': attempt.attempt,
  },
});
