import { hostname } from 'node:os';
import { Inject, Injectable } from '@nestjs/common';
import { WorkersRepository } from '@gatehouse/persistence';
import { LOGGER, newId, VERSION, type Logger } from '@gatehouse/platform';
import { AttemptRunner } from '../delivery/attempt-runner.js';
import { PeriodicJob } from '../periodic-job/periodic-job.js';

const INTERVAL_MS = 5_000;

/**
 * Records that this worker is running, for the worker list in the console. A graceful stop removes the worker from the
 * list.
 */
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
    // If the database is unavailable, the worker counts as stopped once its heartbeats are missing.
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
