import { Module } from '@nestjs/common';
import { MailModule } from '../mail/mail.module.js';
import { MailTemplatesModule } from '../mail-templates/mail-templates.module.js';
import { OneTimeLinksService } from './one-time-links.service.js';

@Module({
  imports: [MailModule, MailTemplatesModule],
  providers: [OneTimeLinksService],
  exports: [OneTimeLinksService],
})
export class OneTimeTokensModule {}
