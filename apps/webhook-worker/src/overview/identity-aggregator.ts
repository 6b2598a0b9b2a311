import { Inject, Injectable } from '@nestjs/common';
import { IdentityRollupsRepository } from '@gatehouse/persistence';
import { Config, LOGGER, type Logger } from '@gatehouse/platform';
import { RollupJob } from './rollup-job.js';

/** Aggregates sign-up and sign-in events for the overview. */
@Injectable()
export class IdentityAggregator extends RollupJob {
  constructor(rollups: IdentityRollupsRepository, config: Config, @Inject(LOGGER) logger: Logger) {
    super(rollups, config.webhooks.rollups.interval, logger, 'identity rollup failed');
  }
}
