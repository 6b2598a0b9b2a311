import { Injectable } from '@nestjs/common';
import { Database, DependencyHealth, type ReadinessStatus } from '@gatehouse/persistence';
import type { HealthReport } from '@gatehouse/platform';
import { Readiness } from '../http/readiness.js';
import { WorkerWatchService } from './worker-watch.service.js';

/** Provides the responses for health probes and monitoring. */
@Injectable()
export class Probes {
  constructor(
    private readonly readiness: Readiness,
    private readonly workerWatch: WorkerWatchService,
    private readonly dependencies: DependencyHealth,
    private readonly database: Database,
  ) {}

  /** Returns this process's readiness. Does not wait for another server. */
  readReadiness(): ReadinessStatus {
    if (!this.readiness.started || this.readiness.draining) return 'unavailable';
    const status = this.dependencies.readReadiness();
    return status === 'ready' && this.workerWatch.isWorkerMissing ? 'degraded' : status;
  }

  /** Returns the state of each component in the installation. Does not wait for another server. */
  readHealth(): HealthReport {
    return this.dependencies.read(this.readReadiness(), {
      replica: describeReplica(this.database.replica),
      webhookWorker: this.workerWatch.isWorkerMissing ? 'missing' : 'ok',
    });
  }
}

function describeReplica(replica: Database['replica']): string {
  if (!replica) return 'not_configured';
  if (replica.isUsed === null) return 'unknown';
  return replica.isUsed ? 'ok' : 'not_used';
}
