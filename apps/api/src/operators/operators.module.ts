import { Module } from '@nestjs/common';
import { MailModule } from '../mail/mail.module.js';
import { OperatorLinks } from './operator-links.service.js';

@Module({
  imports: [MailModule],
  providers: [OperatorLinks],
  exports: [OperatorLinks],
})
export class OperatorsModule {}
