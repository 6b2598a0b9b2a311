import { Inject, Injectable } from '@nestjs/common';
import { FiguresWriterRepository } from '@gatehouse/persistence';
import { Config, LOGGER, sleep, type Logger } from '@gatehouse/platform';
import { PeriodicJob } from '../periodic-job.js';

/** Between two parts of a long log, so that it is counted beside the deliveries and not before them. */
const PAUSE_MS = 200;

/** Counts the log of attempts for the overview, a part at a time; of several workers one does it. */
@Injectable()
export class LogCounter extends PeriodicJob {
  constructor(
    private readonly figures: FiguresWriterRepository,
    config: Config,
    @Inject(LOGGER) logger: Logger,
  ) {
    super(config.webhooks.figures.countInterval, logger, 'attempt rollup failed');
  }

  protected async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && (await this.figures.count())) await sleep(PAUSE_MS);
  }
}
