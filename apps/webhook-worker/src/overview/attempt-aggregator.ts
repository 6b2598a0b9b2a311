import { Inject, Injectable } from '@nestjs/common';
import { AttemptRollupsRepository } from '@gatehouse/persistence';
import { Config, LOGGER, type Logger } from '@gatehouse/platform';
import { RollupJob } from './rollup-job.js';

/** Aggregates the attempt log for the overview. */
@Injectable()
export class AttemptAggregator extends RollupJob {
  constructor(rollups: AttemptRollupsRepository, config: Config, @Inject(LOGGER) logger: Logger) {
    super(rollups, config.webhooks.rollups.interval, logger, 'attempt rollup failed');
  }
}
