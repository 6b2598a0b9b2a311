import { Inject, Injectable } from '@nestjs/common';
import { URGENCY } from '@gatehouse/domain';
import { DeliveryLinesRepository, type ClaimedAttempt } from '@gatehouse/persistence';
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
import { filled, Lanes, type Filled } from './lanes.js';

/** Most deliveries that one statement claims. */
const CLAIM_LIMIT = 200;

/** Most endpoints whose lines are looked at in one statement. */
const LINES_AT_ONCE = 500;

/** With Redis: how many sweeps long a delivery may be overdue before it counts as lost by the queue. */
const OVERDUE_SWEEPS = 2;

/** How long after a walk past the endpoints the next one may come, while some have no room, in ms. */
const WALK_EVERY_MS = 100;

/** Whoever leaves room is seldom alone: those of the next few ms are filled together. */
const ROOM_GATHER_MS = 5;

/**
 * Claims due deliveries from PostgreSQL. Without Redis, or while it is away, this is the source of work; with
 * Redis it picks up what the queue has lost, forgotten, never been told, or brought while there was no room.
 */
@Injectable()
export class DueSource {
  private isStopped = false;
  private isWoken = false;
  private wakeUp: () => void = () => undefined;
  private gathering: NodeJS.Timeout | undefined;
  private loop: Promise<void> = Promise.resolve();
  /** Whether the last look left something behind for want of room. */
  private isShort = false;
  private walkedAt = -Infinity;
  /** The last endpoint that the walk has looked at; null to begin anew. */
  private walkedTo: string | null = null;

  constructor(
    private readonly lines: DeliveryLinesRepository,
    private readonly lanes: Lanes,
    private readonly runner: AttemptRunner,
    private readonly config: Config,
    @Inject(DeliveryQueue) private readonly queue: DeliveryQueue | null,
    @Inject(WorkerMetrics) private readonly metrics: WorkerMetrics | null,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  start(): void {
    this.runner.onRoom = () => {
      if (!this.isShort && this.lanes.held.size === 0) return;
      this.gathering ??= setTimeout(() => {
        this.gathering = undefined;
        this.wake();
      }, ROOM_GATHER_MS);
    };
    this.loop = this.run();
  }

  /** Looks at once, also when a look is under way. */
  readonly wake = (): void => {
    this.isWoken = true;
    this.wakeUp();
  };

  async stop(): Promise<void> {
    this.isStopped = true;
    this.wake();
    await this.loop;
  }

  private async run(): Promise<void> {
    while (!this.isStopped) {
      this.isWoken = false;
      const pauseMs = await this.look().catch((error: unknown) => {
        this.logger.warn({ reason: errorMessage(error) }, 'delivery claim failed');
        return this.config.webhooks.sweepInterval;
      });
      if (!this.isWoken && pauseMs > 0) {
        const woken = new Promise<void>((resolve) => (this.wakeUp = resolve));
        await withTimeout(woken, pauseMs, 'not woken').catch(() => undefined);
      }
    }
  }

  /** Claims what is due and has room. @returns ms until the next look is worth it */
  private async look(): Promise<number> {
    const { sweepInterval } = this.config.webhooks;
    const isCarried = this.queue?.ready() ?? false;
    const overdueMs = isCarried ? OVERDUE_SWEEPS * sweepInterval : 0;
    // Batches are not carried: they may wait for the next look, and must not fill the queue.
    const overdue = [overdueMs, overdueMs, 0];
    await this.claimHeld();
    const { leaves } = this.lanes;
    const room = this.lanes.room(CLAIM_LIMIT);
    const due = this.begin(await this.lines.claimDue(room, overdue));
    if (isCarried)
      this.metrics?.repair('overdue', due.filter(({ urgency }) => urgency < URGENCY.batch).length);
    if (due.length === CLAIM_LIMIT) return 0;
    const full = filled(room, due);
    this.isShort = full.isAny;
    if (full.isAny) {
      const untilWalkMs = this.walkedAt + WALK_EVERY_MS - monotonicMs();
      if (this.walkedTo === null && untilWalkMs > 0) return Math.ceil(untilWalkMs);
      if (await this.walk(full, overdue)) return 0;
      return this.lanes.leaves === leaves ? sweepInterval : ROOM_GATHER_MS;
    }
    if (isCarried) return sweepInterval;
    const nextMs = await this.lines.nextDueInMs();
    return Math.min(Math.max(nextMs ?? sweepInterval, 1), sweepInterval);
  }

  /** Claims for endpoints whose jobs were turned away. */
  private async claimHeld(): Promise<void> {
    const { held } = this.lanes;
    const ids = [...held].slice(0, LINES_AT_ONCE);
    if (ids.length === 0) return;
    const room = this.lanes.room(CLAIM_LIMIT);
    for (const id of ids) held.delete(id);
    let left = ids;
    try {
      const claimed = this.begin(await this.lines.claimOf(ids, room, [0, 0, 0]));
      const full = filled(room, claimed);
      // Whom else the share of a project or of retries leaves waiting is not known.
      const isShared = full.projects.length > 0 || full.urgencies.includes(URGENCY.retry);
      if (claimed.length < room.limit && !isShared) left = full.endpoints;
    } finally {
      for (const id of left) held.add(id);
    }
  }

  /**
   * Steps from endpoint to endpoint, since those that have no room may fill the window of every look.
   * @returns whether there is more to walk
   */
  private async walk(full: Filled, overdueMs: readonly number[]): Promise<boolean> {
    this.walkedAt = monotonicMs();
    const ids = await this.lines.endpointsInLine(this.walkedTo, LINES_AT_ONCE);
    this.walkedTo = ids.length === LINES_AT_ONCE ? ids.at(-1)! : null;
    const open = ids.filter((id) => !full.endpoints.includes(id));
    if (open.length > 0) this.begin(await this.lines.claimOf(open, this.lanes.room(CLAIM_LIMIT), overdueMs));
    return this.walkedTo !== null;
  }

  private begin(claimed: ClaimedAttempt[]): ClaimedAttempt[] {
    for (const attempt of claimed) void this.runner.run(attempt);
    return claimed;
  }
}
