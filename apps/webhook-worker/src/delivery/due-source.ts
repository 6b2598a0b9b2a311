import { Inject, Injectable } from '@nestjs/common';
import { DeliveryWorkRepository } from '#persistence';
import { Config, DeliveryQueue, errorMessage, LOGGER, withTimeout, type Logger } from '#platform';
import { AttemptRunner } from './attempt-runner.js';

/** Most deliveries that one statement claims. */
const CLAIM_LIMIT = 100;

/** With Redis: how many sweeps long a delivery may be overdue before it counts as lost by the queue. */
const OVERDUE_SWEEPS = 2;

/**
 * Claims due deliveries from PostgreSQL. Without Redis, or while it is away, this is the source of work;
 * with Redis it picks up what the queue has lost, forgotten or never been told.
 */
@Injectable()
export class DueSource {
  private isStopped = false;
  private isWoken = false;
  private wakeUp: () => void = () => undefined;
  private loop: Promise<void> = Promise.resolve();

  constructor(
    private readonly work: DeliveryWorkRepository,
    private readonly runner: AttemptRunner,
    private readonly config: Config,
    @Inject(DeliveryQueue) private readonly queue: DeliveryQueue | null,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  start(): void {
    this.runner.onFinished = () => {
      // Only when it stood still for want of room; otherwise the next look comes by itself.
      if (this.runner.capacity === 1) this.wake();
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
        this.logger.warn({ reason: errorMessage(error) }, 'due deliveries could not be read');
        return this.config.webhooks.sweepInterval;
      });
      if (!this.isWoken && pauseMs > 0) {
        const woken = new Promise<void>((resolve) => (this.wakeUp = resolve));
        await withTimeout(woken, pauseMs, 'nobody called').catch(() => undefined);
      }
    }
  }

  /** Claims what is due. @returns ms until the next look is worth it */
  private async look(): Promise<number> {
    const { sweepInterval } = this.config.webhooks;
    const limit = Math.min(this.runner.capacity, CLAIM_LIMIT);
    if (limit <= 0) return sweepInterval;
    const isCarried = this.queue?.ready() ?? false;
    const claimed = await this.work.claimDue(limit, isCarried ? OVERDUE_SWEEPS * sweepInterval : 0);
    for (const attempt of claimed) void this.runner.run(attempt);
    if (claimed.length === limit) return 0;
    if (isCarried) return sweepInterval;
    const nextMs = await this.work.nextDueInMs();
    return Math.min(Math.max(nextMs ?? sweepInterval, 1), sweepInterval);
  }
}
