import { Module } from '@nestjs/common';
import { OneTimeLinks } from './one-time-links.service.js';
import { VerifiedAddressService } from './verified-address.service.js';

@Module({
  providers: [OneTimeLinks, VerifiedAddressService],
  exports: [OneTimeLinks, VerifiedAddressService],
})
export class OneTimeTokensModule {}
