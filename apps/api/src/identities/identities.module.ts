import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { OneTimeTokensModule } from '../one-time-tokens/one-time-tokens.module.js';
import { IdentityChangesService } from './identity-changes.service.js';
import { RequiredProvidersService } from './required-providers.service.js';
import { SignInMethodsService } from './sign-in-methods.service.js';

@Module({
  imports: [AuditModule, OneTimeTokensModule],
  providers: [IdentityChangesService, RequiredProvidersService, SignInMethodsService],
  exports: [IdentityChangesService, RequiredProvidersService, SignInMethodsService],
})
export class IdentitiesModule {}
