import { Module } from '@nestjs/common';
import { AccountsRepository } from '@gatehouse/persistence';
import { AuditModule } from '../audit/audit.module.js';
import { ChangeRecordsModule } from '../change-records/change-records.module.js';
import { IdentitiesModule } from '../identities/identities.module.js';
import { MailModule } from '../mail/mail.module.js';
import { OneTimeTokensModule } from '../one-time-tokens/one-time-tokens.module.js';
import { AccountLifecycleService } from './account-lifecycle.service.js';
import { AccountsService } from './accounts.service.js';

/** Creates accounts and ends access to them. */
@Module({
  imports: [AuditModule, ChangeRecordsModule, IdentitiesModule, MailModule, OneTimeTokensModule],
  // No other module provides the repository, so that nothing else can insert customers and identities.
  providers: [AccountLifecycleService, AccountsRepository, AccountsService],
  exports: [AccountLifecycleService, AccountsService],
})
export class AccountsModule {}
