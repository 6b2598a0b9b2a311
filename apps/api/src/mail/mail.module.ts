import { Module } from '@nestjs/common';
import { HttpModule } from '../http/http.module.js';
import { HouseMails } from './house-mails.service.js';
import { MailQuota } from './mail-quota.service.js';
import { MailboxController } from './mailbox.controller.js';
import { MailboxService } from './mailbox.service.js';

@Module({
  imports: [HttpModule],
  controllers: [MailboxController],
  providers: [HouseMails, MailQuota, MailboxService],
  exports: [HouseMails, MailQuota, MailboxService],
})
export class MailModule {}
