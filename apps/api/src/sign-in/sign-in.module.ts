import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { FactorsModule } from '../factors/factors.module.js';
import { IdentitiesModule } from '../identities/identities.module.js';
import { HttpModule } from '../http/http.module.js';
import { LegacySignInModule } from '../legacy-sign-in/legacy-sign-in.module.js';
import { MailModule } from '../mail/mail.module.js';
import { OneTimeTokensModule } from '../one-time-tokens/one-time-tokens.module.js';
import { PasskeysModule } from '../passkeys/passkeys.module.js';
import { PasswordsModule } from '../passwords/passwords.module.js';
import { RunningApisModule } from '../running-apis/running-apis.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { AddressSignInService } from './address-sign-in.service.js';
import { AuthController } from './auth.controller.js';
import { DiscoveryController } from './discovery.controller.js';
import { ExchangeCodesService } from './exchange-codes.service.js';
import { JwksController } from './jwks.controller.js';
import { LoginService } from './login.service.js';
import { RefreshController } from './refresh.controller.js';
import { RefreshService } from './refresh.service.js';
import { RegistrationService } from './registration.service.js';
import { SignInFlowsService } from './sign-in-flows.service.js';
import { SignInMetricsService } from './sign-in-metrics.service.js';
import { SignInOptionsController } from './sign-in-options.controller.js';
import { SignInOptionsService } from './sign-in-options.service.js';
import { SignInTokensController } from './sign-in-tokens.controller.js';
import { SignInTokensService } from './sign-in-tokens.service.js';
import { SignInService } from './sign-in.service.js';

/** The services that other modules use. */
const services = [
  AddressSignInService,
  ExchangeCodesService,
  LoginService,
  RegistrationService,
  SignInFlowsService,
  SignInMetricsService,
  SignInOptionsService,
  SignInService,
];

@Module({
  imports: [
    AccountsModule,
    AuditModule,
    FactorsModule,
    HttpModule,
    IdentitiesModule,
    LegacySignInModule,
    MailModule,
    OneTimeTokensModule,
    PasskeysModule,
    PasswordsModule,
    RunningApisModule,
    SessionsModule,
  ],
  controllers: [
    RefreshController,
    AuthController,
    JwksController,
    DiscoveryController,
    SignInOptionsController,
    SignInTokensController,
  ],
  providers: [...services, RefreshService, SignInTokensService],
  exports: services,
})
export class SignInModule {}
