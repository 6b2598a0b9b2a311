import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { ChangeRecordsModule } from '../change-records/change-records.module.js';
import { PasswordsModule } from '../passwords/passwords.module.js';
import { LegacySignInService } from './legacy-sign-in.service.js';
import { LegacySystemClient } from './legacy-system.client.js';

@Module({
  imports: [AccountsModule, ChangeRecordsModule, PasswordsModule],
  providers: [LegacySignInService, LegacySystemClient],
  exports: [LegacySignInService],
})
export class LegacySignInModule {}
