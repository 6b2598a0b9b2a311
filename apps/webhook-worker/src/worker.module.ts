import { Module, type DynamicModule } from '@nestjs/common';
import { PersistenceModule } from '#persistence';
import { PlatformModule, type Config, type Logger } from '#platform';
import { AttemptRunner } from './delivery/attempt-runner.js';
import { DueSource } from './delivery/due-source.js';
import { WebhookSender } from './delivery/webhook-sender.js';
import { MailSender } from './mail/mail-sender.js';
import { Sweeper } from './recovery/sweeper.js';
import { Chores } from './retention/chores.js';
import { ExpiringKeys } from './retention/expiring-keys.js';
import { Housekeeper } from './retention/housekeeper.js';
import { WorkerService } from './worker.service.js';

@Module({
  providers: [
    AttemptRunner,
    Chores,
    DueSource,
    ExpiringKeys,
    Housekeeper,
    MailSender,
    Sweeper,
    WebhookSender,
    WorkerService,
  ],
})
export class WorkerModule {
  static for(config: Config, logger: Logger): DynamicModule {
    return { module: WorkerModule, imports: [PlatformModule.for(config, logger), PersistenceModule] };
  }
}
