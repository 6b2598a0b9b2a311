import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { AccountLifecycleService } from './account-lifecycle.service.js';
import { VerifiedAddressService } from './verified-address.service.js';

/** The beginning of accounts, and the end of their access. */
@Module({
  imports: [AuditModule],
  providers: [AccountLifecycleService, VerifiedAddressService],
  exports: [AccountLifecycleService, VerifiedAddressService],
})
export class AccountsModule {}
