import { Module } from '@nestjs/common';
import { MailModule } from '../mail/mail.module.js';
import { MailTemplatesModule } from '../mail-templates/mail-templates.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { OneTimeLinksService } from './one-time-links.service.js';
import { VerifiedAddressService } from './verified-address.service.js';

@Module({
  imports: [MailModule, MailTemplatesModule, SessionsModule],
  providers: [OneTimeLinksService, VerifiedAddressService],
  exports: [OneTimeLinksService, VerifiedAddressService],
})
export class OneTimeTokensModule {}
