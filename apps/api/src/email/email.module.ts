import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { ChangeRecordsModule } from '../change-records/change-records.module.js';
import { FactorsModule } from '../factors/factors.module.js';
import { IdentitiesModule } from '../identities/identities.module.js';
import { MailModule } from '../mail/mail.module.js';
import { OneTimeTokensModule } from '../one-time-tokens/one-time-tokens.module.js';
import { PasswordsModule } from '../passwords/passwords.module.js';
import { DisownService } from './disown.service.js';
import { EmailChangeService } from './email-change.service.js';
import { EmailController } from './email.controller.js';
import { VerificationService } from './verification.service.js';

@Module({
  imports: [
    AccountsModule,
    AuditModule,
    ChangeRecordsModule,
    FactorsModule,
    IdentitiesModule,
    MailModule,
    OneTimeTokensModule,
    PasswordsModule,
  ],
  controllers: [EmailController],
  providers: [DisownService, EmailChangeService, VerificationService],
  exports: [DisownService, EmailChangeService, VerificationService],
})
export class EmailModule {}
