import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { PasswordsModule } from '../passwords/passwords.module.js';
import { LegacySignInService } from './legacy-sign-in.service.js';
import { LegacySystemClient } from './legacy-system.client.js';

@Module({
  imports: [AccountsModule, AuditModule, PasswordsModule],
  providers: [LegacySignInService, LegacySystemClient],
  exports: [LegacySignInService],
})
export class LegacySignInModule {}
