import { Inject, Injectable } from '@nestjs/common';
import {
  GatehouseError,
  retryDelay,
  type AttemptResult,
  type ClosedAttempt,
  type DeliveryState,
} from '#domain';
import {
  DeliveryWorkRepository,
  type ClaimedAttempt,
  type CloseResult,
  type LostAttempt,
} from '#persistence';
import {
  Config,
  DeliveryQueue,
  errorMessage,
  Gatherer,
  LOGGER,
  randomFraction,
  sleep,
  type DeliveryJob,
  type Logger,
} from '#platform';
import { WebhookSender } from './webhook-sender.js';

/** How often a close is tried while the database is away; after that the lease decides. */
const CLOSE_TRIES = 20;
const CLOSE_PAUSE_MS = 500;

/** From a claim to the closed attempt: claim, send, close, hand over the next attempt. */
@Injectable()
export class AttemptRunner {
  private readonly inFlight = new Set<Promise<void>>();
  private readonly claims: Gatherer<DeliveryJob, ClaimedAttempt | null>;
  private readonly closes: Gatherer<ClosedAttempt, CloseResult>;

  /** Called whenever an attempt has ended. */
  onFinished: () => void = () => undefined;

  constructor(
    work: DeliveryWorkRepository,
    private readonly sender: WebhookSender,
    private readonly config: Config,
    @Inject(DeliveryQueue) private readonly queue: DeliveryQueue | null,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.claims = new Gatherer((jobs) => work.claim(jobs));
    this.closes = new Gatherer((attempts) => work.close(attempts), 100);
  }

  /** How many more attempts this worker may begin. */
  get capacity(): number {
    return this.config.webhooks.concurrency - this.inFlight.size;
  }

  /** Runs the attempt that a job points to, if it is still to be made. */
  async runJob(job: DeliveryJob): Promise<void> {
    const attempt = await this.claims.add(job);
    if (attempt) await this.run(attempt);
  }

  /** Runs a claimed attempt to its end. Never rejects. */
  run(attempt: ClaimedAttempt): Promise<void> {
    const running = this.attempt(attempt)
      .catch((error: unknown) => {
        this.logger.error(
          { deliveryId: attempt.deliveryId, reason: errorMessage(error) },
          'attempt was not closed',
        );
      })
      .finally(() => {
        this.inFlight.delete(running);
        this.onFinished();
      });
    this.inFlight.add(running);
    return running;
  }

  /** Closes an attempt whose worker was lost: it counts, so a target never gets more than five requests. */
  async closeLost(lost: LostAttempt): Promise<void> {
    const { deliveryId, attemptId, attempt, durationMs } = lost;
    const result: AttemptResult = {
      httpStatus: 0,
      success: false,
      error: 'worker_lost',
      durationMs,
      responseBody: '',
      retryAfter: null,
    };
    await this.close({ deliveryId, attemptId, attempt }, result);
    this.logger.warn({ deliveryId, attempt }, 'an attempt was lost with its worker');
  }

  /** Resolves when what is in flight now has ended. */
  async settle(): Promise<void> {
    await Promise.all(this.inFlight);
  }

  private async attempt(attempt: ClaimedAttempt): Promise<void> {
    const result = await this.sender.send(attempt);
    const state = await this.close(attempt, result);
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
        fault: result.error,
        durationMs: result.durationMs,
        deliveryState: state ?? 'claim lost',
      },
      'delivery attempt',
    );
  }

  private async close(
    { deliveryId, attemptId, attempt }: Pick<ClaimedAttempt, 'deliveryId' | 'attemptId' | 'attempt'>,
    result: AttemptResult,
  ): Promise<DeliveryState | null> {
    const nextDelayMs = result.success
      ? null
      : retryDelay(this.config.webhooks.schedule, attempt + 1, randomFraction());
    const state = await this.closeWithPatience({ ...result, deliveryId, attemptId, nextDelayMs });
    if (state === 'pending' && nextDelayMs !== null)
      await this.handOver({ deliveryId, attempt: attempt + 1 }, nextDelayMs);
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

  private async handOver(job: DeliveryJob, delayMs: number): Promise<void> {
    if (!this.queue?.ready()) return;
    await this.queue.add([{ ...job, delayMs }]).catch((error: unknown) => {
      this.logger.warn({ reason: errorMessage(error) }, 'the next attempt is left to the sweeper');
    });
  }
}
