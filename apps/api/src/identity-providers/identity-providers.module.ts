import { Module } from '@nestjs/common';
import { FactorsModule } from '../factors/factors.module.js';
import { HttpModule } from '../http/http.module.js';
import { IdentitiesModule } from '../identities/identities.module.js';
import { MailModule } from '../mail/mail.module.js';
import { OneTimeTokensModule } from '../one-time-tokens/one-time-tokens.module.js';
import { SignInMethodsModule } from '../sign-in/sign-in-methods.module.js';
import { SignInModule } from '../sign-in/sign-in.module.js';
import { IdTokenSignInService } from './id-token-sign-in.service.js';
import { MeIdentitiesController } from './me-identities.controller.js';
import { MeIdentitiesService } from './me-identities.service.js';
import { OAuthCallbackService } from './oauth-callback.service.js';
import { OAuthController } from './oauth.controller.js';
import { OAuthFlowsService } from './oauth-flows.service.js';
import { ProviderConnectionsService } from './provider-connections.service.js';
import { ProviderProfilesService } from './provider-profiles.service.js';
import { ProviderReauthenticationController } from './provider-reauthentication.controller.js';
import { ProviderRequestsService } from './provider-requests.service.js';

/** Sign-ins with identity providers, and the accounts that customers have there. */
@Module({
  imports: [
    FactorsModule,
    HttpModule,
    IdentitiesModule,
    MailModule,
    OneTimeTokensModule,
    SignInMethodsModule,
    SignInModule,
  ],
  controllers: [MeIdentitiesController, OAuthController, ProviderReauthenticationController],
  providers: [
    IdTokenSignInService,
    MeIdentitiesService,
    OAuthCallbackService,
    OAuthFlowsService,
    ProviderConnectionsService,
    ProviderProfilesService,
    ProviderRequestsService,
  ],
  exports: [OAuthCallbackService, OAuthFlowsService, ProviderConnectionsService, ProviderRequestsService],
})
export class IdentityProvidersModule {}
