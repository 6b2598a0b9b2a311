import { Inject, Injectable } from '@nestjs/common';
import { AttemptRollupsRepository } from '@gatehouse/persistence';
import { Config, LOGGER, sleep, type Logger } from '@gatehouse/platform';
import { PeriodicJob } from '../periodic-job.js';

/** Pause between two batches of a long log, in ms, so that counting does not delay deliveries. */
const PAUSE_MS = 200;

/**
 * Aggregates the attempt log for the overview, one batch at a time. Only one worker aggregates at any time.
 */
@Injectable()
export class AttemptAggregator extends PeriodicJob {
  constructor(
    private readonly rollups: AttemptRollupsRepository,
    config: Config,
    @Inject(LOGGER) logger: Logger,
  ) {
    super(config.webhooks.rollups.interval, logger, 'attempt rollup failed');
  }

  protected async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && (await this.rollups.rollUpNextBatch())) await sleep(PAUSE_MS);
  }
}
