import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { OneTimeTokensModule } from '../one-time-tokens/one-time-tokens.module.js';
import { PasskeysModule } from '../passkeys/passkeys.module.js';
import { FactorChangesService } from './factor-changes.service.js';
import { FactorCheckService } from './factor-check.service.js';
import { FactorCodesService } from './factor-codes.service.js';
import { FreshProofService } from './fresh-proof.service.js';

@Module({
  imports: [AuditModule, OneTimeTokensModule, PasskeysModule],
  providers: [FactorChangesService, FactorCheckService, FactorCodesService, FreshProofService],
  exports: [FactorChangesService, FactorCheckService, FactorCodesService, FreshProofService],
})
export class FactorsModule {}
