import { Module, type DynamicModule } from '@nestjs/common';
import { clockAndHostMonitorProvider, PersistenceModule } from '@gatehouse/persistence';
import { Metrics, PlatformModule, WorkerMetrics, type Config, type Logger } from '@gatehouse/platform';
import { Alerter } from './alerts/alerter.js';
import { AttemptRunner } from './delivery/attempt-runner.js';
import { DuePoller } from './delivery/due-poller.js';
import { ReplayRunner } from './delivery/replay-runner.js';
import { ConcurrencyLimits } from './delivery/concurrency-limits.js';
import { WebhookSender } from './delivery/webhook-sender.js';
import { DomainChecker } from './domains/domain-checker.js';
import { RequiredDomainEnforcer } from './domains/required-domain-enforcer.js';
import { ClockAndHostChecker } from './health/clock-and-host-checker.js';
import { DependencyChecker } from './health/dependency-checker.js';
import { EndpointHealthReporter } from './endpoint-health/endpoint-health-reporter.js';
import { FailingEndpointDisabler } from './endpoint-health/failing-endpoint-disabler.js';
import { Heartbeat } from './health/heartbeat.js';
import { MailSender } from './mail/mail-sender.js';
import { AttemptAggregator } from './overview/attempt-aggregator.js';
import { IdentityAggregator } from './overview/identity-aggregator.js';
import { RollupMaintenance } from './overview/rollup-maintenance.js';
import { BulkRedeliveryRunner } from './recovery/bulk-redelivery-runner.js';
import { DeadLetterNotifier } from './recovery/dead-letter-notifier.js';
import { Sweeper } from './recovery/sweeper.js';
import { MaintenanceJobs } from './retention/maintenance-jobs.js';
import { ExpiringKeyNotifier } from './retention/expiring-key-notifier.js';
import { MaintenanceRunner } from './retention/maintenance-runner.js';
import type { PeriodicJob } from './periodic-job/periodic-job.js';
import type { WorkJob } from './periodic-job/work-job.js';
import { WORK_JOBS, WorkPoller } from './periodic-job/work-poller.js';
import { PERIODIC_JOBS, WorkerService } from './worker.service.js';

@Module({
  providers: [
    Alerter,
    AttemptRunner,
    BulkRedeliveryRunner,
    ClockAndHostChecker,
    DependencyChecker,
    MaintenanceJobs,
    DeadLetterNotifier,
    DomainChecker,
    DuePoller,
    EndpointHealthReporter,
    ExpiringKeyNotifier,
    FailingEndpointDisabler,
    Heartbeat,
    MaintenanceRunner,
    ConcurrencyLimits,
    AttemptAggregator,
    IdentityAggregator,
    MailSender,
    ReplayRunner,
    RequiredDomainEnforcer,
    RollupMaintenance,
    Sweeper,
    WebhookSender,
    WorkerService,
    WorkPoller,
    {
      provide: WORK_JOBS,
      useFactory: (...jobs: WorkJob[]) => jobs,
      inject: [
        BulkRedeliveryRunner,
        DeadLetterNotifier,
        MailSender,
        ReplayRunner,
        RequiredDomainEnforcer,
        Sweeper,
      ],
    },
    {
      provide: PERIODIC_JOBS,
      useFactory: (...jobs: PeriodicJob[]) => jobs,
      inject: [
        Alerter,
        ClockAndHostChecker,
        DependencyChecker,
        FailingEndpointDisabler,
        Heartbeat,
        AttemptAggregator,
        IdentityAggregator,
        WorkPoller,
      ],
    },
    clockAndHostMonitorProvider('webhook-worker'),
    {
      provide: WorkerMetrics,
      useFactory: (metrics: Metrics | null) => metrics && new WorkerMetrics(metrics),
      inject: [Metrics],
    },
  ],
})
export class WorkerModule {
  static forRoot(config: Config, logger: Logger): DynamicModule {
    return { module: WorkerModule, imports: [PlatformModule.forRoot(config, logger), PersistenceModule] };
  }
}
