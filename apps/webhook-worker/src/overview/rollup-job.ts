import { sleep, type Logger } from '@gatehouse/platform';
import { PeriodicJob } from '../periodic-job/periodic-job.js';

/** Pause between batches, in ms, so that aggregating a long log does not delay deliveries. */
const PAUSE_MS = 200;

/** Aggregates a log in batches. Only one worker aggregates a log at any time. */
export abstract class RollupJob extends PeriodicJob {
  constructor(
    private readonly rollups: { rollUpNextBatch(): Promise<boolean> },
    intervalMs: number,
    logger: Logger,
    failureMessage: string,
  ) {
    super(intervalMs, logger, failureMessage);
  }

  protected async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && (await this.rollups.rollUpNextBatch())) await sleep(PAUSE_MS);
  }
}
