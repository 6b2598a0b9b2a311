import { Inject, Injectable } from '@nestjs/common';
import {
  GatehouseError,
  retryDelay,
  URGENCY,
  type AttemptResult,
  type ClosedAttempt,
  type DeliveryState,
} from '@gatehouse/domain';
import {
  DeliveryWorkRepository,
  type ClaimedAttempt,
  type CloseResult,
  type LostAttempt,
} from '@gatehouse/persistence';
import {
  Batcher,
  Config,
  DeliveryQueue,
  errorMessage,
  Failpoints,
  LOGGER,
  randomFraction,
  sleep,
  WorkerMetrics,
  type DeliveryJob,
  type Logger,
} from '@gatehouse/platform';
import { EndpointReports } from '../health/endpoint-reports.js';
import { Lanes, type Lane } from './lanes.js';
import { WebhookSender } from './webhook-sender.js';

/** How often a close is tried while the database is away; after that the lease decides. */
const CLOSE_TRIES = 20;
const CLOSE_PAUSE_MS = 500;

/** From a claim to the closed attempt: claim, send, close, hand over the next attempt. */
@Injectable()
export class AttemptRunner {
  private readonly inFlight = new Set<Promise<void>>();
  private readonly claims: Batcher<DeliveryJob, ClaimedAttempt | null>;
  private readonly closes: Batcher<ClosedAttempt, CloseResult>;

  /** Called when an attempt has ended and left room. */
  onRoom: () => void = () => undefined;

  constructor(
    work: DeliveryWorkRepository,
    private readonly sender: WebhookSender,
    private readonly lanes: Lanes,
    private readonly reports: EndpointReports,
    private readonly config: Config,
    private readonly failpoints: Failpoints,
    @Inject(DeliveryQueue) private readonly queue: DeliveryQueue | null,
    @Inject(WorkerMetrics) private readonly metrics: WorkerMetrics | null,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.claims = new Batcher((jobs) => work.claim(jobs));
    this.closes = new Batcher((attempts) => work.close(attempts), 100);
  }

  /** How many attempts are. */
  get underWay(): number {
    return this.inFlight.size;
  }

  /** Runs the attempt that a job points to, if it is still to be made; without room for it the due source will. */
  async runJob(job: DeliveryJob): Promise<void> {
    const lane = { ...job, urgency: job.attempt === 1 ? URGENCY.first : URGENCY.retry };
    if (!this.lanes.tryEnter(lane)) return;
    try {
      const attempt = await this.claims.add(job);
      if (attempt) await this.track(attempt);
    } finally {
      this.leave(lane);
    }
  }

  /** Runs a claimed attempt to its end. Never rejects. */
  async run(attempt: ClaimedAttempt): Promise<void> {
    this.lanes.enter(attempt);
    await this.track(attempt);
    this.leave(attempt);
  }

  /** Closes an attempt whose worker was lost: it counts, so a target never gets more than five requests. */
  async closeLost(lost: LostAttempt): Promise<void> {
    const { deliveryId, attempt, durationMs } = lost;
    const result: AttemptResult = {
      httpStatus: 0,
      success: false,
      error: 'worker_lost',
      durationMs,
      responseBody: '',
      retryAfter: null,
    };
    await this.close(lost, result);
    this.logger.warn({ deliveryId, attempt }, 'attempt recorded as worker_lost');
  }

  /** Resolves when what is in flight now has ended. */
  async settle(): Promise<void> {
    await Promise.all(this.inFlight);
  }

  /** Breaks off what is in flight; each attempt is closed as `worker_lost`, so no lease is left behind. */
  abort(): Promise<void> {
    this.sender.abort();
    return this.settle();
  }

  private leave(lane: Lane): void {
    this.lanes.leave(lane);
    this.onRoom();
  }

  private track(attempt: ClaimedAttempt): Promise<void> {
    const running = this.attempt(attempt)
      .catch((error: unknown) => {
        this.logger.error(
          { deliveryId: attempt.deliveryId, reason: errorMessage(error) },
          'attempt outcome not recorded',
        );
      })
      .finally(() => this.inFlight.delete(running));
    this.inFlight.add(running);
    return running;
  }

  private async attempt(attempt: ClaimedAttempt): Promise<void> {
    this.metrics?.attemptBegun(attempt);
    const result = await this.sender.send(attempt);
    this.failpoints.hit('delivery.before-close');
    const state = await this.close(attempt, result);
    if (state) this.reports.note(attempt.endpointId, result.success);
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

  private async close(
    claimed: Omit<LostAttempt, 'durationMs'>,
    result: AttemptResult,
  ): Promise<DeliveryState | null> {
    const { deliveryId, attemptId, attempt } = claimed;
    const nextDelayMs = result.success
      ? null
      : retryDelay(this.config.webhooks.schedule, attempt + 1, randomFraction());
    const state = await this.closeWithPatience({ ...result, deliveryId, attemptId, nextDelayMs });
    if (state) this.metrics?.attemptClosed(attempt, result);
    if (state === 'pending' && nextDelayMs !== null) await this.handOver(claimed, nextDelayMs);
    return state;
  }

  private async closeWithPatience(closed: ClosedAttempt): Promise<CloseResult> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.closes.add(closed);
      } catch (error) {
        const isAway = error instanceof GatehouseError && error.code === 'unavailable';
        if (!isAway || tries === CLOSE_TRIES) throw error;
        await sleep(CLOSE_PAUSE_MS);
      }
    }
  }

  /** With Redis the next attempt is a delayed job; without, and of a batch, the due source finds it. */
  private async handOver(closed: Omit<LostAttempt, 'durationMs'>, delayMs: number): Promise<void> {
    if (closed.urgency === URGENCY.batch || !this.queue?.ready()) return;
    const { deliveryId, endpointId, projectId, attempt } = closed;
    const job = { deliveryId, endpointId, projectId, attempt: attempt + 1, delayMs };
    await this.queue.add([job]).catch((error: unknown) => {
      this.logger.warn({ reason: errorMessage(error) }, 'retry enqueue failed; left to the due poller');
    });
  }
}
