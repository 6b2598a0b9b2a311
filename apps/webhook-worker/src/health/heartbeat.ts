import { hostname } from 'node:os';
import { Inject, Injectable } from '@nestjs/common';
import { WorkersRepository } from '@gatehouse/persistence';
import { LOGGER, newId, VERSION, type Logger } from '@gatehouse/platform';
import { AttemptRunner } from '../delivery/attempt-runner.js';
import { PeriodicJob } from '../periodic-job.js';

const INTERVAL_MS = 5_000;

/** Tells operators that this worker is there, and that it is gone once it has stopped in order. */
@Injectable()
export class Heartbeat extends PeriodicJob {
  private readonly id = newId();

  constructor(
    private readonly workers: WorkersRepository,
    private readonly runner: AttemptRunner,
    @Inject(LOGGER) logger: Logger,
  ) {
    super(INTERVAL_MS, logger, 'heartbeat write failed');
  }

  override async stop(): Promise<void> {
    await super.stop();
    // Without a database it is seen to be silent.
    await this.workers.remove(this.id).catch(() => undefined);
  }

  protected run(): Promise<void> {
    const { id, runner } = this;
    return this.workers.recordHeartbeat({
      id,
      host: hostname(),
      version: VERSION,
      inFlight: runner.inFlightCount,
    });
  }
}
