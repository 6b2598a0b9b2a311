import { Module } from '@nestjs/common';
import { FactorsModule } from '../factors/factors.module.js';
import { HttpModule } from '../http/http.module.js';
import { PasskeysModule } from '../passkeys/passkeys.module.js';
import { PasswordsModule } from '../passwords/passwords.module.js';
import { ChallengesController } from './challenges.controller.js';
import { ChallengesService } from './challenges.service.js';
import { PasskeySignInController } from './passkey-sign-in.controller.js';
import { PasskeySignInService } from './passkey-sign-in.service.js';
import { ReauthenticationController } from './reauthentication.controller.js';
import { ReauthenticationService } from './reauthentication.service.js';
import { RelatedOriginsController } from './related-origins.controller.js';
import { SignInModule } from './sign-in.module.js';

/** Routes for second factors and passkeys, except those that every sign-in and refresh uses. */
@Module({
  imports: [FactorsModule, HttpModule, PasskeysModule, PasswordsModule, SignInModule],
  controllers: [
    ChallengesController,
    PasskeySignInController,
    ReauthenticationController,
    RelatedOriginsController,
  ],
  providers: [ChallengesService, PasskeySignInService, ReauthenticationService],
  exports: [ChallengesService, PasskeySignInService, ReauthenticationService],
})
export class SignInMethodsModule {}
