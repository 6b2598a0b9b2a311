import { Inject, Injectable } from '@nestjs/common';
import { AttemptRollupsRepository } from '@gatehouse/persistence';
import { Config, LOGGER, sleep, type Logger } from '@gatehouse/platform';
import { PeriodicJob } from '../periodic-job.js';

/** Between two parts of a long log, so that it is counted beside the deliveries and not before them. */
const PAUSE_MS = 200;

/** Counts the log of attempts for the overview, a part at a time; of several workers one does it. */
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
