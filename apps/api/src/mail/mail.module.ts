import { Module } from '@nestjs/common';
import { HttpModule } from '../http/http.module.js';
import { SystemMailsService } from './system-mails.service.js';
import { MailQuotaService } from './mail-quota.service.js';
import { MailboxController } from './mailbox.controller.js';
import { MailboxService } from './mailbox.service.js';

@Module({
  imports: [HttpModule],
  controllers: [MailboxController],
  providers: [SystemMailsService, MailQuotaService, MailboxService],
  exports: [SystemMailsService, MailQuotaService, MailboxService],
})
export class MailModule {}
