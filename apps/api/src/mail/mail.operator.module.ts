import { Module } from '@nestjs/common';
import { MailModule } from './mail.module.js';
import { MailLogOperatorController } from './mail-log.operator.controller.js';
import { MailboxOperatorController } from './mailbox.operator.controller.js';

@Module({
  imports: [MailModule],
  controllers: [MailboxOperatorController, MailLogOperatorController],
})
export class MailOperatorModule {}
