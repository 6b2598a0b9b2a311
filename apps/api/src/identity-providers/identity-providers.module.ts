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
import { IdentityProvidersController } from './identity-providers.controller.js';
import { IdentityProvidersService } from './identity-providers.service.js';
import { ProviderDomainsController } from './provider-domains.controller.js';
import { ProviderDomainsService } from './provider-domains.service.js';
import { OAuthController } from './sign-in/oauth.controller.js';
import { ProviderCallbackService } from './sign-in/provider-callback.service.js';
import { ProviderFlowsService } from './provider-flows.service.js';
import { IdTokenSignInService } from './sign-in/id-token-sign-in.service.js';
import { MeIdentitiesController } from './linking/me-identities.controller.js';
import { MeIdentitiesService } from './linking/me-identities.service.js';
import { ProviderReauthenticationController } from './linking/provider-reauthentication.controller.js';
import { ProviderRejectionsService } from './sign-in/provider-rejections.service.js';
import { ProviderSignInService } from './sign-in/provider-sign-in.service.js';
import { ProjectProvidersService } from './project-providers.service.js';
import { IdentityProtocolsModule } from './protocols/identity-protocols.module.js';
import { StoredSettingsService } from './stored-settings.service.js';

/** The services that other modules use. */
const services = [
  ConnectionTestsService,
  IdentityProvidersService,
  ProviderCallbackService,
  ProviderDomainsService,
  ProviderFlowsService,
  ProviderSignInService,
  StoredSettingsService,
];

/** Provides sign-in with identity providers, and manages the providers and the customers' identities. */
@Module({
  imports: [
    AccountsModule,
    AuditModule,
    EmailModule,
    FactorsModule,
    HttpModule,
    IdentitiesModule,
    IdentityProtocolsModule,
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
    ...services,
    IdTokenSignInService,
    MeIdentitiesService,
    ProjectProvidersService,
    ProviderRejectionsService,
  ],
  exports: services,
})
export class IdentityProvidersModule {}
