import { Inject, Injectable } from '@nestjs/common';
import { DeliveryWorkRepository } from '#persistence';
import { Config, errorMessage, LOGGER, type Logger } from '#platform';
import { AttemptRunner } from '../delivery/attempt-runner.js';

const LOST_LIMIT = 200;

/** Only a race between an outcome and a delete leaves an orphan, so every tenth sweep looks for them. */
const SWEEPS_PER_ORPHAN_SEARCH = 10;

/** Puts right what crashes and races leave behind, every second. */
@Injectable()
export class Sweeper {
  private timer: NodeJS.Timeout | undefined;
  private isSweeping = false;
  private sweeps = 0;

  constructor(
    private readonly work: DeliveryWorkRepository,
    private readonly runner: AttemptRunner,
    private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  start(): void {
    this.timer = setInterval(() => void this.sweep(), this.config.webhooks.sweepInterval);
  }

  stop(): void {
    clearInterval(this.timer);
  }

  /** Closes attempts whose lease has run out, and cancels what waits for an endpoint that is gone. */
  private async sweep(): Promise<void> {
    if (this.isSweeping) return;
    this.isSweeping = true;
    try {
      const lost = await this.work.findLost(LOST_LIMIT);
      await Promise.all(lost.map((attempt) => this.runner.closeLost(attempt)));
      if (this.sweeps++ % SWEEPS_PER_ORPHAN_SEARCH === 0) await this.work.cancelOrphans();
    } catch (error) {
      this.logger.warn({ reason: errorMessage(error) }, 'sweep failed');
    } finally {
      this.isSweeping = false;
    }
  }
}
