import { Inject, Injectable } from '@nestjs/common';
import { WorkersRepository } from '@gatehouse/persistence';
import { Config, LOGGER, monotonicMs, type Logger } from '@gatehouse/platform';

/** Reports when no webhook-worker has been running for a while (requirement RN-04). */
@Injectable()
export class WorkerWatchService {
  /** True if webhooks and emails wait because no worker is running. */
  isWorkerMissing = false;
  /**
   * The last time at which a worker was running or may have been running. Includes the start of this process
   * and failed checks.
   */
  private seenAt = monotonicMs();

  constructor(
    private readonly workers: WorkersRepository,
    private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Reads the heartbeats. Logs when no worker has been running for too long, and when a worker is running again.
   * @throws GatehouseError `unavailable`
   */
  async check(): Promise<void> {
    const idleMs = await this.workers.getMsWithoutWorker().catch((error: unknown) => {
      // Workers cannot write heartbeats during an outage. A worker that was already missing remains missing.
      if (!this.isWorkerMissing) this.seenAt = monotonicMs();
      throw error;
    });
    if (idleMs !== null) this.seenAt = Math.max(this.seenAt, monotonicMs() - idleMs);
    const missingMs = monotonicMs() - this.seenAt;
    const isMissing = missingMs >= this.config.alerts.noWorkerAfter;
    if (isMissing === this.isWorkerMissing) return;
    this.isWorkerMissing = isMissing;
    if (isMissing)
      this.logger.warn(
        { seconds: Math.round(missingMs / 1_000) },
        'no webhook-worker is running; webhooks and emails are waiting',
      );
    else this.logger.info('webhook-worker is running again');
  }
}
