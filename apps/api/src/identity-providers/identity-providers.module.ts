import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { EmailModule } from '../email/email.module.js';
import { FactorsModule } from '../factors/factors.module.js';
import { HttpModule } from '../http/http.module.js';
import { IdentitiesModule } from '../identities/identities.module.js';
import { MailModule } from '../mail/mail.module.js';
import { OneTimeTokensModule } from '../one-time-tokens/one-time-tokens.module.js';
import { SignInMethodsModule } from '../sign-in/sign-in-methods.module.js';
import { RunningApisModule } from '../running-apis/running-apis.module.js';
import { SignInModule } from '../sign-in/sign-in.module.js';
import { ConnectionTestsService } from './connection-tests.service.js';
import { IdTokenSignInService } from './id-token-sign-in.service.js';
import { IdentityProvidersController } from './identity-providers.controller.js';
import { IdentityProvidersService } from './identity-providers.service.js';
import { MeIdentitiesController } from './me-identities.controller.js';
import { MeIdentitiesService } from './me-identities.service.js';
import { OAuthCallbackService } from './oauth-callback.service.js';
import { OAuthController } from './oauth.controller.js';
import { OAuthFlowsService } from './oauth-flows.service.js';
import { ProviderConnectionsService } from './provider-connections.service.js';
import { ProviderDomainsController } from './provider-domains.controller.js';
import { ProviderDomainsService } from './provider-domains.service.js';
import { ProviderProfilesService } from './provider-profiles.service.js';
import { ProviderReauthenticationController } from './provider-reauthentication.controller.js';
import { ProviderRefusalsService } from './provider-refusals.service.js';
import { ProviderRequestsService } from './provider-requests.service.js';

/** Sign-ins with identity providers, and the accounts that customers have there. */
@Module({
  imports: [
    AccountsModule,
    AuditModule,
    EmailModule,
    FactorsModule,
    HttpModule,
    IdentitiesModule,
    MailModule,
    OneTimeTokensModule,
    SignInMethodsModule,
    RunningApisModule,
    SignInModule,
  ],
  controllers: [
    OAuthController,
    MeIdentitiesController,
    ProviderReauthenticationController,
    IdentityProvidersController,
    ProviderDomainsController,
  ],
  providers: [
    ConnectionTestsService,
    IdTokenSignInService,
    IdentityProvidersService,
    MeIdentitiesService,
    OAuthCallbackService,
    OAuthFlowsService,
    ProviderConnectionsService,
    ProviderDomainsService,
    ProviderProfilesService,
    ProviderRefusalsService,
    ProviderRequestsService,
  ],
  exports: [
    ConnectionTestsService,
    IdentityProvidersService,
    OAuthCallbackService,
    OAuthFlowsService,
    ProviderConnectionsService,
    ProviderDomainsService,
    ProviderRequestsService,
  ],
})
export class IdentityProvidersModule {}
