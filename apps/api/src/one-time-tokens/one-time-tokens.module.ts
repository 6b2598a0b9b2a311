import { Module } from '@nestjs/common';
import { OneTimeLinksService } from './one-time-links.service.js';
import { VerifiedAddressService } from './verified-address.service.js';

@Module({
  providers: [OneTimeLinksService, VerifiedAddressService],
  exports: [OneTimeLinksService, VerifiedAddressService],
})
export class OneTimeTokensModule {}
