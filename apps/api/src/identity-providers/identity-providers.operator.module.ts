import { Module } from '@nestjs/common';
import { IdentityProvidersModule } from './identity-providers.module.js';
import { IdentityProvidersOperatorController } from './identity-providers.operator.controller.js';
import { ProviderDomainsOperatorController } from './provider-domains.operator.controller.js';

@Module({
  imports: [IdentityProvidersModule],
  controllers: [IdentityProvidersOperatorController, ProviderDomainsOperatorController],
})
export class IdentityProvidersOperatorModule {}
