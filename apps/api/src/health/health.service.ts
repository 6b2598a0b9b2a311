import { Inject, Injectable } from '@nestjs/common';
import { alertKinds } from '@gatehouse/domain';
import {
  AlertsRepository,
  AuditLogRepository,
  Database,
  listPendingMigrations,
  ProcessProblemsRepository,
  SystemStatusRepository,
  WorkersRepository,
} from '@gatehouse/persistence';
import { Config, DeliveryQueue, now, VERSION } from '@gatehouse/platform';
import { BillingService } from '../billing/billing.service.js';
import { UntrustedForwards } from '../http/untrusted-forwards.js';
import {
  ProcessProblemHealth,
  ReplicaHealth,
  WorkerHealth,
  type HealthResponse,
} from './dto/health.response.js';

/** Reads the installation's health from the database and from this process's state. */
@Injectable()
export class HealthService {
  private readonly startedAt = now();

  constructor(
    private readonly systemStatus: SystemStatusRepository,
    private readonly workers: WorkersRepository,
    private readonly processProblems: ProcessProblemsRepository,
    private readonly alerts: AlertsRepository,
    private readonly auditLog: AuditLogRepository,
    private readonly database: Database,
    private readonly billing: BillingService,
    private readonly config: Config,
    private readonly untrustedForwards: UntrustedForwards,
    @Inject(DeliveryQueue) private readonly queue: DeliveryQueue | null,
  ) {}

  async get(): Promise<HealthResponse> {
    const [systemStatus, workers, processProblems, openAlerts, pending, isAuditLogProtected, jobs] =
      await Promise.all([
        this.systemStatus.read(),
        this.workers.list(),
        this.processProblems.list(),
        this.alerts.listOpen(),
        listPendingMigrations(this.database),
        this.auditLog.isProtected(),
        this.queue?.countJobs() ?? null,
      ]);
    return {
      version: VERSION,
      node: process.versions.node,
      startedAt: this.startedAt.toISOString(),
      database: {
        version: systemStatus.version,
        migrations: { applied: systemStatus.migrationsApplied, pending: pending.length },
        auditLogProtected: isAuditLogProtected,
      },
      replica: ReplicaHealth.from(this.database.replica),
      redis: this.queue ? (this.queue.problem ?? 'connected') : 'not_configured',
      queue: {
        pending: systemStatus.pending,
        due: systemStatus.due,
        oldestDueAt: systemStatus.oldestDueAt?.toISOString() ?? null,
        inFlight: systemStatus.inFlight,
        deadLetters: systemStatus.deadLetters,
        jobs,
      },
      endpoints: { disabled: systemStatus.disabledEndpoints, failing: systemStatus.failingEndpoints },
      openAlerts: alertKinds.filter((kind) => openAlerts.some((alert) => alert.kind === kind)),
      workers: workers.map((worker) => WorkerHealth.from(worker)),
      processProblems: processProblems.map((problem) => ProcessProblemHealth.from(problem)),
      mail: {
        configured: this.config.mail.smtpUrl !== null,
        pending: systemStatus.mailsPending,
        failed: systemStatus.mailsFailed,
        failing: this.config.mail.smtpUrl === null ? 0 : systemStatus.mailsFailing,
        overLimit: systemStatus.mailsOverLimit,
        oldestPendingAt: systemStatus.oldestMailAt?.toISOString() ?? null,
      },
      billing: this.billing.provider,
      warnings: this.config.warnings,
      untrustedForwards: {
        count: this.untrustedForwards.count,
        lastAt: this.untrustedForwards.lastAt?.toISOString() ?? null,
      },
    };
  }
}
