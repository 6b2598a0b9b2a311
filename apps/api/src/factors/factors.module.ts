import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { ChangeRecordsModule } from '../change-records/change-records.module.js';
import { IdentitiesModule } from '../identities/identities.module.js';
import { MailTemplatesModule } from '../mail-templates/mail-templates.module.js';
import { MailModule } from '../mail/mail.module.js';
import { OneTimeTokensModule } from '../one-time-tokens/one-time-tokens.module.js';
import { PasskeysModule } from '../passkeys/passkeys.module.js';
import { FactorChangesService } from './factor-changes.service.js';
import { FactorCheckService } from './factor-check.service.js';
import { FactorCodesService } from './factor-codes.service.js';
import { FailedSignInsService } from './failed-sign-ins.service.js';
import { FreshProofService } from './fresh-proof.service.js';
import { ReauthenticationCodesService } from './reauthentication-codes.service.js';

/** The services that other modules use. */
const services = [
  FactorChangesService,
  FactorCheckService,
  FactorCodesService,
  FailedSignInsService,
  FreshProofService,
  ReauthenticationCodesService,
];

@Module({
  imports: [
    AuditModule,
    ChangeRecordsModule,
    IdentitiesModule,
    MailModule,
    MailTemplatesModule,
    OneTimeTokensModule,
    PasskeysModule,
  ],
  providers: services,
  exports: services,
})
export class FactorsModule {}
