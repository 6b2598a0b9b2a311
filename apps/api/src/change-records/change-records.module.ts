import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { OneTimeTokensModule } from '../one-time-tokens/one-time-tokens.module.js';
import { ChangeRecordsService } from './change-records.service.js';

/** Records customer changes with everything that the event type declares. */
@Module({
  imports: [AuditModule, OneTimeTokensModule],
  providers: [ChangeRecordsService],
  exports: [ChangeRecordsService],
})
export class ChangeRecordsModule {}
