import { Inject, Injectable } from '@nestjs/common';
import { URGENCY } from '@gatehouse/domain';
import { ReadyQueueRepository, UNRANKED_CLAIM, type ClaimedAttempt } from '@gatehouse/persistence';
import {
  Config,
  DeliveryQueue,
  errorMessage,
  LOGGER,
  monotonicMs,
  now,
  withTimeout,
  WorkerMetrics,
  type Logger,
} from '@gatehouse/platform';
import { AttemptRunner } from './attempt-runner.js';
import { exhaustedLimits, ConcurrencyLimits, type ExhaustedLimits } from './concurrency-limits.js';

/** Maximum number of deliveries that one statement claims. */
const CLAIM_LIMIT = 200;

/** Maximum number of endpoints that one statement scans. */
const ENDPOINTS_PER_SCAN = 500;

/** Number of sweep intervals after which a due delivery counts as lost by the queue, if Redis is used. */
const OVERDUE_SWEEPS = 2;

/** Minimum time between two endpoint scans while some endpoints have no capacity, in ms. */
const SCAN_INTERVAL_MS = 100;

/**
 * Delay between a release of capacity and the next poll, in ms. Releases often come in bursts, and a single poll can
 * then use all released capacity.
 */
const CAPACITY_DEBOUNCE_MS = 5;

/**
 * Claims due deliveries from PostgreSQL. Without Redis, or while it is unavailable, the poller finds all work. With
 * Redis, it finds deliveries whose job was lost, was never enqueued, or arrived while there was no capacity.
 */
@Injectable()
export class DuePoller {
  private isStopped = false;
  private isWoken = false;
  private resolveWake: () => void = () => undefined;
  private wakeTimer: NodeJS.Timeout | undefined;
  private loop: Promise<void> = Promise.resolve();
  /** True if the last poll may have left due deliveries unclaimed because there was no capacity. */
  private isCapacityShort = false;
  private lastScanAt = -Infinity;
  /** When the next delivery is due, and when that time was read, in ms on the monotonic clock. */
  private nextDueAt = 0;
  private nextDueReadAt = -Infinity;
  /** Last endpoint that the endpoint scan has covered; null to start from the beginning. */
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

