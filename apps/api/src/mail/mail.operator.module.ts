import { Module } from '@nestjs/common';
import { MailModule } from './mail.module.js';
import { MailboxOperatorController } from './mailbox.operator.controller.js';

@Module({
  imports: [MailModule],
  controllers: [MailboxOperatorController],
})
export class MailOperatorModule {}
