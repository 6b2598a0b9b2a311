import { Module, type DynamicModule } from '@nestjs/common';
import { PersistenceModule } from '@gatehouse/persistence';
import { Metrics, PlatformModule, WorkerMetrics, type Config, type Logger } from '@gatehouse/platform';
import { Alerter } from './alerts/alerter.js';
import { AttemptRunner } from './delivery/attempt-runner.js';
import { DueSource } from './delivery/due-source.js';
import { Lanes } from './delivery/lanes.js';
import { WebhookSender } from './delivery/webhook-sender.js';
import { EndpointReports } from './health/endpoint-reports.js';
import { FailingEndpoints } from './health/failing-endpoints.js';
import { Heartbeat } from './health/heartbeat.js';
import { MailSender } from './mail/mail-sender.js';
import { LogCounter } from './overview/log-counter.js';
import { BatchRunner } from './recovery/batch-runner.js';
import { DeadLetterNews } from './recovery/dead-letter-news.js';
import { Sweeper } from './recovery/sweeper.js';
import { Chores } from './retention/chores.js';
import { ExpiringKeys } from './retention/expiring-keys.js';
import { Housekeeper } from './retention/housekeeper.js';
import type { PeriodicJob } from './periodic-job.js';
import { PERIODIC_JOBS, WorkerService } from './worker.service.js';

@Module({
  providers: [
    Alerter,
    AttemptRunner,
    BatchRunner,
    Chores,
    DeadLetterNews,
    DueSource,
    EndpointReports,
    ExpiringKeys,
    FailingEndpoints,
    Heartbeat,
    Housekeeper,
    Lanes,
    LogCounter,
    MailSender,
    Sweeper,
    WebhookSender,
    WorkerService,
    {
      provide: PERIODIC_JOBS,
      useFactory: (...jobs: PeriodicJob[]) => jobs,
      inject: [
        Alerter,
        BatchRunner,
        DeadLetterNews,
        FailingEndpoints,
        Heartbeat,
        LogCounter,
        MailSender,
        Sweeper,
      ],
    },
    {
      provide: WorkerMetrics,
      useFactory: (metrics: Metrics | null) => metrics && new WorkerMetrics(metrics),
      inject: [Metrics],
    },
  ],
})
export class WorkerModule {
  static for(config: Config, logger: Logger): DynamicModule {
    return { module: WorkerModule, imports: [PlatformModule.for(config, logger), PersistenceModule] };
  }
}
