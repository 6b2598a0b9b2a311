import { Inject, Injectable } from '@nestjs/common';
import { URGENCY } from '@gatehouse/domain';
import { ReadyQueueRepository, type ClaimedAttempt } from '@gatehouse/persistence';
import {
  Config,
  DeliveryQueue,
  errorMessage,
  LOGGER,
  monotonicMs,
  withTimeout,
  WorkerMetrics,
  type Logger,
} from '@gatehouse/platform';
import { AttemptRunner } from './attempt-runner.js';
import { exhaustedLimits, ConcurrencyLimits, type ExhaustedLimits } from './concurrency-limits.js';

/** Most deliveries that one statement claims. */
const CLAIM_LIMIT = 200;

/** Most endpoints whose lines are looked at in one statement. */
const ENDPOINTS_PER_SCAN = 500;

/** With Redis: how many sweeps long a delivery may be overdue before it counts as lost by the queue. */
const OVERDUE_SWEEPS = 2;

/** How long after a walk past the endpoints the next one may come, while some have no room, in ms. */
const SCAN_INTERVAL_MS = 100;

/** Whoever leaves room is seldom alone: those of the next few ms are filled together. */
const CAPACITY_DEBOUNCE_MS = 5;

/**
 * Claims due deliveries from PostgreSQL. Without Redis, or while it is away, this is the source of work; with
 * Redis it picks up what the queue has lost, forgotten, never been told, or brought while there was no room.
 */
@Injectable()
export class DuePoller {
  private isStopped = false;
  private isWoken = false;
  private resolveWake: () => void = () => undefined;
  private wakeTimer: NodeJS.Timeout | undefined;
  private loop: Promise<void> = Promise.resolve();
  /** Whether the last look left something behind for want of room. */
  private isCapacityShort = false;
  private lastScanAt = -Infinity;
  /** The last endpoint that the walk has looked at; null to begin anew. */
  private scanPosition: string | null = null;

  constructor(
    private readonly readyQueue: ReadyQueueRepository,
    private readonly limits: ConcurrencyLimits,
    private readonly runner: AttemptRunner,
    private readonly config: Config,
    @Inject(DeliveryQueue) private readonly queue: DeliveryQueue | null,
    @Inject(WorkerMetrics) private readonly metrics: WorkerMetrics | null,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  start(): void {
    this.runner.onCapacityFreed = () => {
      if (!this.isCapacityShort && this.limits.blockedEndpoints.size === 0) return;
      this.wakeTimer ??= setTimeout(() => {
        this.wakeTimer = undefined;
        this.wake();
      }, CAPACITY_DEBOUNCE_MS);
    };
    this.loop = this.run();
  }

  /** Looks at once, also when a look is under way. */
  readonly wake = (): void => {
    this.isWoken = true;
    this.resolveWake();
  };

  async stop(): Promise<void> {
    this.isStopped = true;
    this.wake();
    await this.loop;
  }

  private async run(): Promise<void> {
    while (!this.isStopped) {
      this.isWoken = false;
      const pauseMs = await this.poll().catch((error: unknown) => {
        this.logger.warn({ reason: errorMessage(error) }, 'delivery claim failed');
        return this.config.webhooks.sweepInterval;
      });
      if (!this.isWoken && pauseMs > 0) {
        const woken = new Promise<void>((resolve) => (this.resolveWake = resolve));
        await withTimeout(woken, pauseMs, 'not woken').catch(() => undefined);
      }
    }
  }

  /** Claims what is due and has room. @returns ms until the next look is worth it */
  private async poll(): Promise<number> {
    const { sweepInterval } = this.config.webhooks;
    const isCarried = this.queue?.isReady() ?? false;
    const overdueMs = isCarried ? OVERDUE_SWEEPS * sweepInterval : 0;
    // Batches are not carried: they may wait for the next look, and must not fill the queue.
    const overdue = [overdueMs, overdueMs, 0];
    await this.claimForBlockedEndpoints();
    const { releaseCount } = this.limits;
    const room = this.limits.getCapacity(CLAIM_LIMIT);
    const due = this.startAttempts(await this.readyQueue.claimDue(room, overdue));
    if (isCarried)
      this.metrics?.recordRepairs('overdue', due.filter(({ urgency }) => urgency < URGENCY.batch).length);
    if (due.length === CLAIM_LIMIT) return 0;
    const full = exhaustedLimits(room, due);
    this.isCapacityShort = full.isAny;
    if (full.isAny) {
      const untilWalkMs = this.lastScanAt + SCAN_INTERVAL_MS - monotonicMs();
      if (this.scanPosition === null && untilWalkMs > 0) return Math.ceil(untilWalkMs);
      if (await this.scanEndpoints(full, overdue)) return 0;
      return this.limits.releaseCount === releaseCount ? sweepInterval : CAPACITY_DEBOUNCE_MS;
    }
    if (isCarried) return sweepInterval;
    const nextMs = await this.readyQueue.getMsUntilNextDue();
    return Math.min(Math.max(nextMs ?? sweepInterval, 1), sweepInterval);
  }

  /** Claims for endpoints whose jobs were turned away. */
  private async claimForBlockedEndpoints(): Promise<void> {
    const { blockedEndpoints } = this.limits;
    const ids = [...blockedEndpoints].slice(0, ENDPOINTS_PER_SCAN);
    if (ids.length === 0) return;
    const room = this.limits.getCapacity(CLAIM_LIMIT);
    for (const id of ids) blockedEndpoints.delete(id);
    let left = ids;
    try {
      const claimed = this.startAttempts(await this.readyQueue.claimDueForEndpoints(ids, room, [0, 0, 0]));
      const full = exhaustedLimits(room, claimed);
      // Whom else the share of a project or of retries leaves waiting is not known.
      const isShared = full.projects.length > 0 || full.urgencies.includes(URGENCY.retry);
      if (claimed.length < room.limit && !isShared) left = full.endpoints;
    } finally {
      for (const id of left) blockedEndpoints.add(id);
    }
  }

  /**
   * Steps from endpoint to endpoint, since those that have no room may fill the window of every look.
   * @returns whether there is more to walk
   */
  private async scanEndpoints(full: ExhaustedLimits, overdueMs: readonly number[]): Promise<boolean> {
    this.lastScanAt = monotonicMs();
    const ids = await this.readyQueue.listEndpointsWithPending(this.scanPosition, ENDPOINTS_PER_SCAN);
    this.scanPosition = ids.length === ENDPOINTS_PER_SCAN ? ids.at(-1)! : null;
    const open = ids.filter((id) => !full.endpoints.includes(id));
    if (open.length > 0)
      this.startAttempts(
        await this.readyQueue.claimDueForEndpoints(open, this.limits.getCapacity(CLAIM_LIMIT), overdueMs),
      );
    return this.scanPosition !== null;
  }

  private startAttempts(claimed: ClaimedAttempt[]): ClaimedAttempt[] {
    for (const attempt of claimed) void this.runner.run(attempt);
    return claimed;
  }
}
