import { Inject, Injectable } from '@nestjs/common';
import { healthFromAttempt, mergeHealth, type EndpointHealth } from '@gatehouse/domain';
import { EndpointHealthRepository } from '@gatehouse/persistence';
import { Config, LOGGER, now, type Logger } from '@gatehouse/platform';
import { PeriodicJob } from '../periodic-job/periodic-job.js';

/**
 * Collects attempt results in memory and reports them every few seconds for all endpoints at once. One update per
 * attempt would serialize an endpoint's attempts. If a worker crashes, its unreported results are still in the attempt
 * log.
 */
@Injectable()
export class EndpointHealthReporter extends PeriodicJob {
  private pending = new Map<string, EndpointHealth>();

  constructor(
    private readonly health: EndpointHealthRepository,
    config: Config,
    @Inject(LOGGER) logger: Logger,
  ) {
    super(config.webhooks.health.reportInterval, logger, 'endpoint health report failed');
  }

  /** Stops the job and reports the remaining results. */
  override async stop(): Promise<void> {
    await super.stop();
    await this.run().catch(() => undefined);
  }

  /** Records an attempt's result for an endpoint, at the current time. */
  recordAttempt(endpointId: string, success: boolean): void {
    this.merge(endpointId, healthFromAttempt(success, now()));
  }

  protected async run(): Promise<void> {
    const reports = this.pending;
    if (reports.size === 0) return;
    this.pending = new Map();
    try {
      await this.health.mergeReports(reports);
    } catch (error) {
      const newReports = this.pending;
      this.pending = reports;
      for (const [endpointId, health] of newReports) this.merge(endpointId, health);
      throw error;
    }
  }

  private merge(endpointId: string, health: EndpointHealth): void {
    const before = this.pending.get(endpointId);
    this.pending.set(endpointId, before ? mergeHealth(before, health) : health);
  }
}
