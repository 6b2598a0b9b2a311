import { Module } from '@nestjs/common';
import { SessionsModule } from '../sessions/sessions.module.js';
import { OneTimeLinksService } from './one-time-links.service.js';
import { VerifiedAddressService } from './verified-address.service.js';

@Module({
  imports: [SessionsModule],
  providers: [OneTimeLinksService, VerifiedAddressService],
  exports: [OneTimeLinksService, VerifiedAddressService],
})
export class OneTimeTokensModule {}
