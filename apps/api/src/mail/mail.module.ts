import { Module } from '@nestjs/common';
import { HttpModule } from '../http/http.module.js';
import { SystemMailsService } from './system-mails.service.js';
import { MailLogController } from './mail-log.controller.js';
import { MailLogService } from './mail-log.service.js';
import { MailQuotaService } from './mail-quota.service.js';
import { MailboxController } from './mailbox.controller.js';
import { MailboxService } from './mailbox.service.js';

@Module({
  imports: [HttpModule],
  controllers: [MailboxController, MailLogController],
  providers: [SystemMailsService, MailLogService, MailQuotaService, MailboxService],
  exports: [SystemMailsService, MailLogService, MailQuotaService, MailboxService],
})
export class MailModule {}