  /** Triggers a poll immediately, or after the current poll if one is running. */
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
      const { isWoken } = this;
      this.isWoken = false;
      const pauseMs = await this.poll(isWoken).catch((error: unknown) => {
        this.logger.warn({ reason: errorMessage(error) }, 'delivery claim failed');
        return this.config.webhooks.sweepInterval;
      });
      if (!this.isWoken && pauseMs > 0) {
        const woken = new Promise<void>((resolve) => (this.resolveWake = resolve));
        await withTimeout(woken, pauseMs, 'not woken').catch(() => undefined);
      }
    }
  }

  /**
   * Claims due deliveries within the capacity.
   * @param isWoken true if new deliveries may be due
   * @returns ms until the next poll
   */
  private async poll(isWoken: boolean): Promise<number> {
    const { sweepInterval } = this.config.webhooks;
    const isQueueReady = this.queue?.isReady() ?? false;
    if (!isQueueReady && !this.isScanDue && this.limits.hasCapacityFor(UNRANKED_CLAIM)) {
      if (!isWoken && !(await this.isAnyDue())) return this.getPause();
      const claimed = await this.startAttempts(this.readyQueue.claimUnranked());
      if (mayHaveMore(claimed)) return 0;
      this.isCapacityShort = false;
      return this.getPause();
    }
    const overdueMs = isQueueReady ? OVERDUE_SWEEPS * sweepInterval : 0;
    // Bulk redeliveries are never enqueued, because they must not fill the queue. The poller claims them as soon as
    // they are due.
    const overdue = [overdueMs, overdueMs, 0];
    await this.claimForBlockedEndpoints();
    const { releaseCount } = this.limits;
    const capacity = this.limits.getCapacity(CLAIM_LIMIT);
    const due = await this.startAttempts(this.readyQueue.claimDue(capacity, overdue));
    if (isQueueReady)
      this.metrics?.recordRepairs('overdue', due.filter(({ urgency }) => urgency < URGENCY.batch).length);
    if (due.length === CLAIM_LIMIT) return 0;
    const exhausted = exhaustedLimits(capacity, due);
    this.isCapacityShort = exhausted.hasAny;
    if (exhausted.hasAny) {
      const untilScanMs = this.lastScanAt + SCAN_INTERVAL_MS - monotonicMs();
      if (this.scanPosition === null && untilScanMs > 0) return Math.ceil(untilScanMs);
      if (await this.scanEndpoints(exhausted, overdue)) return 0;
      return this.limits.releaseCount === releaseCount ? sweepInterval : CAPACITY_DEBOUNCE_MS;
    }
    return isQueueReady ? sweepInterval : this.getPause();
  }

  /**
   * True if deliveries may be waiting behind deliveries to endpoints without capacity. Only a ranked claim and an
   * endpoint scan find them.
   */
  private get isScanDue(): boolean {
    if (this.limits.blockedEndpoints.size > 0) return true;
    if (!this.isCapacityShort) return false;
    return this.scanPosition !== null || this.lastScanAt + SCAN_INTERVAL_MS <= monotonicMs();
  }

  /** Returns the time until the next delivery is due, at most the sweep interval, in ms. */
  private async getPause(): Promise<number> {
    if (this.nextDueAt <= monotonicMs() || this.isNextDueOutdated) await this.readNextDue();
    return Math.min(Math.max(this.nextDueAt - monotonicMs(), 1), this.config.webhooks.sweepInterval);
  }

  private async isAnyDue(): Promise<boolean> {
    if (this.nextDueAt > monotonicMs() && this.isNextDueOutdated) await this.readNextDue();
    return this.nextDueAt <= monotonicMs();
  }

  /** The due time is read at most once per sweep interval, because new deliveries wake the poller. */
  private get isNextDueOutdated(): boolean {
    return this.nextDueReadAt + this.config.webhooks.sweepInterval <= monotonicMs();
  }

  private async readNextDue(): Promise<void> {
    const nextMs = await this.readyQueue.getMsUntilNextDue();
    this.nextDueReadAt = monotonicMs();
    this.nextDueAt = nextMs === null ? Infinity : this.nextDueReadAt + nextMs;
  }

  /** Claims deliveries to endpoints whose jobs were rejected. */
  private async claimForBlockedEndpoints(): Promise<void> {
    const { blockedEndpoints } = this.limits;
    const ids = [...blockedEndpoints].slice(0, ENDPOINTS_PER_SCAN);
    if (ids.length === 0) return;
    const capacity = this.limits.getCapacity(CLAIM_LIMIT);
    for (const id of ids) blockedEndpoints.delete(id);
    let stillBlocked = ids;
    try {
      const claimed = await this.startAttempts(
        this.readyQueue.claimDueForEndpoints(ids, capacity, [0, 0, 0]),
      );
      const exhausted = exhaustedLimits(capacity, claimed);
      // An exhausted project or retry limit may block any of the endpoints, so all of them stay blocked.
      const isShared = exhausted.projects.length > 0 || exhausted.urgencies.includes(URGENCY.retry);
      if (claimed.length < capacity.limit && !isShared) stillBlocked = exhausted.endpoints;
    } finally {
      for (const id of stillBlocked) blockedEndpoints.add(id);
    }
  }

  /**
   * Claims endpoint by endpoint, because deliveries to endpoints without capacity may fill the window of every poll.
   * @returns true if there are more endpoints to scan
   */
  private async scanEndpoints(exhausted: ExhaustedLimits, overdueMs: readonly number[]): Promise<boolean> {
    this.lastScanAt = monotonicMs();
    const ids = await this.readyQueue.listEndpointsWithPending(this.scanPosition, ENDPOINTS_PER_SCAN);
    this.scanPosition = ids.length === ENDPOINTS_PER_SCAN ? ids.at(-1)! : null;
    const available = ids.filter((id) => !exhausted.endpoints.includes(id));
    if (available.length > 0)
      await this.startAttempts(
        this.readyQueue.claimDueForEndpoints(available, this.limits.getCapacity(CLAIM_LIMIT), overdueMs),
      );
    return this.scanPosition !== null;
  }

  private async startAttempts(claim: Promise<ClaimedAttempt[]>): Promise<ClaimedAttempt[]> {
    const claimStart = now();
    const claimed = await claim;
    for (const attempt of claimed) void this.runner.run(attempt, claimStart);
    return claimed;
  }
}

/** Returns whether an unranked claim has reached its limit for an urgency, so that more deliveries may be due. */
const mayHaveMore = (claimed: readonly ClaimedAttempt[]): boolean =>
  UNRANKED_CLAIM.some(
    (limit, urgency) => claimed.filter((item) => item.urgency === urgency).length === limit,
  );
