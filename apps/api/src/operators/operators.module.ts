import { Module } from '@nestjs/common';
import { MailModule } from '../mail/mail.module.js';
import { OperatorLinksService } from './operator-links.service.js';

@Module({
  imports: [MailModule],
  providers: [OperatorLinksService],
  exports: [OperatorLinksService],
})
export class OperatorsModule {}
